extension ExactDecimal {
    /// Reads a share such as `30%` or `2.5%` in hundredths of a percent; `nil` for other texts.
    package static func basisPoints(_ text: some StringProtocol) -> Int64? {
        guard text.hasSuffix("%"), let value = ExactDecimal(text.dropLast()), !value.isNegative else { return nil }
        return ExactDecimal(significand: value.significand, scale: Int(value.scale) - 2)?.wholeValue
    }
}

extension Policies.Bound {
    /// Reads a number of products or a share of them: `5`, `30%`.
    package init?(_ text: String) {
        if let share = ExactDecimal.basisPoints(text) {
            self = .basisPoints(share)
        } else {
            guard let count = Int(text), count >= 0 else { return nil }
            self = .count(count)
        }
    }
}

extension Duration {
    /// The longest accepted duration: deadlines count nanoseconds from now, which would overflow.
    private static let longest: Int64 = 366 * 24 * 3_600_000

    /// Reads a duration such as `500ms`, `30s`, `5m`, `1h` or `1.5` (seconds).
    ///
    /// `nil` for other texts, and for more than a year.
    package init?(_ text: String) {
        let units: [(suffix: String, milliseconds: Int64)] = [
            ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("", 1000),
        ]
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }),
            let value = ExactDecimal(text.dropLast(unit.suffix.count)), !value.isNegative, value.scale <= 3,
            let total = value.multiplied(by: ExactDecimal(unit.milliseconds), digits: 0)?.wholeValue,
            total <= Self.longest
        else { return nil }
        self = .milliseconds(total)
    }
}

extension ContentDigest {
    /// Reads `sha256:` and 64 hexadecimal digits; `nil` for other texts.
    package init?(named text: String) {
        guard text.hasPrefix("sha256:") else { return nil }
        self.init(hexadecimal: String(text.dropFirst("sha256:".count)))
    }
}
