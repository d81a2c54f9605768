import AsyncHTTPClient
import NIOCore
import Synchronization

/// Passes a body to the HTTP client in pieces, each after the previous one, so that a slow connection is not idle.
final class BodyWriter: Sendable {
    private let rest: Mutex<ByteBuffer>
    private let progress: SendProgress
    private let loop: any EventLoop

    private static let pieceSize = 512 << 10

    init(_ bytes: ByteBuffer, _ progress: SendProgress, on loop: any EventLoop) {
        rest = Mutex(bytes)
        self.progress = progress
        self.loop = loop
    }

    func write(to writer: HTTPClient.Body.StreamWriter) -> EventLoopFuture<Void> {
        progress.bodyIsAskedFor()
        let (piece, isLast) = rest.withLock { rest in
            let piece = rest.readSlice(length: min(rest.readableBytes, Self.pieceSize))
            return (piece, isLast: rest.readableBytes == 0)
        }
        guard let piece else { return loop.makeSucceededVoidFuture() }
        let written = writer.write(.byteBuffer(piece))
        // The loop runs the next write, so that a fast market neither overflows the stack nor delays the other
        // connections.
        return isLast ? written : written.flatMap { self.loop.flatSubmit { self.write(to: writer) } }
    }
}
