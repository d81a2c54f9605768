/// Writes rows for a `COPY … FROM STDIN (FORMAT binary)`.
struct CopyWriter {
    private var bytes: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)

    /// The number of bytes ready to take.
    var count: Int { bytes.count }

    /// Returns and removes the bytes written since the last call.
    mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    mutating func row(columns: Int16) { append(columns) }

    mutating func integer(_ value: Int64) {
        append(Int32(8))
        append(value)
    }

    mutating func integer(_ value: Int32) {
        append(Int32(4))
        append(value)
    }

    mutating func text(_ text: String) {
        let text = text.withoutNUL
        append(Int32(text.utf8.count))
        bytes += text.utf8
    }

    mutating func trailer() { append(Int16(-1)) }

    private mutating func append(_ value: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes += $0 }
    }
}
