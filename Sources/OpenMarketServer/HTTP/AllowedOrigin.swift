import OpenMarket

/// An origin whose pages may call the API, as browsers spell it.
package enum AllowedOrigin {
    /// Why a text is not an allowed origin.
    package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// A wildcard is allowed only as `*` alone.
        case wildcard
        /// It is not an origin, or not in the spelling of browsers.
        case spelling

        /// The right spelling, as advice.
        package var description: String {
            switch self {
            case .wildcard: "name each origin in full: https://app.example; or give * alone, for all"
            case .spelling:
                "write it as browsers do: https://app.example or http://localhost:5173, without a path; or *"
            }
        }
    }

    package static func check(_ text: String) throws(Fault) {
        guard text != "*" else { return }
        guard !text.contains("*") else { throw .wildcard }
        // An origin is a URL in canonical spelling that ends with the host or the port.
        guard let url = try? MarketURL(text), url.description == text, text.count(where: { $0 == "/" }) == 2 else {
            throw .spelling
        }
    }
}
