package import OpenMarket

extension StateReader {
    /// Makes sure that there is a state: what is lost must not pass for one without products.
    ///
    /// - Throws: `StateError`, `missing`.
    package func requirePresent() async throws {
        guard try await exists else { throw StateError(.missing, "there is no state at \(location)") }
    }

    /// What whoever only looks at the state should know of it; `nil` where it is the one that is used.
    package func remark() async throws -> String? {
        try await movedTo().map { "the state \(location) was moved to \($0); this is how it was then" }
    }
}
