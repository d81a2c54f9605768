import OpenMarket

/// The error values that spreadsheets show, for a failed formula or a number too wide for its column.
enum SpreadsheetError {
    /// Whether a cell contains only an error value, such as `#N/A`, `#WERT!`, `########` or `Err:502`.
    ///
    /// A text that merely starts like one (`#1 Lamp`, `#best!`) does not count.
    static func isOne(_ text: String) -> Bool {
        guard let first = text.utf8.first else { return false }
        guard first == UInt8(ascii: "#") else { return isNumbered(text) }
        let value = text.dropFirst().trimmed
        if value.allSatisfy({ $0 == "#" }) { return !value.isEmpty }
        return missing.contains(value.uppercased()) || isMissing(value.uppercased()) || isMarked(value)
    }

    /// Whether a value is a word in capitals and a mark: `REF!`, `¿NOMBRE?`, `NUL !`, `ДЕЛ/0!`.
    private static func isMarked(_ value: String) -> Bool {
        guard let mark = value.last, mark == "!" || mark == "?" else { return false }
        let word = value.dropLast().trimmed
        return word.count { $0.isUppercase } > 1 && word.allSatisfy { $0.isUppercase || "/0._'¡¿".contains($0) }
    }

    /// Whether a value is one letter, a slash and one letter: `N/A` in most languages.
    private static func isMissing(_ value: String) -> Bool {
        let letters = value.split(separator: "/", omittingEmptySubsequences: false)
        return letters.count == 2 && letters.allSatisfy { $0.count == 1 && $0.first?.isUppercase == true }
    }

    /// The values for "not available" and "not yet available" that have no mark.
    private static let missing: Set = [
        "NV", "YOK", "SAKNAS", "PUUTTUU", "HIÁNYZIK", "NENÍ_K_DISPOZICI", "NEDOSTUPNÝ", "GETTING_DATA",
    ]

    /// Whether the text is one of LibreOffice's numbered errors: `Err:502`, with the word in the program's language.
    private static func isNumbered(_ text: String) -> Bool {
        guard text.utf8.count <= 32, let colon = text.firstIndex(of: ":") else { return false }
        let number = text[text.index(after: colon)...]
        return number.utf8.count == 3 && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && words.contains(text[..<colon].lowercased())
    }

    private static let words: Set = [
        "err", "erro", "error", "erreur", "errore", "fehler", "fout", "ошибка", "오류", "エラー", "错误",
    ]
}
