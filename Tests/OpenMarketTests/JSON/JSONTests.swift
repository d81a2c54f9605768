@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

struct JSONTests {
    @Test func `a tree keeps order, exact numbers and every character`() throws {
        let text = #"{"b":[1,-0.5,6.0E7,1e400,true,false,null],"a":"\"\\\/\b\f\n\r\t\u0001é\ud83d\ude00 책상/","a2":{}}"#
        let value = try JSONValue.parse(Array(text.utf8))
        #expect(
            value
                == .object([
                    JSONValue.Member(
                        "b",
                        .array([
                            .number(1), .number(ExactDecimal("-0.5")!), .number(60_000_000),
                            .unrepresentableNumber("1e400"), .bool(true), .bool(false), .null,
                        ])
                    ),
                    JSONValue.Member("a", .string("\"\\/\u{8}\u{C}\n\r\t\u{1}é😀 책상/")),
                    JSONValue.Member("a2", .object([])),
                ])
        )
        let written =
            #"{"b":[1,-0.5,60000000,1e400,true,false,null],"a":"\"\\/\u0008\u000c\n\r\t\u0001é😀 책상/","a2":{}}"#
        #expect(String(decoding: value.bytes(), as: UTF8.self) == written)
    }

    @Test func `the last of two equal names counts, in a small object and in a large one`() throws {
        for count in [2, 40] {
            let members = (0..<count).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
            let value = try JSONValue.parse(Array("{\(members),\"k0\":\"last\"}".utf8))
            #expect(value["k0"] == .string("last"))
            #expect(value.members?.count == count)
            #expect(value["k1"]?.integer == 1)
        }
    }

    @Test func `what a terminal would obey is escaped, and nothing beside it`() throws {
        let obeyed = "\u{1B}\u{7F}\u{80}\u{9B}\u{9F}\u{202A}\u{202E}\u{2066}\u{2069}"
        let other = "\u{A0}\u{AA}\u{2029}\u{202F}\u{2026}\u{2065}\u{206A}찻잔é"
        let value = JSONValue.string(obeyed + other)
        let escaped = #"\u001b\u007f\u0080\u009b\u009f\u202a\u202e\u2066\u2069"#
        #expect(String(decoding: value.bytes(), as: UTF8.self) == "\"\(escaped)\(other)\"")
        #expect(try JSONValue.parse(value.bytes()) == value)
    }

    @Test func `a pretty text has a line for each member`() {
        let value = JSONValue.object([
            JSONValue.Member("a", .array([.number(1), .object([])])), JSONValue.Member("b", .array([])),
        ])
        #expect(
            String(decoding: value.bytes(pretty: true), as: UTF8.self)
                == """
                {
                  "a": [
                    1,
                    {}
                  ],
                  "b": []
                }
                """
        )
    }

    @Test(arguments: [
        ("", JSONError(.truncated, at: 0, "the text ends; expected a value")),
        ("{", JSONError(.truncated, at: 1, "the text ends; expected a name or '}'")),
        (#"{"a":1,"#, JSONError(.truncated, at: 7, "the text ends; expected a name")),
        (#"{"a":1,}"#, JSONError(.unexpected, at: 7, "expected a name in quotes")),
        ("[1,]", JSONError(.unexpected, at: 3, "expected a value")),
        ("[1 2]", JSONError(.unexpected, at: 3, "expected ',' or ']'")),
        ("[1}", JSONError(.unexpected, at: 2, "expected ',' or ']'")),
        ("01", JSONError(.unexpected, at: 0, "a number that starts with 0")),
        ("1.", JSONError(.truncated, at: 2, "the text ends; expected a digit")),
        ("-", JSONError(.truncated, at: 1, "the text ends; expected a digit")),
        ("1e+", JSONError(.truncated, at: 3, "the text ends; expected a digit")),
        ("NaN", JSONError(.unexpected, at: 0, "expected a value")),
        ("nul", JSONError(.truncated, at: 3, "the text ends; expected null")),
        ("true false", JSONError(.unexpected, at: 5, "expected the end")),
        ("\"a\nb\"", JSONError(.unexpected, at: 2, "a control character in a string")),
        (#""\ud800""#, JSONError(.invalidString, at: 7, #"a \u escape that means no character"#)),
        (#""\x""#, JSONError(.invalidString, at: 2, "an unknown escape")),
        (#""\"#, JSONError(.truncated, at: 2, "the text ends; expected the end of a string")),
    ])
    func `a fault is named with its place`(text: String, expected: JSONError) {
        #expect(throws: expected) { try JSONValue.parse(Array(text.utf8)) }
    }

    @Test func `bytes that are not UTF-8 are a fault of their string alone`() throws {
        let bytes = Array(#"{"a":""#.utf8) + [0xC3, 0x28] + Array(#"","b":7}"#.utf8)
        #expect(throws: JSONError(.invalidString, at: 6, "a string that is not UTF-8")) { try JSONValue.parse(bytes) }
        let second = try JSONReader.read(bytes) { reader throws(JSONError) -> ExactDecimal? in
            try reader.beginObject()
            _ = try reader.nextName()
            do throws(JSONError) {
                _ = try reader.readString()
            } catch  where error.isConfinedToValue {}
            _ = try reader.nextName()
            let number = try reader.readDecimal()
            guard try reader.nextName() == nil else { return nil }
            try reader.finish()
            return number
        }
        #expect(second == 7)
    }

    @Test func `nesting has a limit, read or skipped`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            [UInt8](repeating: UInt8(ascii: "["), count: depth) + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
        }
        _ = try JSONValue.parse(nested(64))
        #expect(throws: JSONError(.tooDeep, at: 64, "nested too deep")) { try JSONValue.parse(nested(65)) }
        #expect(throws: JSONError(.tooDeep, at: 64, "nested too deep")) {
            try JSONReader.read(nested(100_000)) { reader throws(JSONError) in try reader.skipValue() }
        }
    }

    @Test func `a number is read exactly, however it is spelt`() throws {
        for (text, expected) in [
            ("6.0E7", "60000000"), ("1.23123E8", "123123000"), ("0.75", "0.75"), ("1200.0", "1200"), ("-0", "0"),
            ("1620633347.3906322", "1620633347.3906322"), ("1000000000000", "1000000000000"),
            ("100000000000000000000e-20", "1"), ("0.000000000000000000000", "0"), ("5e-1", "0.5"),
            ("123456789012345678", "123456789012345678"),
        ] {
            let value = try JSONReader.read(Array(text.utf8)) { reader throws(JSONError) in try reader.readDecimal() }
            #expect(value?.description == expected, "\(text)")
        }
        for text in ["1e400", "1e-400", "99999999999999999999", "1e99999999999"] {
            let value = try JSONReader.read(Array(text.utf8)) { reader throws(JSONError) in try reader.readDecimal() }
            #expect(value == nil, "\(text)")
        }
    }

    /// Some tree.
    private func tree(_ generator: inout SeededGenerator, depth: Int = 0) -> JSONValue {
        switch Int.random(in: 0..<(depth > 4 ? 5 : 7), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .number(ExactDecimal(Int64.random(in: -999_999...999_999, using: &generator)))
        case 3:
            return .number(
                ExactDecimal(
                    significand: .random(in: -99_999_999...99_999_999, using: &generator),
                    scale: .random(in: 0...9, using: &generator)
                )!
            )
        case 4: return .string(string(&generator))
        case 5:
            let count = Int.random(in: 0...5, using: &generator)
            return .array((0..<count).map { _ in tree(&generator, depth: depth + 1) })
        default:
            let count = Int.random(in: 0...5, using: &generator)
            return .object(
                (0..<count).map { JSONValue.Member("\($0)" + string(&generator), tree(&generator, depth: depth + 1)) }
            )
        }
    }

    private func string(_ generator: inout SeededGenerator) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...20, using: &generator) {
            let value = UInt32.random(in: 0...(Bool.random(using: &generator) ? 0x7F : 0x2FFFF), using: &generator)
            if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
        }
        return text
    }

    @Test func `what is written is read back, plain and pretty`() async throws {
        for seed in 0..<500 as Range<UInt64> {
            // The few threads are shared with tests that wait for answers.
            await Task.yield()
            var generator = SeededGenerator(seed: seed)
            let value = tree(&generator)
            #expect(try JSONValue.parse(value.bytes()) == value, "seed \(seed)")
            #expect(try JSONValue.parse(value.bytes(pretty: true)) == value, "seed \(seed)")
        }
    }

    @Test func `no bytes whatever crash the reader, and skipping agrees with reading`() async throws {
        for seed in 0..<2_000 as Range<UInt64> {
            // The few threads are shared with tests that wait for answers.
            await Task.yield()
            var generator = SeededGenerator(seed: seed)
            var bytes = tree(&generator).bytes(pretty: .random(using: &generator))
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[index] = .random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(Array("{}[]\",:\\0e-.u".utf8).randomElement(using: &generator)!, at: index)
                default: bytes.removeSubrange(index...)
                }
            }
            let parsed = Result { try JSONValue.parse(bytes) }
            let skipped = Result {
                try JSONReader.read(bytes) { reader throws(JSONError) in
                    try reader.skipValue()
                    try reader.finish()
                }
            }
            // Skipping looks at the grammar alone, so it may let a bad string pass, and nothing else.
            switch (parsed, skipped) {
            case (.success, .failure(let error)): Issue.record("seed \(seed): skipping fails with \(error)")
            case (.failure(let error as JSONError), .success) where error.kind != .invalidString:
                Issue.record("seed \(seed): reading fails with \(error), skipping does not")
            default: break
            }
        }
    }
}
