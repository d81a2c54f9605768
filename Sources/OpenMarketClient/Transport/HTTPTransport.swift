import AsyncHTTPClient
import Logging
import NIOCore
import NIOHTTP1
import OpenMarket

/// The network.
struct HTTPTransport: Transport {
    let client: HTTPClient
    let requestTimeout: Duration
    let userAgent: String
    let executor: (any TaskExecutor)?

    /// The connections that a configuration asks for.
    static func connections(_ configuration: ClientConfiguration) -> HTTPClient.Configuration {
        var result = HTTPClient.Configuration()
        result.timeout = HTTPClient.Configuration.Timeout(
            connect: TimeAmount(configuration.connectTimeout),
            read: TimeAmount(configuration.idleTimeout),
            write: TimeAmount(configuration.idleTimeout)
        )
        // The pool opens eight connections to a host by default.
        result.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = configuration.parallelism
        // A market that is down is reported at once; trying again is for those who know whether it is safe.
        result.connectionPool.retryConnectionEstablishment = false
        // Nothing is followed, so credentials go nowhere but where they were meant to.
        result.redirectConfiguration = .disallow
        result.httpVersion = .http1Only
        return result
    }

    func send(_ wanted: TransportRequest, limit: Int) async throws(TransportFailure) -> TransportReply {
        let progress = SendProgress()
        var request = HTTPClientRequest(url: wanted.url)
        request.method = HTTPMethod(rawValue: wanted.method)
        for header in wanted.headers { request.headers.add(name: header.name, value: header.value) }
        if let contentType = wanted.body.contentType { request.headers.add(name: "Content-Type", value: contentType) }
        if let buffer = wanted.body.buffer {
            let length = Int64(buffer.readableBytes)
            request.body = .bytes(WatchedBody(buffer: buffer, progress: progress), length: .known(length))
        } else if let stream = wanted.body.stream(progress), let length = wanted.body.byteCount {
            request.body = .stream(stream, length: .known(Int64(length)))
        }
        request.headers.add(name: "User-Agent", value: userAgent)
        let hasBody = request.body != nil

        let start = ContinuousClock.now
        var status: Int?
        do {
            let deadline = NIODeadline.now() + TimeAmount(requestTimeout)
            let response = try await client.execute(request, deadline: deadline)
            status = Int(response.status.code)
            let body = try await Self.collect(response, limit: limit, deadline: deadline)
            log(wanted, status: status, since: start)
            return TransportReply(status: Int(response.status.code), headers: response.headers, body: body)
        } catch {
            let failure = TransportFailure(
                error,
                input: progress.inputFault,
                mayHaveArrived: status != nil || !hasBody || progress.mayHaveArrived,
                status: status
            )
            log(wanted, status: status, since: start, failure: failure)
            throw failure
        }
    }

    /// Reads a reply's body, bounded in size and time: a market that drips is given up like one that is silent.
    private static func collect(
        _ response: HTTPClientResponse,
        limit: Int,
        deadline: NIODeadline
    ) async throws -> ByteBuffer {
        let announced = response.headers.first(name: "Content-Length").flatMap { Int($0) }
        if let announced, announced > limit { throw TransportFailure.tooLarge(limit) }
        var result: ByteBuffer?
        for try await piece in response.body {
            if result == nil {
                result = piece
                if let announced { result?.reserveCapacity(announced) }
            } else {
                result?.writeImmutableBuffer(piece)
            }
            guard (result?.readableBytes ?? 0) <= limit else { throw TransportFailure.tooLarge(limit) }
            guard NIODeadline.now() < deadline else { throw HTTPClientError.deadlineExceeded }
        }
        return result ?? ByteBuffer()
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
            "method": "\(request.method)", "url": "\(request.shownURL ?? request.url)",
            "ms": "\(Int(elapsed.rounded()))",
        ]
        metadata["status"] = status.map { "\($0)" }
        metadata["error"] = failure.map { "\($0.message)" }
        logger.debug("request", metadata: metadata)
    }
}
