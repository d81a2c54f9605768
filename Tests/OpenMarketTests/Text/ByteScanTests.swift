@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarket

/// What reads eight bytes at a time, beside what reads one.
struct ByteScanTests {
    /// Pieces of UTF-8: characters of each length, the first and last of each range, and what only looks like it.
    private static let pieces: [[UInt8]] =
        ["a", "\"", "\n", "\u{7F}", "\u{80}", "é", "\u{7FF}", "\u{800}", "한", "\u{D7FF}", "\u{E000}", "\u{FFFF}"]
        .map { Array($0.utf8) } + ["\u{10000}", "😀", "\u{10FFFF}", "desk lamp", "책상 조명 두 개"].map { Array($0.utf8) } + [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x9F, 0xBF], [0xE1, 0x80], [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF1, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFF],
        ]

    @Test func `every sequence of up to three bytes is judged as the standard library does`() {
        for first in 0x7E...0xFF as ClosedRange<UInt8> {
            for second in 0...0xFF as ClosedRange<UInt8> where second % 3 == 0 || second & 0x0F == 0x0F {
                for third in [0x00, 0x7F, 0x80, 0x8F, 0x90, 0xBF, 0xC0] as [UInt8] {
                    for bytes in [[first, second], [first, second, third], [first, second, third, 0x80]] {
                        let expected = String(validating: bytes, as: UTF8.self) != nil
                        let found = bytes.withUnsafeBufferPointer { isUTF8($0) }
                        if found != expected { Issue.record("\(bytes)") }
                    }
                }
            }
        }
    }

    @Test func `a character is judged wherever it is in a longer text`() {
        let fills: [[UInt8]] = ["a", "한", "é", "😀"].map { Array($0.utf8) }
        for piece in Self.pieces + [[0xF4, 0x8F, 0xBF, 0xBF], [0xED, 0x9F, 0xBF], [0xEF, 0xBF], [0xF0, 0x9F, 0x98]] {
            for fill in fills {
                let text = [UInt8](repeatElement(fill, count: 60).joined().prefix(60))
                for place in 0...(text.count - piece.count) {
                    var bytes = text
                    bytes.replaceSubrange(place..<place + piece.count, with: piece)
                    let expected = String(validating: bytes, as: UTF8.self) != nil
                    if bytes.withUnsafeBufferPointer({ isUTF8($0) }) != expected { Issue.record("\(bytes)") }
                }
            }
        }
    }

    @Test func `the first special byte of a string is found wherever it is`() {
        for seed in 0..<5_000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let letters: [UInt8] = [0x00, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0x9C, 0xA2, 0xFF]
            let bytes = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                Int.random(in: 0..<4, using: &generator) == 0 ? letters.randomElement(using: &generator)! : 0x61
            }
            let start = Int.random(in: 0..<bytes.count, using: &generator)
            let expected = bytes[start...].firstIndex { $0 == 0x22 || $0 == 0x5C || $0 < 0x20 } ?? bytes.count
            let found = bytes.withUnsafeBufferPointer { JSONReader.firstSpecial($0, from: start) }
            #expect(found == expected, "seed \(seed)")
        }
    }

    @Test func `two texts are the same when each byte is`() {
        for count in 0...40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37) }
            // Not at the start of a word, and with other bytes on either side.
            for place in -1..<count {
                var (left, right) = ([1] + bytes + [2], [3, 4] + bytes + [5])
                if place >= 0 { right[place + 2] ^= 0x80 }
                left.withUnsafeMutableBufferPointer { left in
                    right.withUnsafeMutableBufferPointer { right in
                        guard let left = left.baseAddress, let right = right.baseAddress else { return }
                        #expect(haveSameBytes(left + 1, right + 2, count: count) == (place < 0), "\(place) of \(count)")
                    }
                }
                let texts = (bytes.map { $0 & 0x7F }, bytes.enumerated().map { ($1 ^ ($0 == place ? 1 : 0)) & 0x7F })
                let isSame = String(decoding: texts.0, as: UTF8.self).isExactly(
                    String(decoding: texts.1, as: UTF8.self)
                )
                #expect(isSame == (place < 0))
            }
        }
    }
}
