import FoundationEssentials
import Testing

/// The inputs that the fuzzers start from, for the ordinary tests: each as it is, and mutated from a seed.
enum FuzzCorpus {
    /// Feeds a parser every file of its corpus and `rounds` mutations of each.
    ///
    /// The closure reads the bytes and says what is wrong with the parser, not with the bytes.
    static func replay(
        _ parser: String,
        rounds: Int = 150,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ fault: ([UInt8]) throws -> String?
    ) throws {
        let inputs = try files(of: parser)
        #expect(!inputs.isEmpty, "no corpus", sourceLocation: sourceLocation)
        for (number, input) in inputs.enumerated() {
            if let words = try fault(input.bytes) {
                Issue.record("\(parser)/\(input.name): \(words)", sourceLocation: sourceLocation)
            }
            for round in 0..<rounds {
                var generator = SeededGenerator(seed: UInt64(number) << 32 | UInt64(round))
                let other = inputs.randomElement(using: &generator)?.bytes ?? []
                let bytes = mutated(input.bytes, with: other, &generator)
                if let words = try fault(bytes) {
                    let text = Data(bytes).base64EncodedString()
                    Issue.record(
                        "\(parser)/\(input.name), round \(round): \(words): \(text)",
                        sourceLocation: sourceLocation
                    )
                }
            }
        }
    }

    /// The folder of a parser's corpus.
    static func folder(of parser: String) -> String {
        // The system resolves `..`, so that a package that links to this folder finds it, too.
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
        return here + "/../Fuzzing/Corpus/" + parser
    }

    private static func files(of parser: String) throws -> [(name: String, bytes: [UInt8])] {
        let folder = folder(of: parser)
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { name in
            (name, [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))))
        }
    }

    /// One to eight small accidents.
    private static func mutated(
        _ bytes: [UInt8],
        with other: [UInt8],
        _ generator: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, place + Int.random(in: 1...32, using: &generator))
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: bytes.insert(.random(in: 0...255, using: &generator), at: place)
            case 1: bytes.insert(spice.randomElement(using: &generator) ?? 0, at: place)
            case 2 where place < end: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 3: bytes.removeSubrange(place..<end)
            case 4: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 5: bytes.insert(contentsOf: words.randomElement(using: &generator)?.utf8 ?? "".utf8, at: place)
            case 6:
                let start = Int.random(in: 0...other.count, using: &generator)
                bytes.insert(contentsOf: other[start...].prefix(64), at: place)
            default: if bytes.count > 8 { bytes.removeLast(Int.random(in: 1...8, using: &generator)) }
            }
        }
        return bytes
    }

    /// Characters with a meaning somewhere.
    private static let spice = Array("[]{}&*!|>'\"%@`:;=,-?#\t\n\r \\<~\u{0}\u{85}\u{FEFF}0".utf8)

    /// Values at which numbers, names and nestings go wrong.
    private static let words = [
        "9223372036854775807", "-9223372036854775808", "1e400", "1E-400", "0.000000000000000000001", "-0", "null",
        "\\ud800", "\\u0000", "[[[[[[[[", "{\"a\":", "\r\n--", "--\r\n", "\r\n\r\n", "<<: *a\n", "!env ", "- &a ",
        "\u{FFFD}",
    ]
}
