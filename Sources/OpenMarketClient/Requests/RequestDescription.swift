import OpenMarket
import OpenMarketDescription

/// A writing request as a value, which is sent, shown by a dry run, and recorded in golden files.
///
/// It marks its secrets, so that it can be shown. It lacks the headers that the transport adds to every request
/// (`Host`, `User-Agent`, `Content-Length`).
package struct RequestDescription: Hashable, Sendable {
    enum Method: String, Hashable, Sendable {
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    struct Header: Hashable, Sendable {
        var name: String
        var value: WireField.Value
    }

    enum Part: Hashable, Sendable {
        case field(WireField)
        case json(name: String, WireField.Value)
        /// A picture, streamed from its file.
        case picture(name: String, Picture)
    }

    enum Body: Hashable, Sendable {
        case none
        case json(WireField.Value, type: String = "application/json")
        case form([WireField])
        case multipart([Part])
        /// Only a picture, streamed from its file.
        case picture(Picture)
    }

    var method: Method
    /// The path after the market's URL, with its query.
    var path: String
    /// The headers of this request in order, without the body's `Content-Type`.
    var headers: [Header]
    var body: Body

    /// Lays the body out for sending.
    ///
    /// With `hidingSecrets`, secrets are left out: they could be guessed from a digest of the body. Throws
    /// ``MarketError`` if a picture has changed.
    func transportBody(boundary: String, hidingSecrets: Bool = false) throws(MarketError) -> TransportBody {
        switch body {
        case .none: return .none
        case .json(let value, let type):
            return .bytes(try value.json(hidingSecrets: hidingSecrets), type: type)
        case .form(let fields):
            var bytes: [UInt8] = []
            for field in fields {
                if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
                bytes += field.name.percentEncoded.utf8
                bytes.append(UInt8(ascii: "="))
                let value = String(decoding: try field.value.bytes(hidingSecrets: hidingSecrets), as: UTF8.self)
                bytes += value.percentEncoded.utf8
            }
            return .bytes(bytes, type: "application/x-www-form-urlencoded")
        case .multipart(let parts):
            return .multipart(try MultipartBody(parts, boundary: boundary, hidingSecrets: hidingSecrets))
        case .picture(let picture): return .file(try PictureFile(picture))
        }
    }
}
