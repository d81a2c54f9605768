import OpenMarket

/// A number as people and programs write it: `₩12,000`, `1.150,00 kr`, `１２개`, `(5.00)`, `21001.0`.
///
/// Words and signs next to the digits are not ignored: each must be a unit, or the text is not a number.
package struct WrittenNumber: Sendable {
    enum Unit: Equatable, Sendable {
        /// The currencies that the word or sign may mean: `$` has many.
        case currency([Currency])
        case pieces
        case percent
    }

    enum Form: Sendable {
        /// Digits, with a point before a fraction.
        case plain
        /// Shortened by a spreadsheet, in a narrow column or because the number is long: digits may be lost.
        case shortened
        /// Anything else: separators, a unit, an exponent, digits of another script.
        case other
    }

    private(set) var form = Form.plain
    private(set) var unit: Unit?
    /// The number as a manifest writes it; an ambiguous only separator is read as a decimal point.
    private(set) var plain: String
    /// The number without its only separator, if that may separate thousands: `12.000`, `1,234`.
    private(set) var grouped: String?
    /// Whether the ambiguous separator is a comma.
    private(set) var isComma = false

    /// `nil` if the text is not a number, or its separators are at unusual positions.
    package init?(_ text: String) {
        plain = text
        // Hot: nearly all numbers are written plainly.
        let bytes = text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
        let isPlain = [bytes.first, bytes.last].allSatisfy { $0.map { (0x30...0x39).contains($0) } ?? false }
        if isPlain, ExactDecimal(text) != nil, !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            guard text.utf8.contains(UInt8(ascii: ".")) else { return }
            let parts = Substring(bytes).split(separator: ".")
            if Self.mayBeThousands(parts[0], parts[1]) { grouped = text.replacing(".", with: "") }
            return
        }
        let scalars = Self.folded(text)
        guard var start = scalars.firstIndex(where: Self.isDigit), let last = scalars.lastIndex(where: Self.isDigit)
        else { return nil }
        // The point of `$.99` belongs to the number, that of `Rs.500` to the unit.
        if start > 0, scalars[start - 1] == ".", start == 1 || !scalars[start - 2].properties.isAlphabetic {
            start -= 1
        }
        guard let isNegative = readSides([scalars[..<start], scalars[(last + 1)...]]),
            readDigits(scalars[start...last])
        else { return nil }
        if isNegative {
            plain = "-" + plain
            grouped = grouped.map { "-" + $0 }
        }
        if form == .plain, !plain.isExactly(text) { form = .other }
    }

    /// The readings with that many digits after the point: 0 for a whole number, `nil` if the currency is unknown.
    ///
    /// Two readings mean an ambiguous number. A comma before three digits is a decimal comma only if the currency has
    /// three. A comma before more digits is one if the currency has fewer.
    func readings(fractionDigits digits: Int?) -> [String] {
        guard let grouped else { return [plain] }
        if isComma, plain.dropLast(3).last == "." { return digits == 3 ? [grouped, plain] : [grouped] }
        if digits == 3, !isComma { return [plain] }
        // A formula's result often has more digits than a currency; a price in thousands more often ends with zeros.
        if let digits, digits > 0, let value = ExactDecimal(plain), Int(value.scale) > digits { return [plain] }
        return [grouped, plain]
    }

    // MARK: Reading

    /// Reads the text before and after the digits: signs, parentheses, a unit.
    ///
    /// Returns whether the number is negative; `nil` if there is any other text.
    private mutating func readSides(_ sides: [ArraySlice<Unicode.Scalar>]) -> Bool? {
        let isEnclosed = sides[0].contains("(") && sides[1].contains(")")
        var minuses = isEnclosed ? 1 : 0
        for (index, side) in sides.enumerated() {
            var side = String(String.UnicodeScalarView(side))
            // `5.-` and `5,-` are amounts without cents.
            if index == 1, let end = side.firstMatch(of: #/^[.,:]-+/#) { side.removeSubrange(end.range) }
            minuses += side.count { $0 == "-" }
            side.removeAll { "-+ ".contains($0) || isEnclosed && "()".contains($0) }
            guard !side.isEmpty else { continue }
            guard let found = Self.unit(side), combine(found) else { return nil }
        }
        return minuses < 2 ? minuses == 1 : nil
    }

    /// Units on both sides must agree: `$35 USD`.
    private mutating func combine(_ found: Unit) -> Bool {
        switch (unit, found) {
        case (nil, _): unit = found
        case (.currency(let one), .currency(let other)):
            let common = one.filter(other.contains)
            guard !common.isEmpty else { return false }
            unit = .currency(common)
        default: return false
        }
        return true
    }

    private mutating func readDigits(_ scalars: ArraySlice<Unicode.Scalar>) -> Bool {
        let parts = scalars.split(omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        guard parts.count < 3, readMantissa(parts[0]) else { return false }
        guard parts.count == 2 else { return true }
        let exponent = String(String.UnicodeScalarView(parts[1]))
        let isSigned = exponent.hasPrefix("+") || exponent.hasPrefix("-")
        let digits = exponent.dropFirst(isSigned ? 1 : 0)
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        form = isSigned ? .shortened : .other
        grouped = nil
        plain = ExactDecimal(plain + "E" + exponent)?.description ?? plain + "E" + exponent
        return true
    }

    private mutating func readMantissa(_ scalars: ArraySlice<Unicode.Scalar>) -> Bool {
        var groups = [""]
        var marks: [Unicode.Scalar] = []
        for scalar in scalars {
            if Self.isDigit(scalar) {
                groups[groups.count - 1].unicodeScalars.append(scalar)
            } else if ".,'_ ٫".unicodeScalars.contains(scalar) {
                marks.append(scalar)
                groups.append("")
            } else {
                return false
            }
        }
        plain = groups.joined()
        guard let last = marks.last else { return true }
        let rest = marks.dropLast()
        guard rest.allSatisfy({ $0 == marks[0] }) else { return false }
        let mayBeDecimal = last == "." || last == "," || last == "٫"
        if last == marks[0], !rest.isEmpty || !mayBeDecimal {
            return last != "٫" && Self.areThousands(groups)
        }
        let whole = groups.dropLast()
        guard mayBeDecimal, rest.isEmpty || marks[0] != "٫" && Self.areThousands(Array(whole)) else { return false }
        if rest.isEmpty, last != "٫" {
            isComma = last == ","
            // `1,2000` may be 12000, as in East Asia or by mistake, or 1.2 with the digits of a database.
            let isLong = isComma && groups[1].count > 3 && groups[0].count < 5 && !groups[0].hasPrefix("0")
            if isLong || Self.mayBeThousands(groups[0], groups[1]) { grouped = plain }
        }
        plain = (whole.joined().isEmpty ? "0" : whole.joined()) + "." + groups[groups.count - 1]
        return true
    }

    /// Whether digits are grouped by three, or as in India: `12,34,567`.
    private static func areThousands(_ groups: [String]) -> Bool {
        guard groups.count > 1, (1...3).contains(groups[0].count), !groups[0].hasPrefix("0"),
            groups[groups.count - 1].count == 3
        else { return false }
        let middle = groups.dropFirst().dropLast()
        return middle.allSatisfy { $0.count == 3 } || groups[0].count < 3 && middle.allSatisfy { $0.count == 2 }
    }

    private static func mayBeThousands(_ whole: some StringProtocol, _ fraction: some StringProtocol) -> Bool {
        fraction.utf8.count == 3 && (1...3).contains(whole.utf8.count) && !whole.hasPrefix("0")
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    /// The characters, with digits of any script, wide forms, blanks, apostrophes and dashes converted to ASCII.
    private static func folded(_ text: String) -> [Unicode.Scalar] {
        var folded: [Unicode.Scalar] = []
        for scalar in text.trimmed.unicodeScalars {
            let properties = scalar.properties
            if properties.numericType == .decimal, let value = properties.numericValue {
                folded.append(Unicode.Scalar(UInt8(ascii: "0") + UInt8(value)))
            } else if (0xFF01...0xFF5E).contains(scalar.value) {
                folded.append(Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar)
            } else if properties.isWhitespace {
                folded.append(" ")
            } else if properties.generalCategory != .format {
                folded.append(lookalikes[scalar] ?? scalar)
            }
        }
        return folded
    }

    private static let lookalikes: [Unicode.Scalar: Unicode.Scalar] = [
        "’": "'", "ʼ": "'", "٬": "'", "،": ",", "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-",
    ]
}

// MARK: - Units

extension WrittenNumber {
    private static func unit(_ text: String) -> Unit? {
        if text == "%" { return .percent }
        if pieces.contains(word(text)) { return .pieces }
        return currencies(text).map(Unit.currency)
    }

    /// The currencies that a code of ISO 4217, a sign or a word may mean; `nil` if it means none.
    static func currencies(_ text: String) -> [Currency]? {
        let word = word(text)
        if let codes = signs[word] { return codes.split(separator: " ").map { Currency(rawValue: String($0)) } }
        return Currency(standardCode: word).map { [$0] }
    }

    private static func word(_ text: String) -> String {
        String(text.lowercased().filter { !$0.isWhitespace && $0 != "." })
    }

    private static let pieces: Set<String> = [
        "개", "점", "ea", "pc", "pcs", "piece", "pieces", "unit", "units", "qty", "instock", "st", "stk", "stck", "stück",
        "szt", "шт", "ks", "ud", "uds", "un", "pz", "個", "个", "件", "点", "本", "枚",
    ]

    /// The words and signs of currencies, by the codes that they may mean.
    private static let signs = Dictionary(
        uniqueKeysWithValues: """
            KRW: ₩ ￦ 원 won; \
            USD ARS AUD BBD BMD BND BSD BZD CAD CLP COP CUP DOP FJD GYD HKD JMD KYD LRD MXN NAD NZD SBD SGD SRD TTD \
            TWD UYU XCD: $ dollar dollars 달러 ドル; \
            USD: us$ usd$ $us 美元; AUD: a$ au$; CAD NIO: c$; CAD: ca$; HKD: hk$; MXN: mx$; TWD: nt$; NZD: nz$; \
            BRL: r$; SGD: s$; JPY CNY: ¥ ￥; JPY: 円 엔 yen; CNY: cn¥ 위안 rmb yuan 人民币; CNY TWD HKD MOP: 元; \
            TWD HKD MOP: 圓; EUR: € euro euros 유로 ユーロ; GBP EGP FKP GIP LBP SDG SHP SSP SYP: £ ￡; \
            SEK NOK DKK ISK: kr; SEK: kronor; PLN: zł zl; CZK: kč; HUF: ft; RON MDL: lei; BGN: лв; RUB: ₽; \
            RUB BYN: руб р; UAH: ₴ грн; KZT: ₸; TRY: ₺ tl; INR: ₹; INR LKR MUR NPR PKR SCR: rs; VND: ₫ đ vnđ; \
            THB: ฿ บาท baht; IDR: rp; MYR: rm; PHP CUP: ₱; NGN: ₦; ILS: ₪; ZAR: r; IRR OMR QAR SAR YER: ﷼; \
            SAR: رس sr; AED: دإ; AED MAD: dh dhs; PEN: s/; CRC: ₡; PYG: ₲; GHS: ₵; MNT: ₮; LAK: ₭; KHR: ៛; \
            AMD: ֏; GEL: ₾; AZN: ₼; CHF XAF XOF: fr; CHF: sfr; XAF XOF: fcfa cfa
            """.split(separator: ";").flatMap { entry in
                let sides = entry.split(separator: ":")
                return sides[1].split(separator: " ").map { (String($0), String(sides[0])) }
            }
    )
}
