import FoundationEssentials
import OpenMarket

/// A time-based UUID of version 1, which v2 uses for pictures, delete keys and vendors.
///
/// The clock sequence and the node are random, as RFC 9562 permits, so two of the same instant differ.
struct TimeUUID: Hashable, Sendable {
    /// 32 lower-case hexadecimal digits.
    let digits: String

    static func make(at epochSeconds: Double = Date().timeIntervalSince1970) -> TimeUUID {
        // 100 ns since 1582-10-15.
        let ticks = UInt64(max(0, epochSeconds) * 10_000_000) + 122_192_928_000_000_000
        let low = ticks & 0xFFFF_FFFF
        let middle = (ticks >> 32) & 0xFFFF
        let high = (ticks >> 48) & 0x0FFF | 0x1000
        let tail = UInt64.random(in: .min ... .max) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0100_0000_0000
        return TimeUUID(digits: hex(low, 8) + hex(middle, 4) + hex(high, 4) + hex(tail, 16))
    }

    /// Creates a UUID of the same form from at least 16 computed bytes.
    init(derivedFrom bytes: [UInt8]) {
        var bytes = Array(bytes.prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x10
        bytes[8] = bytes[8] & 0x3F | 0x80
        digits = bytes.map { Self.hex(UInt64($0), 2) }.joined()
    }

    private init(digits: String) {
        self.digits = digits
    }

    /// The usual spelling: 8-4-4-4-12.
    var dashed: String { Self.dashed(digits) }

    static func dashed(_ digits: String) -> String {
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index == 8 || index == 12 || index == 16 || index == 20 { result += "-" }
            result.append(digit)
        }
        return result
    }

    private static func hex(_ value: UInt64, _ width: Int) -> String { String(value, radix: 16, width: width) }
}
