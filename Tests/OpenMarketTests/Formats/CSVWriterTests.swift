@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarket

/// Fields as they are written, beside fields that are put together from strings.
struct CSVWriterTests {
    private static func field(_ text: String?, delimiter: Character) -> String {
        guard let text else { return "" }
        let special: [UInt8] = Array("\"\n\r".utf8) + Array(String(delimiter).utf8)
        guard text.isEmpty || text.utf8.contains(where: special.contains) else { return text }
        let doubled = text.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }
        return "\"" + doubled.joined() + "\""
    }

    @Test(arguments: [",", "\t", ";"] as [Character])
    func `texts are quoted as character by character, wherever the special one is`(delimiter: Character) {
        let letters: [Unicode.Scalar] = [
            "\"", ",", "\t", ";", "\r", "\n", "-", "+", "!", "#", "\u{8}", "\u{A2}", "램", "🛋",
        ]
        for seed in 0..<5_000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let fields: [String?] = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                guard Int.random(in: 0..<8, using: &generator) > 0 else { return nil }
                var text = String.UnicodeScalarView()
                for _ in 0..<Int.random(in: 0...30, using: &generator) {
                    let isPlain = Int.random(in: 0..<10, using: &generator) > 0
                    text.append(isPlain ? "x" : letters.randomElement(using: &generator)!)
                }
                return String(text)
            }
            var writer = CSVWriter(delimiter: delimiter.asciiValue!)
            for field in fields { writer.append(field) }
            writer.endRecord()
            let expected = fields.map { Self.field($0, delimiter: delimiter) }.joined(separator: String(delimiter))
            #expect(writer.takeBytes() == Array((expected + "\r\n").utf8), "seed \(seed)")
            #expect(writer.takeBytes() == [])
        }
    }

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
