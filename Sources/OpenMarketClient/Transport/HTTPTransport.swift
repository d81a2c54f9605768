import AsyncHTTPClient
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import OpenMarket

struct HTTPTransport: Transport {
    let client: HTTPClient
    let requestTimeout: Duration
    let userAgent: String
    /// The event loop of all connections.
    let loop: any EventLoop
    let executor: (any TaskExecutor)?

    init(client: HTTPClient, requestTimeout: Duration, userAgent: String, loop: any EventLoop) {
        self.client = client
        self.requestTimeout = requestTimeout
        self.userAgent = userAgent
        self.loop = loop
        executor = LoopExecutor(loop)
    }

    static func connections(_ configuration: ClientConfiguration) -> HTTPClient.Configuration {
        var result = HTTPClient.Configuration()
        result.timeout = HTTPClient.Configuration.Timeout(
            connect: TimeAmount(configuration.connectTimeout),
            read: TimeAmount(configuration.idleTimeout),
            write: TimeAmount(configuration.idleTimeout)
        )
        // The pool opens eight connections to a host by default.
        result.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = configuration.parallelism
        // An unreachable market is reported at once; only the caller can decide whether another attempt is safe.
        result.connectionPool.retryConnectionEstablishment = false
        // Some servers compress replies without being asked to. Each reply also has its own limit.
        result.decompression = .enabled(limit: .size(configuration.largestReply))
        // No redirect is followed, so credentials are sent only to the market.
        result.redirectConfiguration = .disallow
        result.httpVersion = .http1Only
        // Traces are not collected, and a span for each request costs time.
        result.tracing.tracer = nil
        return result
    }

    // Uses the client's delegate, not its async functions.
    //
    // Those start a task on the global executor for each request, which wakes another thread. That took a third of a
    // small request's CPU time.
    func send(_ wanted: TransportRequest, limit: Int) async throws(TransportFailure) -> TransportReply {
        let progress = SendProgress()
        let collector = ReplyCollector(limit: limit)
        let body = body(of: wanted, progress)
        let start = ContinuousClock.now
        do {
            do throws(MarketURL.Fault) {
                try MarketURL.checkPort(of: wanted.url)
            } catch {
                throw TransportFailure("the URL \(error.message)", mayHaveArrived: false)
            }
            let request = try HTTPClient.Request(
                url: wanted.url,
                method: HTTPMethod(rawValue: wanted.method),
                headers: headers(of: wanted),
                body: body
            )
            let task = client.execute(
                request: request,
                delegate: collector,
                deadline: .now() + TimeAmount(requestTimeout)
            )
            let reply = try await withTaskCancellationHandler {
                try await task.get()
            } onCancel: {
                task.cancel()
            }
            log(wanted, status: reply.status, since: start)
            return reply
        } catch {
            let status = collector.status
            let failure = TransportFailure(
                error,
                input: progress.inputFault,
                mayHaveArrived: status != nil || body == nil || progress.mayHaveArrived,
                status: status
            )
            log(wanted, status: status, since: start, failure: failure)
            throw failure
        }
    }

    private func headers(of wanted: TransportRequest) -> HTTPHeaders {
        var headers = HTTPHeaders(wanted.headers)
        if let contentType = wanted.body.contentType { headers.add(name: "Content-Type", value: contentType) }
        headers.add(name: "User-Agent", value: userAgent)
        headers.add(name: "Accept-Encoding", value: "identity")
        // A cached reply may be older than the last write.
        if wanted.method == "GET" { headers.add(name: "Cache-Control", value: "no-cache") }
        return headers
    }

    private func body(of wanted: TransportRequest, _ progress: SendProgress) -> HTTPClient.Body? {
        guard let stream = wanted.body.stream(progress), let length = wanted.body.byteCount else { return nil }
        let writer = BodyWriter(stream, on: loop)
        return .stream(contentLength: Int64(length)) { writer.write(to: $0) }
    }

    private func log(
        _ request: TransportRequest,
        status: Int?,
        since start: ContinuousClock.Instant,
        failure: TransportFailure? = nil
    ) {
        let logger = Logger.current
        guard logger.logLevel <= .debug else { return }
        let elapsed = (ContinuousClock.now - start) / .milliseconds(1)
        var metadata: Logger.Metadata = [
            "method": "\(request.method)", "url": "\((request.shownURL ?? request.url).masked)",
            "ms": "\(Int(elapsed.rounded()))",
        ]
        metadata["status"] = status.map { "\($0)" }
        metadata["error"] = failure.map { "\($0.message.masked)" }
        logger.debug("request", metadata: metadata)
    }
}
