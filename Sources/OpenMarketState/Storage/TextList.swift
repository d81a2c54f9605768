import OpenMarket

/// Several texts in one column, one per line.
enum TextList {
    /// Joins texts and escapes line breaks inside them; an empty list is an empty column.
    static func joined(_ texts: some Sequence<String>) -> String {
        var bytes: [UInt8] = []
        for text in texts {
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "\\"): bytes += [byte, byte]
                case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
                default: bytes.append(byte)
                }
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads the output of ``joined(_:)`` and converts each text; `nil` if a text cannot be converted.
    ///
    /// Works on the bytes: a state of 100 000 products contains half a million of these texts.
    static func split<Value>(_ column: String, _ value: (String) -> Value?) -> [Value]? {
        column.withUTF8Span { bytes in
            var values: [Value] = []
            var start = 0
            var isEscaped = false
            for index in bytes.indices {
                let byte = bytes[index]
                if byte == UInt8(ascii: "\\") { isEscaped = true }
                guard byte == UInt8(ascii: "\n") else { continue }
                let line = bytes.extracting(start..<index)
                guard let value = value(isEscaped ? unescaped(line) : line.text) else {
                    return nil
                }
                values.append(value)
                start = index + 1
                isEscaped = false
            }
            return start == bytes.count ? values : nil
        }
    }

    private static func unescaped(_ line: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        var isEscaped = false
        for index in line.indices {
            let byte = line[index]
            if isEscaped {
                bytes.append(byte == UInt8(ascii: "n") ? UInt8(ascii: "\n") : byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
