import AsyncHTTPClient
import NIOCore
import Synchronization

/// Passes the pieces of a body to the HTTP client, each after the previous one.
final class BodyWriter: Sendable {
    private let stream: Mutex<BodyStream>
    private let loop: any EventLoop

    init(_ stream: BodyStream, on loop: any EventLoop) {
        self.stream = Mutex(stream)
        self.loop = loop
    }

    func write(to writer: HTTPClient.Body.StreamWriter) -> EventLoopFuture<Void> {
        let next = stream.withLock { stream in
            Result { try stream.next() }.map { (piece: $0, isLast: stream.isAtEnd) }
        }
        switch next {
        case .failure(let error): return loop.makeFailedFuture(error)
        case .success((nil, _)): return loop.makeSucceededVoidFuture()
        case .success((let piece?, let isLast)):
            let written = writer.write(.byteBuffer(piece))
            // The loop runs the next write, so that a fast market neither overflows the stack nor delays the other
            // connections.
            return isLast ? written : written.flatMap { self.loop.flatSubmit { self.write(to: writer) } }
        }
    }
}
