import NIOCore
import OpenMarket

/// A multipart/form-data body (RFC 7578), laid out and ready to be streamed.
struct MultipartBody: Sendable {
    /// A stretch of the body.
    enum Segment: Sendable {
        /// Bytes in memory.
        case bytes(ByteBuffer)
        /// A file's content.
        case file(PictureFile)
    }

    /// The boundary, which occurs nowhere in the content.
    let boundary: String
    /// The body from first to last byte.
    let segments: [Segment]
    /// How many bytes the segments have together.
    let byteCount: Int

    /// The value of the request's `Content-Type`.
    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// Opens the pictures, finds a boundary and lays the body out.
    ///
    /// - Throws: ``MarketError`` when a picture is no longer what it was.
    init(_ parts: [RequestDescription.Part], boundaries: BoundarySource) throws(MarketError) {
        var files: [PictureFile] = []
        var texts: [[UInt8]] = []
        for part in parts {
            switch part {
            case .field(let field): texts.append(Array(field.value.revealed.utf8))
            case .json(_, let fields): texts.append(WireField.json(fields, masked: false))
            case .picture(_, let picture): files.append(try PictureFile(picture))
            }
        }
        boundary = try Self.boundary(boundaries, texts: texts, files: files)

        var segments: [Segment] = []
        var buffer = ByteBuffer()
        var byteCount = 0
        var nextText = texts.makeIterator()
        var nextFile = files.makeIterator()
        for part in parts {
            buffer.writeString("--\(boundary)\r\nContent-Disposition: form-data; name=\"")
            switch part {
            case .field(let field):
                buffer.writeString("\(Self.escaped(field.name))\"\r\n\r\n")
                buffer.writeBytes(nextText.next() ?? [])
            case .json(let name, _):
                buffer.writeString("\(Self.escaped(name))\"\r\nContent-Type: application/json\r\n\r\n")
                buffer.writeBytes(nextText.next() ?? [])
            case .picture(let name, let picture):
                buffer.writeString("\(Self.escaped(name))\"; filename=\"\(Self.escaped(picture.uploadName))\"\r\n")
                buffer.writeString("Content-Type: \(picture.format.mediaType)\r\n\r\n")
                if let file = nextFile.next() {
                    byteCount += buffer.readableBytes + picture.byteCount
                    segments += [.bytes(buffer), .file(file)]
                    buffer = ByteBuffer()
                }
            }
            buffer.writeString("\r\n")
        }
        buffer.writeString("--\(boundary)--\r\n")
        byteCount += buffer.readableBytes
        segments.append(.bytes(buffer))
        self.segments = segments
        self.byteCount = byteCount
    }

    /// A boundary that occurs nowhere in the content.
    private static func boundary(
        _ candidates: BoundarySource,
        texts: [[UInt8]],
        files: [PictureFile]
    ) throws(MarketError) -> String {
        // The second candidate of a random source is never needed in this universe; a broken source must still end.
        for _ in 0..<16 {
            let candidate = candidates.next()
            var occurs = false
            for text in texts {
                var search = BoundarySearch(boundary: candidate)
                text.withUnsafeBytes { search.update($0) }
                occurs = occurs || search.found
            }
            for file in files {
                let inFile = try file.contains(boundary: candidate)
                occurs = occurs || inFile
            }
            if !occurs { return candidate }
        }
        throw MarketError(.input, "no boundary could be found that does not occur in the content")
    }

    /// A name as browsers write it (the HTML standard's multipart/form-data encoding, after RFC 7578, 4.2).
    static func escaped(_ name: String) -> String {
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
