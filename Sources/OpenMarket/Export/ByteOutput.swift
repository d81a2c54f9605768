/// Bytes that are written one behind the other.
///
/// Hot: an export writes millions of short pieces. `[UInt8]` asks at each append whether the memory is its own, whether
/// there is room, and how long what comes is; here a piece asks once and writes where it wants.
struct ByteOutput: Sendable {
    /// The bytes, with room behind them.
    private var room: [UInt8] = []
    /// How many bytes there are.
    private(set) var count = 0

    var bytes: [UInt8] { Array(room[..<count]) }

    /// Gives the bytes away.
    mutating func take() -> [UInt8] {
        room.removeLast(room.count - count)
        count = 0
        defer { room = [] }
        return room
    }

    /// Makes room for so many bytes.
    mutating func reserve(_ wanted: Int) {
        guard room.count - count < wanted else { return }
        // One product has less than 4 KB, a page of them some 30: both take few steps.
        room.append(contentsOf: repeatElement(0, count: max(wanted, 3 * room.count, 4096)))
    }

    /// Writes at the end, at most so many bytes; `body` says how many it wrote.
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
    /// Writes a number in decimal; returns how many bytes that took, 20 at most.
    func write(_ number: Int64) -> Int {
        guard number < 0 else { return unsafe write(number.magnitude) }
        unsafe pointee = UInt8(ascii: "-")
        return unsafe 1 + (self + 1).write(number.magnitude)
    }

    /// Writes a number in decimal, with zeros in front up to so many digits; returns how many bytes that took.
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

    /// Writes a decimal as its `description` has it; returns how many bytes that took, 22 at most.
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
