/// The parts of a multipart/form-data body, as a market reads them.
struct WireForm: Sendable {
    struct Part: Sendable {
        var name: String
        var fileName: String?
        var isJSON: Bool
        var content: [UInt8]

        var text: String { String(decoding: content, as: UTF8.self) }
    }

    var parts: [Part] = []

    /// The parts of a body; `nil` where head and body do not fit each other.
    init?(contentType: String, body: [UInt8]) {
        guard let range = contentType.firstRange(of: "boundary=") else { return nil }
        let boundary = contentType[range.upperBound...].filter { $0 != "\"" }
        let delimiter = Array("\r\n--\(boundary)".utf8)
        // The first delimiter has no line end before it.
        let bytes = Array("\r\n".utf8) + body
        let starts = bytes.ranges(of: delimiter)
        guard starts.count >= 2, let last = starts.last, bytes[last.upperBound...].starts(with: "--".utf8) else {
            return nil
        }
        for (start, end) in zip(starts, starts.dropFirst()) {
            let part = bytes[start.upperBound..<end.lowerBound].dropFirst(2)
            guard let blank = part.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
            let head = String(decoding: part[..<blank.lowerBound], as: UTF8.self)
            guard let name = Self.parameter("name", of: head) else { return nil }
            parts.append(
                Part(
                    name: name,
                    fileName: Self.parameter("filename", of: head),
                    isJSON: head.contains("application/json"),
                    content: Array(part[blank.upperBound...])
                )
            )
        }
    }

    subscript(name: String) -> String? { parts.first { $0.name == name }?.text }

    private static func parameter(_ name: String, of head: String) -> String? {
        guard let start = head.firstRange(of: "; \(name)=\"") else { return nil }
        let value = head[start.upperBound...]
        return value.firstIndex(of: "\"").map { String(value[..<$0]) }
    }
}
