public import OpenMarket

/// A writing request as a value: what is sent, what a dry run shows, and what golden files pin.
///
/// It knows which of its values are secrets, so that it can be shown. Headers that the transport adds to every request
/// (`Host`, `User-Agent`, `Content-Length`) are not in it.
public struct RequestDescription: Hashable, Sendable {
    /// The methods of writing requests.
    public enum Method: String, Hashable, Sendable {
        /// POST
        case post = "POST"
        /// PATCH
        case patch = "PATCH"
        /// DELETE
        case delete = "DELETE"
    }

    /// A header field.
    public struct Header: Hashable, Sendable {
        /// The name as it is sent.
        public var name: String
        /// The value.
        public var value: WireField.Value
    }

    /// A part of a multipart body.
    public enum Part: Hashable, Sendable {
        /// One field as text.
        case field(WireField)
        /// Several fields as JSON.
        case json(name: String, [WireField])
        /// A picture, streamed from its file.
        case picture(name: String, Picture)
    }

    /// What follows the headers.
    public enum Body: Hashable, Sendable {
        /// No body.
        case none
        /// `application/json`.
        case json([WireField])
        /// `multipart/form-data`.
        case multipart([Part])
    }

    /// The method.
    public var method: Method
    /// The path behind the market's URL.
    public var path: String
    /// The headers of this request in order, without the body's `Content-Type`.
    public var headers: [Header]
    /// The body.
    public var body: Body

    /// The pictures that the body carries.
    public var pictures: [Picture] {
        guard case .multipart(let parts) = body else { return [] }
        return parts.compactMap { if case .picture(_, let picture) = $0 { picture } else { nil } }
    }
}
