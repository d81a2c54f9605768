package import OpenMarket

/// Moves a whole state to another location, market by market.
///
/// Each market is copied in one transaction before the old location records the new one. So an interrupted move leaves
/// it only in the old location, or identical in both; then the same call continues.
package struct StateCopy: Sendable {
    package struct Market: Hashable, Sendable {
        package let scope: MarketScope
        package let products: Int
        package let runs: Int
        package let unresolved: Int
    }

    private let from: any StateBackend
    private let to: any StateBackend

    package init(from: any StateBackend, to: any StateBackend) {
        self.from = from
        self.to = to
    }

    /// Moves every market that has not been moved.
    ///
    /// Throws `StateError` with code `missing` if the state is empty, `conflict` if the new location has a
    /// market that differs, and `locked` if one of them is held.
    package func run() async throws -> [Market] {
        guard from.location != to.location else {
            throw StateError(.conflict, "the state \(from.location) cannot be moved to itself")
        }
        let known = try await from.markets().map(\.scope)
        guard !known.isEmpty else { throw StateError(.missing, "the state \(from.location) does not have a market") }
        var moved: [Market] = []
        for scope in known where try await !isMoved(scope) {
            moved.append(
                try await from.holding(scope, for: "state copy") { old in
                    try await to.holding(scope, for: "state copy") { new in
                        try await move(scope, from: old, to: new)
                    }
                }
            )
        }
        return moved
    }

    private func isMoved(_ scope: MarketScope) async throws -> Bool {
        let elsewhere = try await from.reading(scope) { try await $0.movedTo() }
        guard let elsewhere else { return false }
        // A market in a third location is not in the requested one.
        guard elsewhere.description == to.location.description else {
            throw StateError.moved(from.location, to: elsewhere)
        }
        return true
    }

    private func move(
        _ scope: MarketScope,
        from old: any StateSession,
        to new: any StateSession
    ) async throws -> Market {
        let archive = try await StateArchive(of: old)
        let present = try await StateArchive(of: new)
        if !present.isEmpty {
            // An earlier move ended after the copy, before the old location recorded it.
            guard present.isSame(as: archive) else { throw StateError.isNotEmpty(new.location) }
        } else {
            try await new.fill(with: archive)
        }
        try await old.retire(to: new.location)
        return Market(
            scope: scope,
            products: archive.snapshot.entries.count,
            runs: archive.runs.count,
            unresolved: archive.unresolved.count
        )
    }
}

extension StateArchive {
    var isEmpty: Bool { snapshot.entries.isEmpty && runs.isEmpty }

    /// Whether both are equal, except for data of ended operations that a backend need not keep.
    func isSame(as other: StateArchive) -> Bool {
        snapshot.vendorID == other.snapshot.vendorID && acceptedDescription == other.acceptedDescription
            && snapshot.entries.count == other.snapshot.entries.count
            && snapshot.entries.values.allSatisfy { other.snapshot.entries[$0.key] == $0 } && runs == other.runs
            && unresolved == other.unresolved
    }
}

extension StateCopy {
    /// The moved markets, as the JSON of `state copy`.
    package static func document(_ markets: [Market]) -> JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            (
                "markets",
                .array(
                    markets.map { market in
                        .object(
                            of: ("url", .string(market.scope.url)),
                            ("profile", .string(market.scope.name)),
                            ("products", .integer(market.products)),
                            ("runs", .integer(market.runs)),
                            ("unresolved", .integer(market.unresolved))
                        )
                    }
                )
            )
        )
    }
}
