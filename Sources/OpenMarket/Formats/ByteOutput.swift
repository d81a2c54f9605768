/// An append-only buffer of bytes.
///
/// Hot: an export writes millions of short pieces. `[UInt8]` checks uniqueness, capacity and the length of the new
/// piece at each append; here each piece checks once.
struct ByteOutput: Sendable {
    /// The bytes, followed by spare capacity.
    private var room: [UInt8] = []
    private(set) var count = 0

    var bytes: [UInt8] { Array(room[..<count]) }

    /// Returns the bytes and removes them.
    mutating func take() -> [UInt8] {
        room.removeLast(room.count - count)
        count = 0
        defer { room = [] }
        return room
    }

    mutating func reserve(_ wanted: Int) {
        guard room.count - count < wanted else { return }
        // A product has less than 4 KB, a page of products about 30: both need few reallocations.
        room.append(contentsOf: repeatElement(0, count: max(wanted, 3 * room.count, 4096)))
    }

    /// Appends up to `most` bytes; `body` returns how many it wrote.
    @inline(__always)
    mutating func append(atMost most: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        reserve(most)
        unsafe count += room.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe body($0 + count) } ?? 0
        }
    }

    mutating func append(_ byte: UInt8) {
        unsafe append(atMost: 1) { target in
            unsafe target.pointee = byte
            return 1
        }
    }
}

extension UnsafeMutablePointer<UInt8> {
    /// Writes a decimal number; returns the number of bytes, 20 at most.
    func write(_ number: Int64) -> Int {
        guard number < 0 else { return unsafe write(number.magnitude) }
        unsafe pointee = UInt8(ascii: "-")
        return unsafe 1 + (self + 1).write(number.magnitude)
    }

    /// Writes a decimal number, padded with zeros to at least `least` digits; returns the number of bytes.
    func write(_ number: UInt64, digits least: Int = 1) -> Int {
        var count = 1
        var rest = number / 10
        while rest > 0 {
            rest /= 10
            count += 1
        }
        count = Swift.max(count, least)
        rest = number
        for index in stride(from: count - 1, through: 0, by: -1) {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            unsafe self[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
            rest = quotient
        }
        return count
    }

    /// Writes the `description`; returns the number of bytes, 22 at most.
    func write(_ decimal: ExactDecimal) -> Int {
        guard decimal.scale > 0 else { return unsafe write(decimal.significand) }
        var target = unsafe self
        if decimal.isNegative {
            unsafe target.pointee = UInt8(ascii: "-")
            unsafe target += 1
        }
        let places = Int(decimal.scale)
        let count = unsafe target.write(decimal.significand.magnitude, digits: places + 1)
        let point = unsafe target + (count - places)
        unsafe (point + 1).update(from: point, count: places)
        unsafe point.pointee = UInt8(ascii: ".")
        return unsafe target + count + 1 - self
    }
}
