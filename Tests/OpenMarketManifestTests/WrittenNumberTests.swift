@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketManifest

/// Numbers as people write them: each has its one reading, two that are named, or none.
struct WrittenNumberTests {
    /// A value, by its whole digits and its fraction, and whether its only separator is ambiguous.
    private static let values: [(whole: String, fraction: String)] = [
        ("0", ""), ("5", ""), ("12", ""), ("123", ""), ("1234", ""), ("12345", ""), ("123456", ""), ("1234567", ""),
        ("0", "5"), ("5", "05"), ("12", "00"), ("123", "45"), ("1234", "5"), ("12345", "67"), ("1234567", "89"),
        ("5", "1234"), ("1234", "123"), ("1234567", "123"), ("0", "125"), ("21001", "0"),
    ]

    private static func western(_ digits: String, _ mark: String) -> String {
        var groups: [Substring] = []
        var rest = digits[...]
        while !rest.isEmpty {
            groups.insert(rest.suffix(3), at: 0)
            rest = rest.dropLast(3)
        }
        return groups.joined(separator: mark)
    }

    private static func indian(_ digits: String, _ mark: String) -> String {
        guard digits.count > 3 else { return digits }
        var groups: [Substring] = [digits.suffix(3)]
        var rest = digits.dropLast(3)
        while !rest.isEmpty {
            groups.insert(rest.suffix(2), at: 0)
            rest = rest.dropLast(2)
        }
        return groups.joined(separator: mark)
    }

    /// The marks between thousands, and before a fraction, that appear together.
    private static let separators: [(thousands: String, decimal: String)] = [
        ("", "."), ("", ","), (",", "."), (".", ","), (" ", ","), (" ", "."), ("\u{A0}", ","), ("\u{202F}", ","),
        ("\u{2009}", "."), ("'", "."), ("’", "."), ("'", ","), ("_", "."), ("٬", "٫"), ("，", "．"), ("．", "，"),
    ]

    /// The same digits in several scripts: ASCII, wide, Arabic, Devanagari, Thai.
    private static func scripts(_ text: String) -> [String] {
        [0x30, 0xFF10, 0x660, 0x966, 0xE50].map { (zero: UInt32) in
            let scalars = text.unicodeScalars.map { scalar in
                ("0"..."9").contains(scalar) ? Unicode.Scalar(zero + scalar.value - 0x30) ?? scalar : scalar
            }
            return String(String.UnicodeScalarView(scalars))
        }
    }

    /// A number between what stands on both sides of it, and the currencies of that.
    private static let sides: [(before: String, after: String, unit: WrittenNumber.Unit?)] = [
        ("", "", nil), (" ", "\u{A0}", nil), ("", "원", .currency([.krw])), ("₩", "", .currency([.krw])),
        ("￦ ", "", .currency([.krw])), ("", " KRW", .currency([.krw])), ("usd ", "", .currency([.usd])),
        ("US$", "", .currency([.usd])), ("US $ ", "", .currency([.usd])),
        ("", "\u{A0}€", .currency([Currency(rawValue: "EUR")])),
        ("EUR", "", .currency([Currency(rawValue: "EUR")])), ("", "円", .currency([Currency(rawValue: "JPY")])),
        ("", " zł", .currency([Currency(rawValue: "PLN")])), ("", "Kč", .currency([Currency(rawValue: "CZK")])),
        ("AED ", "", .currency([Currency(rawValue: "AED")])), ("", "د.إ", .currency([Currency(rawValue: "AED")])),
        ("$", " USD", .currency([.usd])), ("R$ ", "", .currency([Currency(rawValue: "BRL")])),
        ("", "개", .pieces), ("", " pcs", .pieces), ("", " Stück", .pieces), ("", "%", .percent), ("", " ％", .percent),
        ("\u{200E}", "\u{200F}", nil), ("+", "", nil), ("+ $", " USD", .currency([.usd])),
    ]

    @Test func `a value is read in every spelling, script and place of its unit`() {
        var count = 0
        var wrong: [String] = []
        for (whole, fraction) in Self.values {
            let value = ExactDecimal(whole + (fraction.isEmpty ? "" : "." + fraction))
            for (thousands, decimal) in Self.separators {
                for grouped in Set([Self.western(whole, thousands), Self.indian(whole, thousands)]) {
                    let number = grouped + (fraction.isEmpty ? "" : decimal + fraction)
                    let marks = grouped.count { !$0.isNumber }
                    let isAmbiguous =
                        fraction.isEmpty
                        ? marks == 1 && [",", ".", "，", "．"].contains(thousands)
                        : marks == 0 && whole != "0"
                            && (fraction.count == 3 && whole.count < 4 && decimal != "٫"
                                || fraction.count > 3 && whole.count < 5 && [",", "，"].contains(decimal))
                    for written in Self.scripts(number) {
                        for (before, after, unit) in Self.sides {
                            let text = before + written + after
                            count += 1
                            let read = WrittenNumber(text)
                            let readings = read?.readings(fractionDigits: nil).map { ExactDecimal($0) } ?? []
                            let isRead = isAmbiguous ? readings.contains(value) : readings == [value]
                            if !isRead || read?.unit != unit || (read?.grouped != nil) != isAmbiguous {
                                wrong.append(text)
                            }
                        }
                    }
                }
            }
        }
        #expect(wrong == [])
        #expect(count > 40_000)
    }

    @Test(arguments: [
        // A point: thousands or a fraction, but where the currency has three digits, or more digits than it has are there.
        ("12.000", [0: "12000 12.000", 2: "12000 12.000", 3: "12.000"]),
        ("1.230", [0: "1230 1.230", 2: "1230 1.230", 3: "1.230"]),
        ("15.719", [0: "15719 15.719", 2: "15.719", 3: "15.719"]), ("0.125", [0: "0.125", 2: "0.125", 3: "0.125"]),
        // A comma: thousands, but where a currency has three digits.
        ("1,234", [0: "1234", 2: "1234", 3: "1234 1.234"]), ("0,125", [0: "0.125", 2: "0.125", 3: "0.125"]),
        ("-1,234", [0: "-1234", 2: "-1234", 3: "-1234 -1.234"]), ("12.0", [0: "12.0", 2: "12.0", 3: "12.0"]),
        ("1234.000", [0: "1234.000", 2: "1234.000", 3: "1234.000"]),
        // A comma before more digits: ten thousands or a fraction, but where the currency has fewer digits.
        ("1,2000", [0: "12000 1.2000", 2: "12000 1.2000", 3: "12000 1.2000"]),
        ("14,2797", [0: "142797 14.2797", 2: "14.2797", 3: "14.2797"]), ("0,5000", [0: "0.5000", 2: "0.5000"]),
        ("12345,6000", [0: "12345.6000", 2: "12345.6000"]),
    ])
    func `an ambiguous separator is settled by the currency, or by nothing`(text: String, expected: [Int: String])
        throws
    {
        let number = try #require(WrittenNumber(text))
        for (digits, readings) in expected {
            #expect(number.readings(fractionDigits: digits).joined(separator: " ") == readings, "\(digits)")
        }
        let unknown = number.readings(fractionDigits: nil)
        let isThousands = number.isComma && text.dropLast(3).last == ","
        #expect(unknown.count == (number.grouped != nil && !isThousands ? 2 : 1))
    }

    @Test(
        arguments: [
            ("-5", "-5"), ("−5", "-5"), ("5-", "-5"), ("- 5", "-5"), ("(5)", "-5"), ("($5.00)", "-5.00"), ("-$5", "-5"),
            ("$-5", "-5"), ("$(5)", "-5"), ("5,00-", "-5.00"), ("5.-", "5"), ("5,-", "5"), ("5,– €", "5"),
            ("5.—", "5"), (".5", "0.5"), ("$.99", "0.99"), ("Rs.500", "500"), ("Rs. 500", "500"), ("kr. 5", "5"),
            ("5 kr.", "5"),
            ("6.0E7", "60000000"), ("1e3", "1000"), ("1.5e-2", "0.015"), ("1.2E+05", "120000"),
            ("9,78012E+12", "9780120000000"),
            ("+5", "+5"), ("007", "007"), ("1234567890123456789012", "1234567890123456789012"),
        ] as [(String, String?)]
    )
    func `signs, amounts without cents and exponents`(text: String, plain: String?) {
        #expect(WrittenNumber(text)?.plain == plain, "'\(text)'")
    }

    @Test(arguments: [
        "", " ", "원", "$", "-", ".", "1.", "x", "12만원", "12-15", "약 12000원", "Ⅻ", "①", "½", "5²", "--5", "-5-",
        "(-5)", "(5", "5)", "1 2", "1  234", "1, 234", "12,34,56", "1.2.3", "1.234,567,890", "1,234.567.890", "1'2",
        "1_2",
        "1.234 567", "0,123,456", "1,234 567", "2026-11-27", "27/11/2026", "12:30", "3x5", "2 for 5", "5 each way",
        "ca. 5", "e5",
        "5e", "1e", "1e5e5", "1e5.5", "0x10", "inf", "nan", "$5 EUR", "5원 개", "5 % USD", "5 foo", "foo 5", "#5",
        "5 /kg", "5\u{301}",
    ])
    func `nothing is guessed`(text: String) {
        #expect(WrittenNumber(text) == nil, "'\(text)' is \(WrittenNumber(text)?.plain ?? "")")
    }

    @Test(arguments: [
        ("5", WrittenNumber.Form.plain), ("-5.50", .plain), ("1e3", .other), ("1E300", .other), ("1.2E+05", .shortened),
        ("1e+05", .shortened), ("1,200", .other), ("1 200", .other), ("1,234.5", .other), ("1.234.567", .other),
        ("1.150,00", .other), ("1 150,00", .other), ("12,5", .other), ("１２", .other), ("5원", .other), ("5.-", .other),
        ("1,2000", .other),
        (".5", .other),
    ])
    func `what is unusual is told apart`(text: String, form: WrittenNumber.Form) {
        #expect(WrittenNumber(text)?.form == form)
    }

    @Test func `every code and every sign is a unit on either side, and none of a number`() {
        for code in Currency.standardCodes {
            for text in ["\(code) 5", "5\(code)", "\(code.lowercased())5"] {
                let unit = WrittenNumber(text)?.unit
                #expect(unit == .currency([Currency(rawValue: code)]), "'\(text)'")
            }
        }
        for (sign, isShared) in [
            ("$", true), ("¥", true), ("£", true), ("kr", true), ("元", true), ("€", false), ("원", false),
        ] {
            for text in ["\(sign)5", "5 \(sign)"] {
                guard case .currency(let named)? = WrittenNumber(text)?.unit else {
                    Issue.record("'\(text)' has no currency")
                    continue
                }
                #expect((named.count > 1) == isShared && named.allSatisfy(\.isStandard), "'\(text)'")
            }
        }
    }

    /// Any text: it is read as one number or as two, which are numbers, or not at all.
    @Test func `random texts are numbers or none`() {
        var generator = SeededGenerator(seed: 42)
        let pieces = [
            "0", "1", "12", "123", ".", ",", " ", "'", "-", "+", "(", ")", "e", "E", "$", "원", "개", "%", "٣", "１", "x",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...7, using: &generator))
                .map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }.joined()
            guard let number = WrittenNumber(text) else { continue }
            for digits in [nil, 0, 2, 3] as [Int?] {
                let readings = number.readings(fractionDigits: digits)
                #expect(
                    (1...2).contains(readings.count)
                        && readings.allSatisfy { !$0.contains { "$원개%x, '()".contains($0) } }
                )
            }
            // What is plain is a number of the manifest, and nothing else is.
            if number.form == .plain { #expect(text.wholeMatch(of: #/[-+]?[0-9]+(\.[0-9]+)?/#) != nil, "'\(text)'") }
        }
    }
}
