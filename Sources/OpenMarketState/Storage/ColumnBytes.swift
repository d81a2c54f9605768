import OpenMarket

/// The bytes of one column in the current database row, valid until the next row is read.
@safe
struct ColumnBytes {
    let bytes: UnsafeBufferPointer<UInt8>

    /// The database owns the bytes.
    @unsafe
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.bytes = bytes
    }

    func with<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(bytes.span)
    }

    var text: String { with { $0.text } }
}
