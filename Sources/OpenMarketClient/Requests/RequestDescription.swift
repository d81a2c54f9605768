import OpenMarket
import OpenMarketDescription

/// A writing request as a value: what is sent, what a dry run shows, and what golden files pin.
///
/// It knows which of its values are secrets, so that it can be shown. Headers that the transport adds to every request
/// (`Host`, `User-Agent`, `Content-Length`) are not in it.
package struct RequestDescription: Hashable, Sendable {
    /// The methods of writing requests.
    enum Method: String, Hashable, Sendable {
        /// POST
        case post = "POST"
        /// PUT
        case put = "PUT"
        /// PATCH
        case patch = "PATCH"
        /// DELETE
        case delete = "DELETE"
    }

    /// A header field.
    struct Header: Hashable, Sendable {
        /// The name as it is sent.
        var name: String
        /// The value.
        var value: WireField.Value
    }

    /// A part of a multipart body.
    enum Part: Hashable, Sendable {
        /// One field as text.
        case field(WireField)
        /// Several fields as JSON.
        case json(name: String, WireField.Value)
        /// A picture, streamed from its file.
        case picture(name: String, Picture)
    }

    /// What follows the headers.
    enum Body: Hashable, Sendable {
        /// No body.
        case none
        /// JSON, with its media type.
        case json(WireField.Value, type: String = "application/json")
        /// `application/x-www-form-urlencoded`.
        case form([WireField])
        /// `multipart/form-data`.
        case multipart([Part])
        /// A picture alone, streamed from its file.
        case picture(Picture)
    }

    /// The method.
    var method: Method
    /// The path behind the market's URL, with its queries.
    var path: String
    /// The headers of this request in order, without the body's `Content-Type`.
    var headers: [Header]
    /// The body.
    var body: Body

    /// The pictures that the body carries.
    var pictures: [Picture] {
        switch body {
        case .multipart(let parts): parts.compactMap { if case .picture(_, let picture) = $0 { picture } else { nil } }
        case .picture(let picture): [picture]
        case .none, .json, .form: []
        }
    }

    /// The body as it is sent.
    ///
    /// - Parameters:
    ///   - boundaries: where boundaries of multipart bodies come from.
    ///   - hidingSecrets: whether secrets are left out: for a digest, from which one could be guessed.
    /// - Returns: the body, laid out.
    /// - Throws: ``MarketError`` when a picture is no longer what it was.
    func transportBody(boundaries: BoundarySource, hidingSecrets: Bool = false) throws(MarketError) -> TransportBody {
        switch body {
        case .none: return .none
        case .json(let value, let type):
            return TransportBody(content: .bytes(try value.json(hidingSecrets: hidingSecrets), type: type))
        case .form(let fields):
            var bytes: [UInt8] = []
            for field in fields {
                if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
                bytes += field.name.percentEncoded.utf8
                bytes.append(UInt8(ascii: "="))
                let value = String(decoding: try field.value.bytes(hidingSecrets: hidingSecrets), as: UTF8.self)
                bytes += value.percentEncoded.utf8
            }
            return TransportBody(content: .bytes(bytes, type: "application/x-www-form-urlencoded"))
        case .multipart(let parts):
            let body = try MultipartBody(parts, boundaries: boundaries, hidingSecrets: hidingSecrets)
            return TransportBody(content: .multipart(body))
        case .picture(let picture): return TransportBody(content: .file(try PictureFile(picture)))
        }
    }
}
