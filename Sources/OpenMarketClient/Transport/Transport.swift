import NIOCore
import OpenMarket

/// Sends single HTTP requests and collects replies of limited size, over the network or to an in-process market.
///
/// It implements HTTP only, without market rules.
protocol Transport: Sendable {
    /// Sends one request, once, and reads the whole reply, whatever its status.
    ///
    /// `limit` is the maximum size of the reply's body in bytes. Throws ``TransportFailure`` if there is no complete
    /// reply.
    func send(_ request: TransportRequest, limit: Int) async throws(TransportFailure) -> TransportReply

    /// Runs tasks that send many requests; see `Market.executor`.
    var executor: (any TaskExecutor)? { get }
}

extension Transport {
    var executor: (any TaskExecutor)? { nil }
}

/// An HTTP request without the headers that the transport adds.
///
/// `Content-Type` comes with the body; the transport adds `Host`, `User-Agent` and `Content-Length`.
struct TransportRequest: Sendable {
    var method: String
    var url: String
    /// The URL for logs; `nil` if logs may contain ``url`` as it is.
    var shownURL: String?
    /// The header fields in their sending order.
    var headers: [(name: String, value: String)] = []
    var body = TransportBody.none

    init(_ method: String, _ url: String) {
        self.method = method
        self.url = url
    }
}

/// A request's body: laid out, and streamed from its pictures' files.
enum TransportBody: Sendable {
    case none
    case bytes([UInt8], type: String)
    case multipart(MultipartBody)
    case file(PictureFile)

    /// The value of `Content-Type`; `nil` without a body.
    var contentType: String? {
        switch self {
        case .none: nil
        case .bytes(_, let type): type
        case .multipart(let body): body.contentType
        case .file(let file): file.picture.format.mediaType
        }
    }

    /// The size in bytes; `nil` without a body.
    var byteCount: Int? {
        switch self {
        case .none: nil
        case .bytes(let bytes, _): bytes.count
        case .multipart(let body): body.byteCount
        case .file(let file): file.picture.byteCount
        }
    }

    /// The body in pieces; `progress` records their sending; `nil` without a body.
    func stream(_ progress: SendProgress) -> BodyStream? {
        switch self {
        case .none: nil
        case .bytes(let bytes, _): BodyStream(segments: [.bytes(ByteBuffer(bytes: bytes))], progress: progress)
        case .multipart(let body): BodyStream(segments: body.segments, progress: progress)
        case .file(let file): BodyStream(segments: [.file(file)], progress: progress)
        }
    }

    /// All bytes of the body, for a transport that does not stream.
    ///
    /// Throws ``TransportFailure`` if a picture has changed since it was checked.
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
