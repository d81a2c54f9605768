import OpenMarket

/// Recognizes how people write numbers and currencies, to suggest the manifest's spelling.
package enum NumberSpelling {
    /// What to write instead of a share without its sign: `30` and `0.3` may both mean 30 percent.
    package static func shareHelp(for text: String) -> String? {
        guard let number = ExactDecimal(text), !number.isNegative, number.significand > 0 else { return nil }
        guard number < 1 else { return "write \(text)%" }
        guard let share = ExactDecimal(significand: number.significand, scale: Int(number.scale) - 2) else {
            return nil
        }
        return "write \(share)% for this share of all; \(text)% is less than one in a hundred"
    }

    /// Whether separators are only between groups of three digits, so that no other number can be meant.
    static func isGrouped(_ text: String) -> Bool {
        let whole = text.drop { $0 == "-" || $0 == "+" }.prefix { $0 != "." }
        let fraction = text.drop { $0 != "." }.dropFirst()
        let groups = whole.split(omittingEmptySubsequences: false) { $0 == "_" || $0 == "," || $0 == " " }
        return fraction.allSatisfy(\.isNumber) && groups.dropFirst().allSatisfy { $0.count == 3 }
            && (1...3).contains(groups[0].count)
    }

    /// Whether spreadsheets shortened the number, in a narrow column or because it is long: `1.2E+05`, `9,78012E+12`.
    static func isShortened(_ text: String) -> Bool {
        let parts = text.split(separator: "E", omittingEmptySubsequences: false)
        guard parts.count == 2, let sign = parts[1].first, sign == "+" || sign == "-" else { return false }
        let exponent = parts[1].dropFirst()
        return !exponent.isEmpty && exponent.allSatisfy { $0.isASCII && $0.isNumber }
            && isDecimal(parts[0].map { $0 == "," ? "." : String($0) }.joined())
    }

    /// The number with a point instead of its only comma, if that does not separate thousands; otherwise `nil`.
    static func withoutDecimalComma(_ text: String) -> String? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].count != 3 || parts[0] == "0" else { return nil }
        let plain = parts.joined(separator: ".")
        return isDecimal(plain) ? plain : nil
    }

    /// Whether the only separator is a comma before three digits, which may be a decimal comma: `1,234`.
    static func mayHaveDecimalComma(_ text: String) -> Bool {
        text.filter { ",. _".contains($0) } == "," && isGrouped(text)
    }

    /// A number without the points that many countries set between thousands (`12.000`, `1.234.567`); `nil` if it has
    /// none.
    static func withoutPointsBetweenThousands(_ text: String) -> String? {
        // Hot: most prices are whole numbers.
        guard text.utf8.contains(UInt8(ascii: ".")) else { return nil }
        let sign = text.prefix { $0 == "-" || $0 == "+" }
        let groups = text.dropFirst(sign.count).split(separator: ".", omittingEmptySubsequences: false)
        guard sign.count < 2, groups.count > 1,
            groups.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            (1...3).contains(groups[0].count), !groups[0].hasPrefix("0"),
            groups.dropFirst().allSatisfy({ $0.count == 3 })
        else { return nil }
        return sign + groups.joined()
    }

    /// The number without a fraction that has only zeros; `nil` if it has no such fraction.
    static func withoutZeroFraction(_ text: String) -> String? {
        guard isDecimal(text), let point = text.firstIndex(of: "."),
            text[point...].dropFirst().allSatisfy({ $0 == "0" })
        else { return nil }
        return String(text[..<point])
    }

    /// Whether the text is an optional sign and digits, with or without a fraction.
    static func isDecimal(_ text: String) -> Bool {
        var digits = 0
        var digitsAfterPoint: Int?
        var isFirst = true
        for byte in text.utf8 {
            defer { isFirst = false }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                if let count = digitsAfterPoint { digitsAfterPoint = count + 1 }
            case UInt8(ascii: "."):
                guard digitsAfterPoint == nil, digits > 0 else { return false }
                digitsAfterPoint = 0
            case UInt8(ascii: "-"), UInt8(ascii: "+"): guard isFirst else { return false }
            default: return false
            }
        }
        return digits > 0 && digitsAfterPoint != 0
    }

    /// The number in a text with a currency or full-width digits (`12000원`, `₩12,000`, `１２０００`), as a manifest writes
    /// it; `nil` if it is unclear.
    static func plain(_ text: String) -> String? {
        var scalars = text.unicodeScalars.map(narrowed)
        trim(&scalars)
        for mark in marks where mark.unicodeScalars.count < scalars.count {
            let mark = Array(mark.unicodeScalars)
            func matches(_ part: ArraySlice<Unicode.Scalar>) -> Bool {
                part.elementsEqual(mark) { $0 == $1 || $0.properties.lowercaseMapping == String($1) }
            }
            if matches(scalars.prefix(mark.count)) {
                scalars.removeFirst(mark.count)
            } else if matches(scalars.suffix(mark.count)) {
                scalars.removeLast(mark.count)
            } else {
                continue
            }
            trim(&scalars)
        }
        let number = String(String.UnicodeScalarView(scalars))
        let bare = number.filter { $0 != "," && $0 != "_" && $0 != " " }
        guard isDecimal(bare), bare == number || isGrouped(number) else { return nil }
        return bare
    }

    /// The code of the currency that a text means, or the text in capitals if the currency is unknown.
    static func currencyCode(_ text: String) -> String {
        switch text.lowercased() {
        case "₩", "￦", "원", "won", "kr", "krw": "KRW"
        case "$", "＄", "us$", "dollar", "dollars", "us", "usd": "USD"
        default: text.uppercased()
        }
    }

    /// What people write beside an amount; longer marks first.
    private static let marks = ["dollars", "dollar", "krw", "usd", "us$", "won", "₩", "￦", "원", "$", "개"]

    /// A full-width digit or sign as the ASCII one.
    private static func narrowed(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard (0xFF01...0xFF5E).contains(scalar.value) else { return scalar == "\u{3000}" ? " " : scalar }
        return Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
    }

    private static func trim(_ scalars: inout [Unicode.Scalar]) {
        while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
        while scalars.first?.properties.isWhitespace == true { scalars.removeFirst() }
    }
}
