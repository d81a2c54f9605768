import Hummingbird

extension Request {
    /// The boundary of a form's parts; `nil` if the body is not a form, or lacks one.
    var formBoundary: String? {
        let contentType = HeaderValue(headers[.contentType] ?? "")
        guard contentType.value == "multipart/form-data", let boundary = contentType.parameters["boundary"] else {
            return nil
        }
        return boundary.isEmpty ? nil : boundary
    }

    /// A query parameter, decoded like a form: `+` is a space.
    func queryValue(_ name: String) -> String? {
        for pair in uri.query?.split(separator: "&") ?? [] {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves[0] == name else { continue }
            let text = String((halves.count > 1 ? halves[1] : "").map { $0 == "+" ? " " : $0 })
            return text.percentDecoded ?? text
        }
        return nil
    }
}

extension String {
    /// The text without percent escapes; `nil` if one is malformed, or if the result is not UTF-8.
    var percentDecoded: String? {
        var bytes: [UInt8] = []
        var iterator = utf8.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }),
                let low = iterator.next().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue })
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
