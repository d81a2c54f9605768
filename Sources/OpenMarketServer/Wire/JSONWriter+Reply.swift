import OpenMarket

extension JSONWriter {
    /// Writes a number as the market spells it; `null` for `nil`.
    mutating func member(_ name: String, number spelling: String?) {
        member(name, spelling.map { .unrepresentableNumber($0) } ?? .null)
    }

    mutating func member<Element>(
        _ name: String,
        array elements: some Sequence<Element>,
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        self.name(name)
        array { writer in
            for element in elements { write(&writer, element) }
        }
    }
}

extension ExactDecimal {
    /// The number as Java's `Double.toString` writes it: `1200.0`, `0.75`, and from ten million up `6.0E7`.
    ///
    /// All digits are kept; a real double would round after the 17th.
    var javaSpelling: String {
        guard significand != 0 else { return "0.0" }
        let digits = String(significand.magnitude)
        let exponent = digits.count - 1 - Int(scale)
        if (-3..<7).contains(exponent) {
            return scale == 0 ? description + ".0" : description
        }
        var fraction = digits.dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return "\(isNegative ? "-" : "")\(digits.prefix(1)).\(fraction.isEmpty ? "0" : fraction)E\(exponent)"
    }
}
