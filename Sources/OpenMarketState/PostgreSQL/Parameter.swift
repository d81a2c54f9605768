/// A parameter of a statement, as a text that PostgreSQL can hold.
///
/// NUL is replaced in texts: a market's reply may contain one, and must not end a run.
struct Parameter {
    /// The bytes, without NUL; `nil` for NULL.
    let bytes: [UInt8]?

    init(_ text: String?) {
        bytes = text.map(Self.bytes)
    }

    /// A JSON document whose texts are free of NUL.
    init(json: [UInt8]?) {
        bytes = json
    }

    init(_ number: Int64?) {
        bytes = number.map { Array(String($0).utf8) }
    }

    init(_ number: Int) {
        self.init(Int64(number))
    }

    init(_ flag: Bool) {
        self.init(flag ? "t" : "f")
    }

    init(_ numbers: some Sequence<Int64>) {
        self.init("{" + numbers.map { String($0) }.joined(separator: ",") + "}")
    }

    init(_ texts: some Sequence<String>) {
        var array = [UInt8(ascii: "{")]
        for text in texts {
            if array.count > 1 { array.append(UInt8(ascii: ",")) }
            array.append(UInt8(ascii: "\""))
            for byte in Self.bytes(text) {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { array.append(UInt8(ascii: "\\")) }
                array.append(byte)
            }
            array.append(UInt8(ascii: "\""))
        }
        array.append(UInt8(ascii: "}"))
        bytes = array
    }

    /// The bytes of a text, with U+FFFD for each NUL.
    static func bytes(_ text: String) -> [UInt8] {
        text.utf8.contains(0) ? Array(text.withoutNUL.utf8) : Array(text.utf8)
    }
}

extension String {
    /// The text with U+FFFD for each NUL.
    var withoutNUL: String {
        guard utf8.contains(0) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
    }
}
