import OpenMarket

/// A row of a `COPY … TO STDOUT (FORMAT binary)`.
@safe struct CopiedRow {
    private let buffer: UnsafeBufferPointer<UInt8>
    private var position: Int

    /// The fields of a row; `nil` for the trailer.
    ///
    /// Throws ``UnreadableValue``.
    init?(_ bytes: UnsafeBufferPointer<UInt8>, columns: Int) throws {
        unsafe buffer = bytes
        // A header precedes the first row: the signature, the flags and the length of an extension.
        let signature: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]
        position = 0
        if unsafe bytes.starts(with: signature) {
            position = signature.count + 4
            let extensionLength = unsafe try Self.integer(bytes.span, &position, 4)
            position += Int(extensionLength)
        }
        let count = unsafe try Self.integer(bytes.span, &position, 2)
        if count == -1 { return nil }
        guard count == columns else { throw UnreadableValue(reason: "a row has \(count) columns") }
    }

    fileprivate static func integer(
        _ bytes: Span<UInt8>,
        _ position: inout Int,
        _ width: Int
    ) throws -> Int64 {
        guard bytes.count - position >= width else { throw UnreadableValue(reason: "a row ends too early") }
        var value = Int64(Int8(bitPattern: bytes[position]))
        for offset in 1..<max(1, width) { value = value << 8 | Int64(bytes[position + offset]) }
        position += width
        return value
    }

    /// The next field's bytes; `nil` for NULL.
    mutating func bytes() throws -> ColumnBytes? {
        let count = unsafe Int(try Self.integer(buffer.span, &position, 4))
        guard count >= 0 else { return nil }
        guard unsafe buffer.count - position >= count else { throw UnreadableValue(reason: "a row ends too early") }
        defer { position += count }
        return unsafe ColumnBytes(UnsafeBufferPointer(rebasing: buffer[position..<position + count]))
    }

    /// The next field, a text that is not NULL.
    mutating func text() throws -> ColumnBytes {
        guard let field = try bytes() else { throw UnreadableValue(reason: "a value is missing") }
        return field
    }
}

extension ColumnBytes {
    /// A big-endian number of 8 bytes; throws ``UnreadableValue`` if there are fewer.
    func integer() throws -> Int64 {
        var start = 0
        return try with { try CopiedRow.integer($0, &start, 8) }
    }

    /// Throws ``UnreadableValue``.
    func product() throws -> MarketID {
        if let number = with({ Self.number($0) }) { return .number(number) }
        guard let id = MarketID(column: text) else {
            throw UnreadableValue(reason: "the id of a product is neither a number nor a text")
        }
        return id
    }

    /// Fast path: the number that the digits spell; `nil` means undecided.
    private static func number(_ bytes: Span<UInt8>) -> Int64? {
        guard (1...18).contains(bytes.count) else { return nil }
        var number: Int64 = 0
        for index in bytes.indices {
            let byte = bytes[index]
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return number
    }
}
