import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Ends connections whose client neither sends the rest of a body nor takes a reply.
///
/// The time for a whole body grows with the bytes that have arrived; only the time in which the server waits for the
/// client counts. A reply must be taken from the socket's buffer before the patience ends.
final class ConnectionPace: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How long a body may take regardless of its size.
    private let patience: TimeAmount
    /// The rate beyond that time, in bytes per second.
    private let minimumRate: Int

    private var isReadingBody = false
    private var bodyBytes = 0
    private var waited = TimeAmount.nanoseconds(0)
    /// Since when the server waits for the client; `nil` while it does not wait.
    private var waitsSince: NIODeadline?
    private var bodyCheck: Scheduled<Void>?
    private var replyCheck: Scheduled<Void>?
    private var isBroken = false

    init(patience: TimeAmount, minimumRate: Int) {
        self.patience = patience
        self.minimumRate = max(1, minimumRate)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        bodyCheck?.cancel()
        replyCheck?.cancel()
    }

    // MARK: Bodies

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // The parser takes a body of unknown encoding for the next request.
            let encodings = head.headerFields[values: .transferEncoding]
            if encodings.contains(where: { $0.lowercased() != "chunked" }) { isBroken = true }
            isReadingBody = true
            bodyBytes = 0
            waited = .nanoseconds(0)
            waitsSince = nil
        case .body(let bytes):
            bodyBytes += bytes.readableBytes
        case .end:
            isReadingBody = false
            bodyCheck?.cancel()
            bodyCheck = nil
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        stopWaiting()
        if isReadingBody, bodyCheck == nil { schedule(context) }
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if isReadingBody, waitsSince == nil { waitsSince = .now() }
        context.read()
    }

    private func stopWaiting() {
        guard let waitsSince else { return }
        waited = waited + (.now() - waitsSince)
        self.waitsSince = nil
    }

    private var remaining: TimeAmount {
        let earned = TimeAmount.nanoseconds(Int64(bodyBytes).multipliedClamped(by: 1_000_000_000) / Int64(minimumRate))
        let waiting = waitsSince.map { .now() - $0 } ?? .nanoseconds(0)
        return patience + earned - waited - waiting
    }

    private func schedule(_ context: ChannelHandlerContext) {
        // This avoids a busy loop if the time is up and the server itself has not read on.
        let pause = max(remaining, min(patience, .milliseconds(10)))
        bodyCheck = context.eventLoop.assumeIsolated().scheduleTask(in: pause) { [self] in
            bodyCheck = nil
            guard isReadingBody else { return }
            if remaining <= .nanoseconds(0) { context.close(promise: nil) } else { schedule(context) }
        }
    }

    // MARK: Replies

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        replyCheck?.cancel()
        replyCheck = nil
        if !context.channel.isWritable {
            replyCheck = context.eventLoop.assumeIsolated().scheduleTask(in: patience) { context.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // It is not known where the next request would begin.
        isBroken = true
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isBroken, case .end = unwrapOutboundIn(data) else {
            context.write(data, promise: promise)
            return
        }
        context.writeAndFlush(data, promise: promise)
        context.close(promise: nil)
    }
}

@available(*, unavailable)
extension ConnectionPace: Sendable {}

extension Int64 {
    fileprivate func multipliedClamped(by factor: Int64) -> Int64 {
        let (result, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max / 2 : result
    }
}
