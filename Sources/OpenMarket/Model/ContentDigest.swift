/// The SHA-256 of a picture, a manifest or other bytes.
///
/// Only a value: the reader of the bytes hashes them, so the core is free of cryptography.
package struct ContentDigest: Hashable, Sendable, CustomStringConvertible {
    /// 64 lower-case hexadecimal digits.
    package let hexadecimal: String

    /// `nil` unless the text is 64 hexadecimal digits.
    package init?(hexadecimal: String) {
        guard hexadecimal.utf8.count == 64,
            hexadecimal.utf8.allSatisfy({
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            })
        else { return nil }
        self.hexadecimal = hexadecimal
    }

    /// Takes 32 bytes, as hash functions return them.
    package init(bytes: some Sequence<UInt8>) {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(64)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        self.hexadecimal = String(decoding: text, as: UTF8.self)
    }

    /// Takes 32 bytes.
    init(bytes: Span<UInt8>) {
        self.init(bytes: Array(bytes))
    }

    /// `nil` unless the digest was created from 32 bytes.
    var bytes: [UInt8]? {
        guard hexadecimal.utf8.count == 64 else { return nil }
        let digits = hexadecimal.utf8.map { digit in
            digit - (digit <= UInt8(ascii: "9") ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
        }
        return stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// The first 12 digits, enough to distinguish pictures on a screen.
    package var abbreviated: String { String(hexadecimal.prefix(12)) }

    package var description: String { hexadecimal }
}
