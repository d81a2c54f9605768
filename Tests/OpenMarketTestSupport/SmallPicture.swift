/// The smallest valid pictures, each number another one.
enum SmallPicture {
    /// A PNG of one pixel, whose colour is the number.
    static func png(_ number: Int) -> [UInt8] {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let header: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]
        let scanLine: [UInt8] = [0, UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
        return signature + chunk("IHDR", header) + chunk("IDAT", zlibStored(scanLine)) + chunk("IEND", [])
    }

    /// A grey JPEG of 8 by 8 pixels, with the number in its comment.
    static func jpeg(_ number: Int) -> [UInt8] {
        let comment = Array("picture \(number)".utf8)
        return [0xFF, 0xD8] + segment(0xFE, comment)
            // One quantisation table of ones, one component, and the two Huffman tables of a single code each.
            + segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
            + segment(0xC0, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])
            + segment(0xC4, [0x00, 1] + [UInt8](repeating: 0, count: 15) + [0])
            + segment(0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0])
            + segment(0xDA, [1, 1, 0x00, 0, 63, 0])
            // DC difference 0, end of block, filled up with ones.
            + [0x3F, 0xFF, 0xD9]
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count + 2
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + content
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let named = Array(type.utf8) + content
        return bigEndian(UInt32(content.count)) + named + bigEndian(crc32(named))
    }

    /// A zlib stream of one block that is not compressed.
    private static func zlibStored(_ bytes: [UInt8]) -> [UInt8] {
        let length = UInt16(bytes.count)
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        return [0x78, 0x01, 1] + littleEndian(length) + littleEndian(~length) + bytes + bigEndian(high << 16 | low)
    }

    private static func littleEndian(_ value: UInt16) -> [UInt8] {
        [UInt8(value & 0xFF), UInt8(value >> 8)]
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
