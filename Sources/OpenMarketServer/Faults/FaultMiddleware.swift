import HTTPTypes
import Hummingbird
import NIOCore

struct FaultMiddleware: RouterMiddleware {
    let control: FaultControl
    let shop: Shop
    let generations: [Generation]

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        guard !request.uri.path.hasPrefix("/_") else { return try await next(request, context) }
        let isWriting = request.method != .get && request.method != .head
        let (firings, entry) = control.begin(
            method: request.method.rawValue,
            path: request.uri.path,
            logged: isWriting ? request.loggablePath : nil
        )
        guard !firings.isEmpty else {
            let response = try await next(request, context)
            control.answered(entry, status: response.status.code)
            return response
        }
        for case .latency(let duration) in firings.map(\.fault) { try await Task.sleep(for: duration) }
        if let reply = try await replacement(firings, .before, context.channel) { return reply }
        var response = try await next(request, context)
        control.answered(entry, status: response.status.code)
        for firing in firings {
            switch firing.fault {
            case .unsettled(let reads):
                if let product = context.changedProduct.value { control.unsettle(product, reads: reads) }
            case .appear(let rows):
                for generation in generations { try await shop.appear(rows, generation) }
            case .vanish(let rows):
                for generation in generations { try await shop.vanish(rows, generation, random: firing.random) }
            default: break
            }
        }
        if let reply = try await replacement(firings, .after, context.channel) { return reply }
        let channel = context.channel
        for firing in firings {
            switch firing.fault {
            case .cutReply(let bytes): response = try await shortened(response, to: bytes) { await cut(channel) }
            case .truncate(let bytes): response = try await shortened(response, to: bytes) { await close(channel) }
            case .slow(let bytes, let pause): response = try await slowed(response, chunk: bytes, pause: pause)
            default: break
            }
        }
        return response
    }

    /// The reply that replaces the market's, before or after the market does anything.
    private func replacement(
        _ firings: [FaultSchedule.Firing],
        _ moment: Fault.Moment,
        _ channel: any Channel
    ) async throws -> Response? {
        for firing in firings {
            switch firing.fault {
            case .status(let code, let retryAfter, moment): return failure(code, retryAfter)
            case .cut(moment): throw await cut(channel)
            case .page(moment): return WireReply(.ok, page: "Welcome").response
            default: break
            }
        }
        return nil
    }

    private func failure(_ code: Int, _ retryAfter: Fault.RetryAfter?) -> Response {
        // The market itself refuses a request; a proxy in front of it reports failures.
        let status = HTTPResponse.Status(code: code)
        let reply =
            (400..<500).contains(code)
            ? WireReply(status) { $0.member("message", "a fault: \(code)") } : WireReply(status, page: "\(code)")
        var response = reply.response
        switch retryAfter {
        case nil: break
        case .seconds(let seconds): response.headers[.retryAfter] = String(seconds)
        case .date(let seconds):
            response.headers[.retryAfter] = CalendarDay.httpDate(shop.clock() + Double(seconds))
        }
        return response
    }

    // MARK: Bodies

    private func shortened(
        _ response: Response,
        to bytes: Int,
        end: @escaping @Sendable () async -> ConnectionCut
    ) async throws -> Response {
        let whole = try await bytesOfBody(response)
        let part = whole.getSlice(at: whole.readerIndex, length: min(bytes, whole.readableBytes)) ?? ByteBuffer()
        return replacing(response, length: whole.readableBytes) { writer in
            try await writer.write(part)
            throw await end()
        }
    }

    private func slowed(_ response: Response, chunk: Int, pause: Duration) async throws -> Response {
        let whole = try await bytesOfBody(response)
        return replacing(response, length: whole.readableBytes) { writer in
            var rest = whole
            while rest.readableBytes > 0 {
                try await Task.sleep(for: pause)
                guard let piece = rest.readSlice(length: min(max(1, chunk), rest.readableBytes)) else { break }
                try await writer.write(piece)
            }
            try await writer.finish(nil)
        }
    }

    private func replacing(
        _ response: Response,
        length: Int,
        _ write: @escaping @concurrent @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        Response(
            status: response.status,
            headers: response.headers,
            body: ResponseBody(contentLength: length, write)
        )
    }

    private func bytesOfBody(_ response: Response) async throws -> ByteBuffer {
        let collector = BodyCollector()
        try await response.body.write(collector)
        return collector.bytes
    }

    // MARK: Connections

    /// Resets a connection: unsent data is discarded, and the client gets an error instead of the end.
    private func cut(_ channel: any Channel) async -> ConnectionCut {
        if let socket = channel as? any SocketOptionProvider {
            // If it fails, the connection is closed normally, which is still a fault.
            try? await socket.unsafeSetSocketOption(level: .socket, name: .so_linger, value: LingerNot()).get()
        }
        return await close(channel)
    }

    private func close(_ channel: any Channel) async -> ConnectionCut {
        // The client may have closed it already.
        try? await channel.close().get()
        return ConnectionCut()
    }
}

/// C's `struct linger`, switched on with a time of zero, so that closing resets the connection.
///
/// NIO does not export the original.
private struct LingerNot {
    var isOn: CInt = 1
    var seconds: CInt = 0
}

struct ConnectionCut: Error {}

private final class BodyCollector: ResponseBodyWriter {
    private(set) var bytes = ByteBuffer()

    func write(_ buffer: ByteBuffer) async throws {
        bytes.writeImmutableBuffer(buffer)
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
