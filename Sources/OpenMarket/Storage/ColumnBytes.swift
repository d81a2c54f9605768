/// The bytes of one column in the row that a database has just read: valid until it reads the next one.
@safe
package struct ColumnBytes {
    let bytes: UnsafeBufferPointer<UInt8>

    /// Bytes that the database keeps.
    @unsafe
    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.bytes = bytes
    }

    /// Lends the bytes.
    ///
    /// - Throws: what `body` throws.
    package func with<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(bytes.span)
    }

    /// The text that they are in UTF-8.
    package var text: String { with { $0.text } }
}
