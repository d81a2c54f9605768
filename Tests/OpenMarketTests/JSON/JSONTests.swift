@testable import OpenMarket
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
}
