import OpenMarket

/// The parts of a `multipart/form-data` body (RFC 7578).
///
/// Any bytes parse to a form or `nil`.
struct MultipartForm: Hashable, Sendable {
    struct Part: Hashable, Sendable {
        var name: String
        /// The file's name; `nil` if the part is not a file.
        var fileName: String?
        var body: [UInt8]

        /// The body as text; `nil` if it is not UTF-8.
        var text: String? { String(validating: body, as: UTF8.self) }
    }

    var parts: [Part] = []

    private static let maximumParts = 256

    /// Parses a whole body with the boundary of its header; `nil` if it is broken or has too many parts.
    ///
    /// `needsFinalDashes` requires `--` after the last delimiter.
    init?(_ body: [UInt8], boundary: String, needsFinalDashes: Bool = true) {
        let delimiter = Array("--\(boundary)".utf8)
        guard var found = Self.delimiter(delimiter, in: body, from: 0) else { return nil }
        while !found.isFinal {
            if !needsFinalDashes, !parts.isEmpty, body[found.end...].allSatisfy({ $0 == 0x0D || $0 == 0x0A }) { break }
            guard let next = Self.delimiter(delimiter, in: body, from: found.end), parts.count < Self.maximumParts,
                let part = Part(body[found.end..<max(found.end, next.start)])
            else { return nil }
            parts.append(part)
            found = next
        }
    }

    private struct Delimiter {
        var start: Int
        var end: Int
        var isFinal: Bool
    }

    /// Finds the next delimiter: a whole line, with optional `--` and blanks after it.
    private static func delimiter(_ delimiter: [UInt8], in body: [UInt8], from begin: Int) -> Delimiter? {
        body.withUnsafeBufferPointer { bytes -> Delimiter? in
            if begin == 0, let line = match(delimiter, in: bytes, at: 0) {
                return Delimiter(start: 0, end: line.end, isFinal: line.isFinal)
            }
            // The line end of the previous delimiter may be the one before this one.
            var position = max(0, begin - 2)
            while position + 1 < bytes.count {
                if bytes[position] == 0x0D, bytes[position + 1] == 0x0A,
                    let line = match(delimiter, in: bytes, at: position + 2)
                {
                    return Delimiter(start: position, end: line.end, isFinal: line.isFinal)
                }
                position += 1
            }
            return nil
        }
    }

    private static func match(
        _ delimiter: [UInt8],
        in bytes: UnsafeBufferPointer<UInt8>,
        at start: Int
    ) -> (end: Int, isFinal: Bool)? {
        guard start + delimiter.count <= bytes.count else { return nil }
        for offset in 0..<delimiter.count where bytes[start + offset] != delimiter[offset] { return nil }
        var position = start + delimiter.count
        let dashes =
            position + 1 < bytes.count && bytes[position] == UInt8(ascii: "-")
            && bytes[position + 1] == UInt8(ascii: "-")
        // The epilogue after the final delimiter is not read.
        if dashes { return (position + 2, true) }
        while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
        // Without a line end this has to be the last part; the caller decides whether that is acceptable.
        if position == bytes.count { return (position, false) }
        guard position + 1 < bytes.count, bytes[position] == 0x0D, bytes[position + 1] == 0x0A else { return nil }
        return (position + 2, false)
    }
}

extension MultipartForm.Part {
    private static let maximumHeaderBytes = 16_384

    /// Reads headers, an empty line and the body; `nil` if the headers are broken or lack a name.
    fileprivate init?(_ bytes: ArraySlice<UInt8>) {
        var disposition: HeaderValue?
        var position = bytes.startIndex
        while true {
            guard position - bytes.startIndex <= Self.maximumHeaderBytes,
                let end = bytes[position...].firstIndex(of: 0x0D), end + 1 < bytes.endIndex, bytes[end + 1] == 0x0A
            else { return nil }
            let line = String(decoding: bytes[position..<end], as: UTF8.self)
            position = end + 2
            if line.isEmpty { break }
            guard let colon = line.firstIndex(of: ":") else { return nil }
            if line[..<colon].lowercased() == "content-disposition" {
                disposition = HeaderValue(line[line.index(after: colon)...])
            }
        }
        guard let disposition, disposition.value == "form-data", let name = disposition.parameters["name"] else {
            return nil
        }
        self.init(name: name, fileName: disposition.parameters["filename"], body: Array(bytes[position...]))
    }
}

/// A header's value with parameters: `form-data; name="images"; filename="a.png"`.
struct HeaderValue: Hashable, Sendable {
    /// The first word in lower case.
    var value: String
    /// The parameters by lower-case name; of repeated names the first counts.
    var parameters: [String: String] = [:]

    /// Reads a header leniently and ignores anything that is not a parameter.
    ///
    /// A backslash escapes only a quote, because old browsers sent whole Windows paths.
    init(_ text: some StringProtocol) {
        var fields: [[UInt8]] = [[]]
        var isQuoted = false
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\\") where isQuoted && rest.first == UInt8(ascii: "\""):
                fields[fields.count - 1].append(rest.removeFirst())
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ";") where !isQuoted: fields.append([])
            default: fields[fields.count - 1].append(byte)
            }
        }
        value = String(decoding: fields[0], as: UTF8.self).trimmed.lowercased()
        for field in fields.dropFirst() {
            guard let equals = field.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: field[..<equals], as: UTF8.self).trimmed.lowercased()
            guard !name.isEmpty, parameters[name] == nil else { continue }
            parameters[name] = String(decoding: field[(equals + 1)...], as: UTF8.self).trimmed
        }
    }
}
