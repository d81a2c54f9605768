import NIOCore

/// A request's body in memory whose taking is noted, as ``BodyStream`` does it for one that is streamed.
///
/// Whole bodies spare the client a task, and a walk between threads for every piece.
struct WatchedBody: RandomAccessCollection, Sendable {
    let buffer: ByteBuffer
    let progress: SendProgress

    var startIndex: Int { buffer.readerIndex }
    var endIndex: Int { buffer.writerIndex }

    subscript(position: Int) -> UInt8 {
        progress.bodyIsAskedFor()
        return buffer.readableBytesView[position]
    }

    func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        progress.bodyIsAskedFor()
        return try buffer.readableBytesView.withContiguousStorageIfAvailable(body)
    }
}
