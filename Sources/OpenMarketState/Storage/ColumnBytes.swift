import OpenMarket

/// The bytes of one column in the row that a database has just read: valid until it reads the next one.
@safe
struct ColumnBytes {
    let bytes: UnsafeBufferPointer<UInt8>

    /// Bytes that the database keeps.
    @unsafe
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.bytes = bytes
    }

    /// Lends the bytes.
    ///
    /// - Throws: what `body` throws.
    func with<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(bytes.span)
    }

    /// The text that they are in UTF-8.
    var text: String { with { $0.text } }
}
