extension StringProtocol {
    /// The text as a path segment or a query value.
    ///
    /// Encodes all but the unreserved characters of RFC 3986.
    package var percentEncoded: String { percentEncoded { $0.isUnreserved } }

    /// The text with `%` and two digits for each byte that is not kept.
    package func percentEncoded(keeping isKept: (UInt8) -> Bool) -> String {
        guard !utf8.allSatisfy(isKept) else { return String(self) }
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in utf8 {
            bytes += isKept(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The decoded bytes, and whether two digits follow each `%`; a `%` without them stays.
    package var percentDecodedBytes: (bytes: [UInt8], isWellFormed: Bool) {
        var bytes: [UInt8] = []
        var isWellFormed = true
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if digits.count == 2 {
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
                isWellFormed = false
            }
        }
        return (bytes, isWellFormed)
    }

    package var percentDecoded: String { String(decoding: percentDecodedBytes.bytes, as: UTF8.self) }
}

extension UInt8 {
    /// Whether RFC 3986 leaves the character unencoded everywhere.
    package var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
