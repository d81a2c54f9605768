/// An exact decimal number, such as a price or a discount.
///
/// The value is `significand × 10^-scale` in lowest terms, so equal numbers are equal values in any spelling: `6.0E7`,
/// `60000000` and `60000000.00`. It never becomes binary floating point.
///
/// Range: 18 significant digits (19 if 64 bits hold them), at most 18 of them after the point.
package struct ExactDecimal: Hashable, Sendable {
    /// With the sign.
    package let significand: Int64

    /// The number of digits after the point, 0…18, without final zeros.
    package let scale: UInt8

    static let maximumScale = 18

    package static let zero = ExactDecimal(0)

    package init(_ value: Int64) {
        self.significand = value
        self.scale = 0
    }

    /// Reduces a number to lowest terms; `nil` if `scale` is out of range.
    package init?(significand: Int64, scale: Int) {
        guard significand != 0 else {
            self = .zero
            return
        }
        var significand = significand
        var scale = scale
        while scale > 0, significand % 10 == 0 {
            significand /= 10
            scale -= 1
        }
        while scale < 0 {
            let (product, overflow) = significand.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            significand = product
            scale += 1
        }
        guard scale <= Self.maximumScale else { return nil }
        self.significand = significand
        self.scale = UInt8(scale)
    }

    /// Reads a decimal number: an optional sign, digits with an optional point, an optional exponent.
    ///
    /// The text is ASCII such as `16.99`, `-3`, `6.0E7` or `.5`, without spaces or grouping. `nil` for other texts, and
    /// for numbers that do not fit.
    init?(_ text: some StringProtocol) {
        self.init(ascii: text.utf8)
    }

    /// Same as ``init(_:)-(StringProtocol)``; not generic, so that readers of large files are fast.
    package init?(_ text: String) {
        self.init(ascii: text.utf8)
    }

    /// See ``init(_:)-(StringProtocol)``.
    init?(ascii bytes: some Sequence<UInt8>) {
        var bytes = bytes.makeIterator()
        var byte = bytes.next()
        let isNegative = byte == UInt8(ascii: "-")
        if isNegative || byte == UInt8(ascii: "+") { byte = bytes.next() }
        // Counted downwards, because the smallest number lacks a positive counterpart.
        var negated: Int64 = 0
        // Zeros wait until a digit follows, so that long tails of zeros cost no range.
        var (digitCount, fractionDigits, pendingZeros) = (0, 0, 0)
        var hasPoint = false
        while let next = byte, next | 0x20 != UInt8(ascii: "e") {
            byte = bytes.next()
            if next == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
                continue
            }
            let digit = next &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            digitCount += 1
            if hasPoint { fractionDigits += 1 }
            guard digit > 0 else {
                if negated != 0 { pendingZeros += 1 }
                continue
            }
            for _ in 0...pendingZeros {
                let (product, overflow) = negated.multipliedReportingOverflow(by: 10)
                guard !overflow else { return nil }
                negated = product
            }
            pendingZeros = 0
            let (sum, overflow) = negated.subtractingReportingOverflow(Int64(digit))
            guard !overflow else { return nil }
            negated = sum
        }
        guard digitCount > 0, isNegative || negated != .min else { return nil }
        var exponent = 0
        if byte != nil {
            byte = bytes.next()
            let isBelowOne = byte == UInt8(ascii: "-")
            if isBelowOne || byte == UInt8(ascii: "+") { byte = bytes.next() }
            guard byte != nil else { return nil }
            while let next = byte {
                let digit = next &- UInt8(ascii: "0")
                guard digit < 10 else { return nil }
                // No text has as many digits as this limit, so a clamped exponent never matches one.
                exponent = min(exponent * 10 + Int(digit), 1_000_000_000_000_000)
                byte = bytes.next()
            }
            if isBelowOne { exponent.negate() }
        }
        self.init(
            significand: isNegative ? negated : -negated,
            scale: fractionDigits - pendingZeros - exponent
        )
    }

    /// Same as ``init(ascii:)-(Sequence<UInt8>)``.
    package init?(ascii bytes: Span<UInt8>) {
        guard let value = unsafe bytes.withUnsafeBufferPointer({ unsafe ExactDecimal(ascii: $0) }) else { return nil }
        self = value
    }

    /// `nil` if the number has a fraction.
    package var wholeValue: Int64? {
        scale == 0 ? significand : nil
    }

    package var isNegative: Bool { significand < 0 }

    /// `nil` if the difference does not fit.
    package func subtracting(_ other: ExactDecimal) -> ExactDecimal? {
        let common = max(scale, other.scale)
        return Self.reduced(significand(atScale: common) - other.significand(atScale: common), scale: Int(common))
    }

    /// `nil` if the sum does not fit.
    func adding(_ other: ExactDecimal) -> ExactDecimal? {
        let common = max(scale, other.scale)
        return Self.reduced(significand(atScale: common) + other.significand(atScale: common), scale: Int(common))
    }

    /// The product with at most `digits` digits after the point, halves away from zero; `nil` if it does not fit.
    func multiplied(by factor: ExactDecimal, digits: Int) -> ExactDecimal? {
        var product = Int128(significand) * Int128(factor.significand)
        var places = Int(scale) + Int(factor.scale)
        if places > digits {
            var unit: Int128 = 1
            for _ in digits..<places { unit *= 10 }
            let (whole, rest) = product.quotientAndRemainder(dividingBy: unit)
            product = rest.magnitude >= unit.magnitude - rest.magnitude ? whole + rest.signum() : whole
            places = digits
        }
        return Self.reduced(product, scale: places)
    }

    /// The nearest `offset + n × step` with `n` not below `least`, halves up; `nil` if it does not fit.
    ///
    /// `step` is above 0.
    func nearest(_ offset: ExactDecimal, step: ExactDecimal, least: Int64) -> ExactDecimal? {
        let common = max(scale, offset.scale, step.scale)
        let (offset, step) = (offset.significand(atScale: common), step.significand(atScale: common))
        let twice = 2 * (significand(atScale: common) - offset) + step
        let below = twice / (2 * step) - (twice < 0 && twice % (2 * step) != 0 ? 1 : 0)
        let (distance, overflow) = max(below, Int128(least)).multipliedReportingOverflow(by: step)
        let (sum, overflow2) = distance.addingReportingOverflow(offset)
        return overflow || overflow2 ? nil : Self.reduced(sum, scale: Int(common))
    }

    /// `significand × 10^-scale` in lowest terms; `nil` if it does not fit.
    private static func reduced(_ significand: Int128, scale: Int) -> ExactDecimal? {
        var (significand, scale) = (significand, scale)
        while scale > 0, significand % 10 == 0 {
            significand /= 10
            scale -= 1
        }
        return Int64(exactly: significand).flatMap { ExactDecimal(significand: $0, scale: scale) }
    }

    /// The nearest number with at most `wanted` digits after the point, halves away from zero; `nil` if it does not
    /// fit.
    package func rounded(toScale wanted: Int) -> ExactDecimal? {
        multiplied(by: 1, digits: wanted)
    }

    /// Removes the noise of binary floating point.
    ///
    /// The number with at most `digits` digits after the point whose nearest 32-bit or 64-bit floating-point number
    /// this is. If there is none, this number.
    package func withoutFloatNoise(digits: Int) -> ExactDecimal {
        guard let rounded = rounded(toScale: digits), let own = Double(description),
            let exact = Double(rounded.description)
        else { return self }
        return own == Double(Float(exact)) || abs(own - exact) <= 4 * exact.ulp ? rounded : self
    }

    /// The digits at a scale not below the number's; 128 bits hold them and the difference of any two.
    private func significand(atScale wanted: UInt8) -> Int128 {
        var result = Int128(significand)
        for _ in scale..<wanted { result *= 10 }
        return result
    }

    /// The change from `base`, in hundredths of a percent of `base`, rounded away from zero: 50.001 % is more than 50
    /// %.
    ///
    /// `nil` if `base` is zero. Changes too large for 64 bits are clamped.
    package func changeInBasisPoints(from base: ExactDecimal) -> Int64? {
        guard base.significand != 0 else { return nil }
        let common = max(scale, base.scale)
        let old = base.significand(atScale: common)
        let move = significand(atScale: common) - old
        let scaled = move.magnitude.multipliedFullWidth(by: 10_000)
        let most: Int64 = move < 0 ? -.max : .max
        guard scaled.high < old.magnitude else { return most }
        let (quotient, remainder) = old.magnitude.dividingFullWidth(scaled)
        guard let points = Int64(exactly: quotient), points < .max else { return most }
        let rounded = remainder == 0 ? points : points + 1
        return move < 0 ? -rounded : rounded
    }
}

extension ExactDecimal: Comparable {
    package static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
        let common = max(left.scale, right.scale)
        return left.significand(atScale: common) < right.significand(atScale: common)
    }
}

extension ExactDecimal: CustomStringConvertible {
    /// The shortest plain spelling: `16.99`, `60000000`, `-0.5`; never an exponent.
    package var description: String {
        guard scale > 0 else { return String(significand) }
        let places = Int(scale)
        let padded = String(significand.magnitude, width: places + 1)
        let point = padded.index(padded.endIndex, offsetBy: -places)
        return (significand < 0 ? "-" : "") + padded[..<point] + "." + padded[point...]
    }
}

extension ExactDecimal: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) {
        self.init(value)
    }
}
