/// What hands, spreadsheets and editors do to a key that is typed or copied.
enum KeySlip: String, CaseIterable, Sendable {
    case blankBehind, blankBefore, noBreakSpace, zeroWidthSpace, byteOrderMark, softHyphen, capitals, smallLetters
    case enDash, fullWidth, lostZeros, decimalPoint

    /// The key after the slip; the key itself where there is nothing to slip on.
    func of(_ key: String) -> String {
        switch self {
        case .blankBehind: key + " "
        case .blankBefore: " " + key
        case .noBreakSpace: key + "\u{A0}"
        case .zeroWidthSpace: key + "\u{200B}"
        case .byteOrderMark: "\u{FEFF}" + key
        case .softHyphen: key.map { $0 == "-" ? "-\u{AD}" : String($0) }.joined()
        case .capitals: key.uppercased()
        case .smallLetters: key.lowercased()
        case .enDash: key.map { $0 == "-" ? "–" : String($0) }.joined()
        case .fullWidth:
            String(
                String.UnicodeScalarView(
                    key.unicodeScalars.map { scalar in
                        guard (0x21...0x7E).contains(scalar.value) else { return scalar }
                        return Unicode.Scalar(scalar.value + 0xFEE0) ?? scalar
                    }
                )
            )
        case .lostZeros: key.allSatisfy(\.isNumber) ? String(key.drop { $0 == "0" }) : key
        case .decimalPoint: key.allSatisfy(\.isNumber) ? key + ".0" : key
        }
    }
}
