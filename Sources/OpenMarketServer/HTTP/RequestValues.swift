import Hummingbird
import OpenMarket

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
        let (bytes, isWellFormed) = percentDecodedBytes
        return isWellFormed ? String(validating: bytes, as: UTF8.self) : nil
    }
}
