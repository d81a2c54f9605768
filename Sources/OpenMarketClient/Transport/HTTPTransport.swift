import AsyncHTTPClient
import Logging
import NIOCore
import NIOHTTP1
import OpenMarket

/// Sends single requests and collects bounded replies.
///
/// Knows HTTP, and nothing of the market.
struct HTTPTransport: Sendable {
    /// A reply, read to its end.
    struct Reply: Sendable {
        var status: Int
        var headers: HTTPHeaders
        var body: ByteBuffer

        /// How long the market asks to wait.
        var retryAfter: Duration? {
            RetryAfter.wait(headers.first(name: "Retry-After"), date: headers.first(name: "Date"))
        }

        /// Where the market sends one, in words; empty where it says nothing.
        var target: String { headers.first(name: "Location").map { " to \($0.prefix(200))" } ?? "" }

        /// The body's bytes; of a text for people, its beginning is enough.
        func bytes(upTo limit: Int = .max) -> [UInt8] { Array(body.readableBytesView.prefix(limit)) }
    }

    /// What is sent behind the headers.
    enum Body: Sendable {
        case none
        case json([UInt8])
        case multipart(MultipartBody)
    }

    let client: HTTPClient
    let requestTimeout: Duration
    let userAgent: String

    /// The connections that a configuration asks for.
    static func connections(_ configuration: ClientConfiguration) -> HTTPClient.Configuration {
        var result = HTTPClient.Configuration()
        result.timeout = HTTPClient.Configuration.Timeout(
            connect: TimeAmount(configuration.connectTimeout),
            read: TimeAmount(configuration.idleTimeout),
            write: TimeAmount(configuration.idleTimeout)
        )
        // The pool opens eight connections to a host unless told otherwise.
        result.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = configuration.parallelism
        // A market that is down is reported at once; trying again is for those who know whether it is safe.
        result.connectionPool.retryConnectionEstablishment = false
        // Nothing is followed, so credentials go nowhere but where they were meant to.
        result.redirectConfiguration = .disallow
        result.httpVersion = .http1Only
        return result
    }

    /// Sends one request, once; the reply's body may have as many bytes as `limit` says.
    func send(
        _ method: HTTPMethod,
        _ url: String,
        headers: [(name: String, value: String)] = [],
        body: Body = .none,
        limit: Int
    ) async throws(TransportFailure) -> Reply {
        let progress = SendProgress()
        var request = HTTPClientRequest(url: url)
        request.method = method
        for header in headers { request.headers.add(name: header.name, value: header.value) }
        switch body {
        case .none: break
        case .json(let bytes):
            request.headers.add(name: "Content-Type", value: "application/json")
            let segments = [MultipartBody.Segment.bytes(ByteBuffer(bytes: bytes))]
            let stream = BodyStream(segments: segments, progress: progress)
            request.body = .stream(stream, length: .known(Int64(bytes.count)))
        case .multipart(let multipart):
            request.headers.add(name: "Content-Type", value: multipart.contentType)
            let stream = BodyStream(segments: multipart.segments, progress: progress)
            request.body = .stream(stream, length: .known(Int64(multipart.byteCount)))
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
            log(method, url, status: status, since: start)
            return Reply(status: Int(response.status.code), headers: response.headers, body: body)
        } catch {
            let failure = TransportFailure(
                error,
                input: progress.inputFault,
                mayHaveArrived: status != nil || !hasBody || progress.mayHaveArrived,
                status: status
            )
            log(method, url, status: status, since: start, failure: failure)
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
        _ method: HTTPMethod,
        _ url: String,
        status: Int?,
        since start: ContinuousClock.Instant,
        failure: TransportFailure? = nil
    ) {
        let logger = Logger.current
        guard logger.logLevel <= .debug else { return }
        let elapsed = (ContinuousClock.now - start) / .milliseconds(1)
        var metadata: Logger.Metadata = [
            "method": "\(method)", "url": "\(url)", "ms": "\(Int(elapsed.rounded()))",
        ]
        metadata["status"] = status.map { "\($0)" }
        metadata["error"] = failure.map { "\($0.message)" }
        logger.debug("request", metadata: metadata)
    }
}
