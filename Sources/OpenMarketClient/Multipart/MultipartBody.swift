import NIOCore
import OpenMarket

/// A multipart/form-data body (RFC 7578), laid out and ready to be streamed.
struct MultipartBody: Sendable {
    enum Segment: Sendable {
        case bytes(ByteBuffer)
        case file(PictureFile)
    }

    let boundary: String
    let segments: [Segment]
    let byteCount: Int

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// The maximum total size of pictures that are read once, checked and sent from memory.
    ///
    /// Larger ones are streamed, which needs only one piece in memory, but reads and hashes them a second time.
    static let heldBytes = 512 << 10

    /// Opens the pictures, checks them and lays the body out; throws ``MarketError`` if a picture has changed.
    init(
        _ parts: [RequestDescription.Part],
        boundary: String,
        hidingSecrets: Bool = false,
        holding limit: Int = heldBytes
    ) throws(MarketError) {
        let pictureBytes = parts.reduce(0) { count, part in
            if case .picture(_, let picture) = part { count + picture.byteCount } else { count }
        }
        let isHeld = pictureBytes <= limit
        var segments: [Segment] = []
        var byteCount = 0
        var buffer = ByteBuffer()
        buffer.reserveCapacity((isHeld ? pictureBytes : 0) + (parts.count + 1) * 256)
        for part in parts {
            Self.head(of: part, boundary, &buffer)
            switch part {
            case .field(let field): buffer.writeBytes(try field.value.bytes(hidingSecrets: hidingSecrets))
            case .json(_, let value): buffer.writeBytes(try value.json(hidingSecrets: hidingSecrets))
            case .picture(_, let picture):
                let file = try PictureFile(picture)
                guard !isHeld else {
                    try file.append(to: &buffer)
                    break
                }
                try file.check()
                byteCount += buffer.readableBytes + picture.byteCount
                segments += [.bytes(buffer), .file(file)]
                buffer = ByteBuffer()
            }
            buffer.writeString("\r\n")
        }
        buffer.writeString("--\(boundary)--\r\n")
        self.boundary = boundary
        self.segments = segments + [.bytes(buffer)]
        self.byteCount = byteCount + buffer.readableBytes
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
    static func escaped(_ name: String) -> String {
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
