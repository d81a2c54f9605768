package import OpenMarket

extension StateReader {
    /// Checks that the state exists, because a lost one must not count as one without products.
    ///
    /// Throws `StateError` with code `missing`.
    package func requirePresent() async throws {
        guard try await exists else { throw StateError(.missing, "the state \(location) is missing") }
    }

    /// A remark for commands that only read the state; `nil` if it is the one in use.
    package func remark() async throws -> String? {
        try await movedTo().map { "the state \(location) was moved to \($0); this is how it was then" }
    }
}
