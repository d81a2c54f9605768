/// A currency code as the market writes it.
///
/// The API sends and accepts `KRW` and `USD`; a market that takes more says so in its limits. What else a live row may
/// hold is kept as it is (docs/profiles.md, "Limits").
package struct Currency: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code, such as `KRW`.
    package let rawValue: String

    /// A code as it is, unchecked.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A code of ISO 4217 in any letter case; `nil` where it has none such.
    package init?(standardCode text: String) {
        self.init(rawValue: text.uppercased())
        guard isStandard else { return nil }
    }

    /// South Korean won: has no fractions.
    package static let krw = Currency(rawValue: "KRW")

    /// United States dollar.
    static let usd = Currency(rawValue: "USD")

    /// The codes that every market takes.
    package static let known: [Currency] = [.krw, .usd]

    /// All codes of money that is paid with, in their order.
    package static let standardCodes: [String] = standardDigits.keys.sorted()

    /// Whether ISO 4217 has the code for money that is paid with.
    package var isStandard: Bool { Self.standardDigits[rawValue] != nil }

    /// How many digits may follow the point: the minor unit of ISO 4217, and two of a code that is not in it.
    package var fractionDigits: Int { Self.standardDigits[rawValue] ?? 2 }

    /// Why it has no such amount, as a phrase behind the amount; `nil` where it has.
    package func fault(of amount: ExactDecimal) -> String? {
        guard Int(amount.scale) > fractionDigits else { return nil }
        return fractionDigits == 0
            ? "has a fraction, and there are none of \(self == .krw ? "a won" : rawValue)"
            : "has \(amount.scale) digits after the point, and \(rawValue) has \(fractionDigits)"
    }

    /// Compares the bytes: a live row may hold a code that only looks like one of ours.
    package static func == (left: Currency, right: Currency) -> Bool { left.rawValue.isExactly(right.rawValue) }

    /// The code.
    package var description: String { rawValue }
}

extension Currency {
    /// The codes of ISO 4217 by the digits of their minor units, without funds, metals and test codes.
    private static let standard: [(digits: Int, codes: String)] = [
        (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"),
        (
            2,
            """
            AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP \
            CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR \
            JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN \
            NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP \
            SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG
            """
        ),
        (3, "BHD IQD JOD KWD LYD OMR TND"),
    ]

    /// The digits of each code.
    private static let standardDigits: [String: Int] = Dictionary(
        uniqueKeysWithValues: standard.flatMap { entry in
            entry.codes.split(separator: " ").map { (String($0), entry.digits) }
        }
    )
}
