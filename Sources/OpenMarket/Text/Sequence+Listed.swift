extension Sequence<String> {
    /// `a, b or c`.
    package func listed(_ conjunction: String) -> String {
        let texts = Array(self)
        guard let last = texts.last, texts.count > 1 else { return texts.first ?? "" }
        return texts.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }
}
