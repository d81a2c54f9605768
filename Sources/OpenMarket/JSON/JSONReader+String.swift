extension JSONReader {
    /// Reads a string.
    ///
    /// - Throws: ``JSONError``; of the kind `invalidString` when only its characters are at fault, and then the reader
    ///   stands after it.
    public mutating func readString() throws(JSONError) -> String {
        guard try peek() == .string else { throw JSONError(.typeMismatch, at: position, "expected a string") }
        let (start, end, hasEscapes) = try scanString()
        let raw = UnsafeBufferPointer(start: base + start, count: end - start)
        // Escapes are ASCII, so the raw bytes are UTF-8 just when the string is.
        guard Self.isASCII(raw) || (try? UTF8Span(validating: raw.span)) != nil else {
            throw JSONError(.invalidString, at: start, "a string that is not UTF-8")
        }
        guard hasEscapes else { return String(decoding: raw, as: UTF8.self) }
        var failure: JSONError?
        let text = String(unsafeUninitializedCapacity: raw.count) { target in
            do throws(JSONError) {
                return try Self.unescape(raw, start: start, into: target)
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        return text
    }

    /// Whether no byte has its high bit set, eight bytes at a time.
    private static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = UnsafeRawBufferPointer(bytes)
        var all: UInt64 = 0
        var index = 0
        while index + 8 <= raw.count {
            all |= raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < raw.count {
            all |= UInt64(raw[index])
            index += 1
        }
        return all & 0x8080_8080_8080_8080 == 0
    }

    /// Passes over a string, from its opening quote on.
    ///
    /// - Returns: where its content starts and ends, and whether a backslash is in it.
    mutating func scanString() throws(JSONError) -> (start: Int, end: Int, hasEscapes: Bool) {
        let start = position + 1
        var index = start
        var hasEscapes = false
        while true {
            index = Self.firstSpecial(base, from: index, to: count)
            guard index < count else { throw truncated("the end of a string") }
            switch base[index] {
            case UInt8(ascii: "\""):
                position = index + 1
                return (start, index, hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                index += 2
            default:
                throw JSONError(.unexpected, at: index, "a control character in a string")
            }
        }
    }

    /// The next quote, backslash or control character, eight bytes at a time.
    private static func firstSpecial(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var index = start
        while index + 8 <= end {
            let word = UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let slash = word ^ (ones &* 0x5C)
            // A byte's high bit is set where the byte is zero (or, with the last term, below 0x20).
            let hits =
                ((quote &- ones) & ~quote | (slash &- ones) & ~slash | (word &- ones &* 0x20) & ~word) & highs
            if hits != 0 { return index + hits.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < end {
            let byte = base[index]
            if byte == 0x22 || byte == 0x5C || byte < 0x20 { return index }
            index += 1
        }
        return min(index, max(start, end))
    }

    /// Writes a string's content without its escapes, which never makes it longer; returns its length.
    private static func unescape(
        _ raw: UnsafeBufferPointer<UInt8>,
        start: Int,
        into target: UnsafeMutableBufferPointer<UInt8>
    ) throws(JSONError) -> Int {
        guard let base = raw.baseAddress else { return 0 }
        var index = 0
        var count = 0
        func put(_ byte: UInt8) {
            target[count] = byte
            count += 1
        }
        while index < raw.count {
            // Quotes and control characters stand in no string, so the next special byte is a backslash.
            let run = firstSpecial(base, from: index, to: raw.count)
            _ = UnsafeMutableBufferPointer(rebasing: target[count..<count + run - index])
                .update(fromContentsOf: UnsafeBufferPointer(rebasing: raw[index..<run]))
            count += run - index
            index = run
            guard index < raw.count else { break }
            // The scan stopped at an unescaped quote, so something follows every backslash.
            let escape = raw[index + 1]
            index += 2
            switch escape {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): put(escape)
            case UInt8(ascii: "b"): put(0x08)
            case UInt8(ascii: "f"): put(0x0C)
            case UInt8(ascii: "n"): put(0x0A)
            case UInt8(ascii: "r"): put(0x0D)
            case UInt8(ascii: "t"): put(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = scalar(raw, &index) else {
                    throw JSONError(.invalidString, at: start + index, "a \\u escape that means no character")
                }
                for byte in String(Character(scalar)).utf8 { put(byte) }
            default:
                throw JSONError(.invalidString, at: start + index - 1, "an unknown escape")
            }
        }
        return count
    }

    /// The character of a `\u` escape, or of two that make a surrogate pair; `index` stands after the `u`.
    private static func scalar(_ raw: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Unicode.Scalar? {
        guard let first = hexadecimal(raw, &index) else { return nil }
        guard first & 0xF800 == 0xD800 else { return Unicode.Scalar(first) }
        guard first < 0xDC00, index + 2 <= raw.count, raw[index] == UInt8(ascii: "\\"),
            raw[index + 1] == UInt8(ascii: "u")
        else { return nil }
        index += 2
        guard let second = hexadecimal(raw, &index), second & 0xFC00 == 0xDC00 else { return nil }
        return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF))
    }

    private static func hexadecimal(_ raw: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> UInt32? {
        guard index + 4 <= raw.count else { return nil }
        var value: UInt32 = 0
        for byte in raw[index..<index + 4] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        index += 4
        return value
    }
}
