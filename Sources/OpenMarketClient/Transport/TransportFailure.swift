import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import OpenMarket

/// The reason why there is no complete reply.
struct TransportFailure: Error, Sendable {
    /// The reason for messages: "connection refused".
    var message: String
    /// Whether the market may have acted on the request.
    var mayHaveArrived: Bool
    var isTooLarge = false
    var isCancelled = false
    /// The error in a local file, if that was the cause.
    var input: MarketError?
    /// The status; `nil` if no reply began.
    var status: Int?

    static func tooLarge(_ limit: Int) -> TransportFailure {
        var failure = TransportFailure("a reply of more than \(limit) bytes", mayHaveArrived: true)
        failure.isTooLarge = true
        return failure
    }

    init(_ message: String, mayHaveArrived: Bool) {
        self.message = message
        self.mayHaveArrived = mayHaveArrived
    }

    init(_ error: any Error, input: MarketError?, mayHaveArrived: Bool, status: Int?) {
        self.mayHaveArrived = mayHaveArrived
        self.status = status
        self.input = input
        if let input {
            message = input.message
        } else if let failure = error as? TransportFailure {
            self = failure
            self.status = status
        } else if error is CancellationError {
            message = "interrupted"
            isCancelled = true
        } else if let error = error as? HTTPClientError {
            message = Self.words(error)
            isCancelled = error == .cancelled
            // These errors prove that no connection was open, even for a request without a body.
            if Self.beforeConnection.contains(error) { self.mayHaveArrived = false }
        } else if String(reflecting: type(of: error)).hasPrefix("NIOHTTPCompression.") {
            isTooLarge = error as? NIOHTTPDecompression.DecompressionError == .limit
            message = isTooLarge ? "a compressed reply that is too large" : "the answer's compression is damaged"
        } else if let error = error as? HTTPParserError {
            message = error == .headerOverflow ? "the answer has more headers than are read" : "the answer is not HTTP"
        } else {
            message = Self.words(String(describing: error))
            // Only a connection that was never opened can be refused.
            if message == Self.refused || String(describing: type(of: error)) == "NIOConnectionError" {
                self.mayHaveArrived = false
            }
        }
    }

    private static let refused = "connection refused"
    static let tooManyOpenFiles =
        "too many open files: allow more with `ulimit -n`, or send fewer requests at once"

    private static let beforeConnection: [HTTPClientError] = [
        .invalidURL, .emptyHost, .emptyScheme, .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout,
        .alreadyShutdown,
    ]

    private static func words(_ error: HTTPClientError) -> String {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout: "no connection in time"
        case .readTimeout, .deadlineExceeded: "no answer in time"
        case .writeTimeout: "the request could not be sent in time"
        case .remoteConnectionClosed: "the connection was closed before the answer was whole"
        case .uncleanShutdown: "the connection was closed in the middle of TLS"
        case .cancelled: "interrupted"
        case .invalidURL, .emptyHost, .emptyScheme: "the URL cannot be used"
        default: error.shortDescription
        }
    }

    /// Short messages for the long descriptions of system and TLS errors.
    private static func words(_ description: String) -> String {
        let known = [
            ("Connection refused", refused),
            ("Connection reset", "the connection was reset"),
            ("Broken pipe", "the connection was closed"),
            ("No route to host", "no route to the host"),
            ("Network is unreachable", "the network is unreachable"),
            ("Too many open files", tooManyOpenFiles),
            ("CERTIFICATE_VERIFY_FAILED", "the server's certificate is not trusted"),
            ("WRONG_VERSION_NUMBER", "the server does not speak TLS"),
            ("SocketAddressError", "the host name cannot be resolved"),
            ("dnsAError: Optional", "the host name cannot be resolved"),
            ("NIOSSL", "TLS failed"),
        ]
        return known.first { description.contains($0.0) }?.1
            ?? "the connection failed: \(description.masked.prefix(200))"
    }
}
