extension MarketParameters {
    /// The canonical text: a JSON object in the order of the names; empty without parameters.
    package static func text(_ parameters: [String: String]) -> String {
        parameters.isEmpty ? "" : String(decoding: parameters.document.bytes(), as: UTF8.self)
    }

    /// `nil` if the text has another form.
    package static func values(_ text: String) -> [String: String]? {
        guard !text.isEmpty else { return [:] }
        guard let value = try? JSONValue.parse(unambiguous: Array(text.utf8)) else { return nil }
        return try? [String: String](document: DocumentValue(value, at: ""))
    }
}
