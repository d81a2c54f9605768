@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarket

struct CSVWriterTests {
    @Test func `numbers are written as they are described`() throws {
        let edges: [Int64] = [0, 9, 10, 99, 100, -1, -10, .max, .min, 999_999_999_999_999_999]
        for seed in 0..<20_000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let digits = Int64.random(in: .min ... .max, using: &generator) >> Int.random(in: 0...63, using: &generator)
            let number = Bool.random(using: &generator) ? digits : edges.randomElement(using: &generator)!
            let decimal = ExactDecimal(significand: number, scale: .random(in: 0...18, using: &generator))
            var writer = CSVWriter()
            writer.put(number)
            writer.put(try #require(decimal))
            let expected = "\(number),\(try #require(decimal))"
            #expect(String(decoding: writer.takeBytes(), as: UTF8.self) == expected, "seed \(seed)")
        }
    }
}
