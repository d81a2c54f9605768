/// A currency code as the market writes it.
///
/// The API sends and accepts `KRW` and `USD`; a market that accepts more states them in its limits. Other codes of live
/// rows are kept unchanged (docs/reference/open-market-versions.md, "Limits").
package struct Currency: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Reads an ISO 4217 code in any letter case; `nil` if ISO 4217 lacks the code.
    package init?(standardCode text: String) {
        self.init(rawValue: text.uppercased())
        guard isStandard else { return nil }
    }

    package static let krw = Currency(rawValue: "KRW")

    static let usd = Currency(rawValue: "USD")

    /// The codes that every market accepts.
    package static let known: [Currency] = [.krw, .usd]

    /// All ISO 4217 codes of payment currencies, sorted.
    package static let standardCodes: [String] = standardDigits.keys.sorted()

    /// Whether the code is a payment currency of ISO 4217.
    package var isStandard: Bool { Self.standardDigits[rawValue] != nil }

    /// The number of digits after the point: the minor unit of ISO 4217, or two for an unknown code.
    package var fractionDigits: Int { Self.standardDigits[rawValue] ?? 2 }

    /// Why the amount is impossible in the currency, as a phrase after the amount; `nil` if it has.
    package func fault(of amount: ExactDecimal) -> String? {
        guard Int(amount.scale) > fractionDigits else { return nil }
        return fractionDigits == 0
            ? "has a fraction; amounts in \(self == .krw ? "won" : rawValue) are whole numbers"
            : "has \(amount.scale) digits after the point, and \(rawValue) has \(fractionDigits)"
    }

    /// Compares bytes, because a live row's code may only look like a standard one.
    package static func == (left: Currency, right: Currency) -> Bool { left.rawValue.isExactly(right.rawValue) }

    package var description: String { rawValue }
}

extension Currency {
    /// ISO 4217 codes by the digits of their minor units, without funds, metals and test codes.
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

    private static let standardDigits: [String: Int] = Dictionary(
        uniqueKeysWithValues: standard.flatMap { entry in
            entry.codes.split(separator: " ").map { (String($0), entry.digits) }
        }
    )
}
