import HTTPTypes
import Hummingbird

extension Request {
    /// The path without what deletes a product: v2 carries that key in the path.
    var loggablePath: String {
        guard method == .delete else { return uri.path }
        let segments = uri.path.split(separator: "/", omittingEmptySubsequences: true)
        guard segments.count > 2, segments[0] == "api", segments[1] == "products" else { return uri.path }
        return segments.count == 3 ? "/api/products/•••" : "/api/products/\(segments[2])/•••"
    }

    /// How a client reached this server, for absolute URLs.
    func baseURL(default fallback: String) -> String {
        "http://" + (head.authority.flatMap { $0.isEmpty ? nil : $0 } ?? fallback)
    }

    /// A parameter of the query, decoded as forms are: `+` is a blank.
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
    /// The text without its percent escapes; `nil` where one is broken, or they hide what is not UTF-8.
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
