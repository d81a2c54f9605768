import NIOCore
import OpenMarket

/// A multipart/form-data body (RFC 7578), laid out and ready to be streamed.
struct MultipartBody: Sendable {
    enum Segment: Sendable {
        case bytes(ByteBuffer)
        case file(PictureFile)
    }

    /// The boundary, which does not occur in the content.
    let boundary: String
    let segments: [Segment]
    let byteCount: Int

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// Up to this size in total, pictures are read once, checked and sent from memory.
    ///
    /// Larger ones are streamed, which needs only one piece in memory, but reads and hashes them a second time.
    static let heldBytes = 512 << 10

    /// Opens the pictures, finds a boundary and lays the body out.
    ///
    /// Throws ``MarketError`` if a picture has changed.
    init(
        _ parts: [RequestDescription.Part],
        boundaries: BoundarySource,
        hidingSecrets: Bool = false,
        holding limit: Int = heldBytes
    ) throws(MarketError) {
        var files: [PictureFile] = []
        var texts: [[UInt8]] = []
        for part in parts {
            switch part {
            case .field(let field): texts.append(try field.value.bytes(hidingSecrets: hidingSecrets))
            case .json(_, let value): texts.append(try value.json(hidingSecrets: hidingSecrets))
            case .picture(_, let picture): files.append(try PictureFile(picture))
            }
        }
        let contents = Contents(texts: texts, files: files)
        let held = files.reduce(0) { $0 + $1.picture.byteCount } <= limit
        // A random source never needs its second candidate; the limit ends the search with a broken source.
        for attempt in 0..<16 {
            let candidate = boundaries.candidate(attempt)
            let search = BoundarySearch(boundary: candidate)
            let body = try held ? Self.whole(parts, contents, search) : Self.streamed(parts, contents, search)
            guard let body else { continue }
            boundary = candidate
            (segments, byteCount) = body
            return
        }
        throw MarketError(.input, "no boundary could be found that does not occur in the content")
    }

    private struct Contents {
        var texts: [[UInt8]]
        var files: [PictureFile]
    }

    private typealias Layout = (segments: [Segment], byteCount: Int)

    /// The body in one piece; `nil` if the boundary occurs in its content.
    private static func whole(
        _ parts: [RequestDescription.Part],
        _ contents: Contents,
        _ search: BoundarySearch
    ) throws(MarketError) -> Layout? {
        var buffer = ByteBuffer()
        let pictures = contents.files.reduce(0) { $0 + $1.picture.byteCount }
        buffer.reserveCapacity(pictures + contents.texts.reduce(0) { $0 + $1.count } + (parts.count + 1) * 256)
        var texts = contents.texts.makeIterator()
        var files = contents.files.makeIterator()
        for part in parts {
            head(of: part, search.boundary, &buffer)
            switch part {
            case .field, .json:
                guard let text = texts.next() else { break }
                guard !search.occurs(in: text.span) else { return nil }
                buffer.writeBytes(text)
            case .picture:
                guard try files.next()?.append(to: &buffer, unless: search) != false else { return nil }
            }
            buffer.writeString("\r\n")
        }
        buffer.writeString("--\(search.boundary)--\r\n")
        return ([.bytes(buffer)], buffer.readableBytes)
    }

    /// The body as alternating texts and files; `nil` if the boundary occurs in its content.
    private static func streamed(
        _ parts: [RequestDescription.Part],
        _ contents: Contents,
        _ search: BoundarySearch
    ) throws(MarketError) -> Layout? {
        for text in contents.texts where search.occurs(in: text.span) { return nil }
        for file in contents.files {
            guard try !file.contains(search) else { return nil }
        }
        var segments: [Segment] = []
        var buffer = ByteBuffer()
        var byteCount = 0
        var texts = contents.texts.makeIterator()
        var files = contents.files.makeIterator()
        for part in parts {
            head(of: part, search.boundary, &buffer)
            switch part {
            case .field, .json: buffer.writeBytes(texts.next() ?? [])
            case .picture:
                if let file = files.next() {
                    byteCount += buffer.readableBytes + file.picture.byteCount
                    segments += [.bytes(buffer), .file(file)]
                    buffer = ByteBuffer()
                }
            }
            buffer.writeString("\r\n")
        }
        buffer.writeString("--\(search.boundary)--\r\n")
        byteCount += buffer.readableBytes
        segments.append(.bytes(buffer))
        return (segments, byteCount)
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

    /// A name in the encoding of browsers (the HTML standard's multipart/form-data encoding, after RFC 7578, 4.2).
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
