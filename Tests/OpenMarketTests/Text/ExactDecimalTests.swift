@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

struct ExactDecimalTests {
    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("+0.000", "0"), ("7", "7"), ("007", "7"), ("+7", "7"), ("-7", "-7"),
        ("16.99", "16.99"), ("16.990", "16.99"), (".5", "0.5"), ("5.", "5"), ("-.5", "-0.5"), ("0.001", "0.001"),
        ("6.0E7", "60000000"), ("6.0e7", "60000000"), ("6e+7", "60000000"), ("60000000.00", "60000000"),
        ("1.5e-3", "0.0015"), ("1500e-2", "15"), ("0e99999999999999999999", "0"), ("1E0", "1"),
        ("0.000000000000000001", "0.000000000000000001"), ("123456789012345678", "123456789012345678"),
        ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
        ("-9.223372036854775808", "-9.223372036854775808"), ("1000000000000000000", "1000000000000000000"),
        ("0.1000000000000000000000000000000000000000", "0.1"),
        ("1000000000000000000000000000000000000000e-39", "1"),
    ])
    func `a number is read in any spelling and written in the shortest`(_ spelling: String, _ shortest: String) throws {
        let value = try #require(ExactDecimal(spelling))
        #expect(value.description == shortest)
        #expect(ExactDecimal(ascii: Array(spelling.utf8)) == value)
    }

    @Test(arguments: [
        "", " ", ".", "-", "+", "--1", "+-1", "1-", "1.2.3", "1,000", "1_000", " 1", "1 ", "1e", "1e+", "1e+-5", "e5",
        ".e5", "1e5.0", "1e5e5", "0x10", "NaN", "inf", "-inf", "١", "1\u{0}", "₩1",
        "9223372036854775808", "-9223372036854775809", "1e19", "1e99999999999999999999", "92233720368547758080",
        "0.0000000000000000001", "1e-19", "1e-99999999999999999999", "1234567890.1234567890123",
    ])
    func `what is not a number or does not fit is refused`(_ text: String) {
        #expect(ExactDecimal(text) == nil)
    }

    /// One of 37 prices up to 20 000.00, as a market writes it that holds it in 32 or in 64 bits.
    @Test func `a price that became a binary number is the price again`() throws {
        for cents in stride(from: 1, through: 2_000_000, by: 37) {
            let price = try #require(ExactDecimal(significand: Int64(cents), scale: 2))
            let exact = try #require(Double(price.description))
            for shown in [Double(Float(exact)), exact.nextUp, exact.nextDown] {
                let read = try #require(ExactDecimal("\(shown)"))
                guard read.withoutFloatNoise(digits: 2) == price else {
                    Issue.record("\(shown) is read as \(read.withoutFloatNoise(digits: 2)), not \(price)")
                    return
                }
            }
        }
    }

    @Test(arguments: [
        ("0.125", 2), ("15.719", 2), ("19.98999", 2), ("19.9899", 2), ("1.005", 2), ("0.5", 0), ("35000.25", 0),
        ("19.99", 2), ("19.99", 4), ("1000000", 0), ("0.0015", 2),
    ])
    func `a price of more digits stays as it is`(price: String, digits: Int) throws {
        let number = try #require(ExactDecimal(price))
        #expect(number.withoutFloatNoise(digits: digits) == number)
    }

    @Test func `a cut-off exponent never makes another number of a long text`() {
        let zeros = String(repeating: "0", count: 150_000)
        #expect(ExactDecimal("1\(zeros)e-150000") == 1)
        #expect(ExactDecimal("1\(zeros)e-200000") == nil)
        #expect(ExactDecimal("0.\(zeros)1e150001") == 1)
        #expect(ExactDecimal("0.\(zeros)1e100000") == nil)
        #expect(ExactDecimal("\(zeros)42.\(zeros)") == 42)
        #expect(ExactDecimal("1\(zeros)1") == nil)
    }

    @Test func `a significand and a scale meet in lowest terms`() {
        #expect(ExactDecimal(significand: 1500, scale: 2) == 15)
        #expect(ExactDecimal(significand: 15, scale: -2) == 1500)
        #expect(ExactDecimal(significand: 0, scale: .min) == 0)
        #expect(ExactDecimal(significand: 0, scale: .max) == 0)
        #expect(ExactDecimal(significand: 1, scale: .min) == nil)
        #expect(ExactDecimal(significand: .min, scale: -1) == nil)
        #expect(ExactDecimal(significand: .min, scale: .max) == nil)
        #expect(ExactDecimal(significand: .min, scale: 18)?.description == "-9.223372036854775808")
    }

    @Test func `only a number without fraction is whole`() {
        #expect(ExactDecimal("12.00")?.wholeValue == 12)
        #expect(ExactDecimal("12.01")?.wholeValue == nil)
        #expect(ExactDecimal(Int64.min).wholeValue == .min)
    }

    @Test(arguments: [
        ("16.99", "1.99", "15"), ("1", "0.01", "0.99"), ("0", "5", "-5"), ("5", "5.000", "0"),
        // The digits do not fit at the common scale, their difference does.
        ("1000000000000000000", "922337203685477580.7", "77662796314522419.3"),
        ("-9223372036854775808", "-9223372036854775808", "0"), ("-1", "9223372036854775807", "-9223372036854775808"),
    ])
    func `a difference is exact`(_ left: String, _ right: String, _ difference: String) throws {
        let left = try #require(ExactDecimal(left))
        let right = try #require(ExactDecimal(right))
        #expect(left.subtracting(right)?.description == difference)
    }

    @Test func `a difference that does not fit is nil`() throws {
        let smallest = try #require(ExactDecimal("0.000000000000000001"))
        #expect(ExactDecimal(Int64.min).subtracting(1) == nil)
        #expect(ExactDecimal(0).subtracting(ExactDecimal(.min)) == nil)
        #expect(ExactDecimal(Int64.max).subtracting(smallest) == nil)
    }

    @Test(arguments: [
        ("100", "150", 5000), ("100", "50", -5000), ("100", "100", 0), ("200", "201", 50), ("3", "4", 3334),
        ("3", "2", -3334), ("100", "150.001", 5001), ("100", "149.999", 5000), ("0.01", "0.02", 10_000),
        ("-100", "-150", -5000), ("-100", "100", 20_000),
        // Too large for 128 bits on the way.
        ("9000000000000000000", "0.000000000000000001", -10_000),
        ("0.000000000000000001", "9000000000000000000", Int64.max), ("1", "-9223372036854775808", -Int64.max),
    ])
    func `a move is reported in hundredths of a percent, rounded away from zero`(
        _ base: String,
        _ value: String,
        _ points: Int64
    ) throws {
        let base = try #require(ExactDecimal(base))
        let value = try #require(ExactDecimal(value))
        #expect(value.changeInBasisPoints(from: base) == points)
    }

    @Test func `a move from nothing has no percentage`() {
        #expect(ExactDecimal(5).changeInBasisPoints(from: 0) == nil)
        #expect(ExactDecimal(0).changeInBasisPoints(from: 0) == nil)
    }
}

struct ExactDecimalPropertyTests {
    /// A number of every magnitude, the ends of the range among them.
    private func number(_ random: inout SeededGenerator) -> ExactDecimal {
        let significand: Int64 =
            switch Int.random(in: 0..<8, using: &random) {
            case 0: [.min, .max, .min + 1, .max - 1, 0, 1, -1].randomElement(using: &random) ?? 0
            case 1: Int64.random(in: .min ... .max, using: &random)
            case let kind:
                Int64.random(in: -1000...1000, using: &random) * Int64.random(in: 0...1 << kind, using: &random)
            }
        return ExactDecimal(significand: significand, scale: Int.random(in: 0...18, using: &random)) ?? 0
    }

    private func widened(_ number: ExactDecimal, scale: UInt8) -> Int128 {
        (number.scale..<scale).reduce(Int128(number.significand)) { value, _ in value * 10 }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `numbers come back from their text, and compare and subtract as integers do`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let left = number(&random)
            let right = number(&random)
            #expect(ExactDecimal(left.description) == left, "seed \(seed)")
            let scale = max(left.scale, right.scale)
            let wide = (left: widened(left, scale: scale), right: widened(right, scale: scale))
            #expect((left < right) == (wide.left < wide.right), "seed \(seed): \(left) < \(right)")
            #expect((left == right) == (wide.left == wide.right), "seed \(seed): \(left) == \(right)")
            if let difference = left.subtracting(right) {
                #expect(
                    difference.scale <= scale && widened(difference, scale: scale) == wide.left - wide.right,
                    "seed \(seed): \(left) - \(right)"
                )
            } else {
                var rest = wide.left - wide.right
                for _ in 0..<scale where rest % 10 == 0 { rest /= 10 }
                #expect(Int64(exactly: rest) == nil, "seed \(seed): \(left) - \(right) fits")
            }
        }
    }

    @Test func `equal numbers are equal values however they are spelt`() {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<10_000 {
            let value = number(&random)
            let digits = String(value.significand.magnitude)
            let zeros = Int.random(in: 0...30, using: &random)
            let spelling =
                (value.isNegative ? "-" : ["", "+"].randomElement(using: &random) ?? "")
                + String(repeating: "0", count: Int.random(in: 0...5, using: &random)) + digits
                + String(repeating: "0", count: zeros) + "E\(-Int(value.scale) - zeros)"
            #expect(ExactDecimal(spelling) == value, "\(spelling)")
        }
    }

    @Test func `no bytes crash the reader, and what it reads it can write`() {
        var random = SeededGenerator(seed: 5)
        let likely = Array("0123456789+-.eE0000".utf8)
        for _ in 0..<100_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                Int.random(in: 0..<50, using: &random) == 0
                    ? UInt8.random(in: 0...255, using: &random) : likely.randomElement(using: &random) ?? 0
            }
            guard let value = ExactDecimal(ascii: bytes) else { continue }
            #expect(ExactDecimal(value.description) == value, "\(bytes)")
        }
    }
}
