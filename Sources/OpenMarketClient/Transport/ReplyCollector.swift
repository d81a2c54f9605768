import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization

/// Collects a reply of limited size as it arrives.
final class ReplyCollector: HTTPClientResponseDelegate {
    private struct State {
        var head: HTTPResponseHead?
        var body = ByteBuffer()
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// `nil` until a reply begins.
    var status: Int? { state.withLock { ($0.head?.status.code).map { Int($0) } } }

    func didReceiveHead(task: HTTPClient.Task<TransportReply>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let announced = head.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
        state.withLock { state in
            state.head = head
            if announced <= limit { state.body.reserveCapacity(announced) }
        }
        return announced <= limit
            ? task.eventLoop.makeSucceededVoidFuture()
            : task.eventLoop.makeFailedFuture(TransportFailure.tooLarge(limit))
    }

    func didReceiveBodyPart(task: HTTPClient.Task<TransportReply>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        let count = state.withLock { state in
            state.body.writeImmutableBuffer(part)
            return state.body.readableBytes
        }
        return count <= limit
            ? task.eventLoop.makeSucceededVoidFuture()
            : task.eventLoop.makeFailedFuture(TransportFailure.tooLarge(limit))
    }

    func didFinishRequest(task: HTTPClient.Task<TransportReply>) throws -> TransportReply {
        try state.withLock { state in
            guard let head = state.head else { throw HTTPClientError.remoteConnectionClosed }
            return TransportReply(status: Int(head.status.code), headers: head.headers, body: state.body)
        }
    }
}
