import OpenMarket

/// An origin whose pages may call the API, as browsers spell it.
package enum AllowedOrigin {
    /// Why a text is not one.
    package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// Only `*` alone is wild.
        case wildcard
        /// It is spelled otherwise than browsers do, or not an origin.
        case spelling

        /// What to write instead.
        package var description: String {
            switch self {
            case .wildcard: "name each origin in full: https://app.example; or give * alone, for all"
            case .spelling:
                "write it as browsers do: https://app.example or http://localhost:5173, without a path; or *"
            }
        }
    }

    /// Checks that a text is an origin, or `*`.
    ///
    /// - Throws: ``Fault``.
    package static func check(_ text: String) throws(Fault) {
        guard text != "*" else { return }
        guard !text.contains("*") else { throw .wildcard }
        // An origin is a URL in its one spelling that ends with the host or the port.
        guard let url = try? MarketURL(text), url.description == text, text.count(where: { $0 == "/" }) == 2 else {
            throw .spelling
        }
    }
}
