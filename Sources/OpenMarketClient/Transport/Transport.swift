import NIOCore
import OpenMarket

/// Sends single HTTP requests and collects bounded replies: the network, or, in a test, a market in process.
///
/// Knows HTTP, and nothing of the market.
protocol Transport: Sendable {
    /// Sends one request, once.
    ///
    /// - Parameters:
    ///   - request: what is sent.
    ///   - limit: how many bytes the reply's body may have.
    /// - Returns: the reply, read to its end, whatever its status.
    /// - Throws: ``TransportFailure`` when no whole reply came.
    func send(_ request: TransportRequest, limit: Int) async throws(TransportFailure) -> TransportReply

    /// Where tasks run that send many requests; see `Market.executor`.
    var executor: (any TaskExecutor)? { get }
}

extension Transport {
    var executor: (any TaskExecutor)? { nil }
}

/// A request as a transport takes it.
///
/// `Content-Type` comes with the body; `Host`, `User-Agent` and `Content-Length` are the transport's own.
struct TransportRequest: Sendable {
    /// The method: `GET`.
    var method: String
    var url: String
    /// The URL as logs show it; `nil` where it holds nothing that has to be kept from them.
    var shownURL: String?
    /// The header fields, in the order in which they are sent.
    var headers: [(name: String, value: String)] = []
    /// What is sent behind the headers.
    var body = TransportBody.none

    /// A request without a body.
    init(_ method: String, _ url: String) {
        self.method = method
        self.url = url
    }
}

/// A request's body: laid out, and streamed from its pictures' files.
struct TransportBody: Sendable {
    enum Content: Sendable {
        case none
        /// Bytes of a media type.
        case bytes([UInt8], type: String)
        case multipart(MultipartBody)
        /// A picture alone.
        case file(PictureFile)
    }

    let content: Content

    static var none: TransportBody { TransportBody(content: .none) }

    /// The value of `Content-Type`; `nil` without a body.
    var contentType: String? {
        switch content {
        case .none: nil
        case .bytes(_, let type): type
        case .multipart(let body): body.contentType
        case .file(let file): file.picture.format.mediaType
        }
    }

    /// How many bytes the body has; `nil` without one.
    var byteCount: Int? {
        switch content {
        case .none: nil
        case .bytes(let bytes, _): bytes.count
        case .multipart(let body): body.byteCount
        case .file(let file): file.picture.byteCount
        }
    }

    /// The body as pieces, its sending noted.
    func stream(_ progress: SendProgress) -> BodyStream? {
        switch content {
        case .none: nil
        case .bytes(let bytes, _): BodyStream(segments: [.bytes(ByteBuffer(bytes: bytes))], progress: progress)
        case .multipart(let body): BodyStream(segments: body.segments, progress: progress)
        case .file(let file): BodyStream(segments: [.file(file)], progress: progress)
        }
    }

    /// All bytes of the body, for a transport that does not stream.
    ///
    /// - Throws: ``TransportFailure`` when a picture is no longer what was checked.
    func bytes() throws(TransportFailure) -> [UInt8] {
        let progress = SendProgress()
        guard var stream = stream(progress) else { return [] }
        var bytes: [UInt8] = []
        do {
            while let piece = try stream.next() { bytes += piece.readableBytesView }
        } catch {
            throw TransportFailure(error, input: progress.inputFault, mayHaveArrived: false, status: nil)
        }
        return bytes
    }
}
