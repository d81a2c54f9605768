import NIOCore
import OpenMarket

extension TransportBody {
    /// A multipart/form-data body (RFC 7578); throws ``MarketError`` if a picture has changed.
    init(
        _ parts: [RequestDescription.Part],
        boundary: String,
        hidingSecrets: Bool = false
    ) throws(MarketError) {
        let pictureBytes = parts.reduce(0) { count, part in
            if case .picture(_, let picture) = part { count + picture.byteCount } else { count }
        }
        var buffer = ByteBuffer()
        buffer.reserveCapacity(pictureBytes + (parts.count + 1) * 256)
        for part in parts {
            Self.head(of: part, boundary, &buffer)
            switch part {
            case .field(let field): buffer.writeBytes(try field.value.bytes(hidingSecrets: hidingSecrets))
            case .json(_, let value): buffer.writeBytes(try value.json(hidingSecrets: hidingSecrets))
            case .picture(_, let picture): try PictureFile(picture: picture).append(to: &buffer)
            }
            buffer.writeString("\r\n")
        }
        buffer.writeString("--\(boundary)--\r\n")
        self.init(contentType: "multipart/form-data; boundary=\(boundary)", buffer: buffer)
    }

    private static func head(of part: RequestDescription.Part, _ boundary: String, _ buffer: inout ByteBuffer) {
        buffer.writeString("--\(boundary)\r\nContent-Disposition: form-data; name=\"")
        switch part {
        case .field(let field): buffer.writeString("\(escaped(field.name))\"\r\n\r\n")
        case .json(let name, _):
            buffer.writeString("\(escaped(name))\"\r\nContent-Type: application/json\r\n\r\n")
        case .picture(let name, let picture):
            buffer.writeString("\(escaped(name))\"; filename=\"\(escaped(picture.uploadName))\"\r\n")
            buffer.writeString("Content-Type: \(picture.format.mediaType)\r\n\r\n")
        }
    }

    /// A name in the browsers' encoding (the HTML standard's multipart/form-data encoding, after RFC 7578, 4.2).
    private static func escaped(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == 0x0D || $0 == 0x0A }) else { return name }
        var result = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": result += "%22"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
