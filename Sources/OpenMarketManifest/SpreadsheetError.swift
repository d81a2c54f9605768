/// The error values that spreadsheets show, for a failed formula or a number too wide for its column.
enum SpreadsheetError {
    /// Whether a cell holds only an error value, in any language: `#DIV/0!`, `#N/A`, `####`, `Err:502`.
    ///
    /// A text that merely begins like one (`#1 Lamp`) does not count.
    static func isOne(_ text: String) -> Bool {
        if text.hasPrefix("#") || text.hasPrefix("＃") {
            let sign =
                #/
                [\#＃]+ | [^\p{Ll}\s0-9!?！？] [^\p{Ll}\s]* \s? [!?！？] | \p{Lu}/\p{Lu} | n/a | \p{Lu}+ (?: _\p{Lu}+)+ |
                LOADING\.\.\. | NV | YOK | SAKNAS | PUUTTUU | HIÁNYZIK | NEDOSTUPN[ÝÉ] | 不可用
                /#
            return text.dropFirst().wholeMatch(of: sign) != nil
        }
        // LibreOffice numbers its errors.
        guard text.utf8.dropLast(3).last == UInt8(ascii: ":") else { return false }
        let numbered =
            #/
            (?: err | erro | error | erreur | errore | fehler | fout | fel | fejl | feil | virhe | błąd | chyba | hiba |
                hata | eroare | ошибка | помилка | 오류 | エラー | 错误 | 錯誤) \s? : [0-9]{3}
            /#
        return text.wholeMatch(of: numbered.ignoresCase()) != nil
    }
}
