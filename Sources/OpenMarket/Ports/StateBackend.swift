/// A store for markets' states: the values last applied to each product, and the journal of the runs.
///
/// Several processes, on several machines, may use one store. Reading a market's state works without a lease. Only a
/// ``StateSession`` changes it, and each market has at most one at a time.
package protocol StateBackend: Sendable {
    var location: StateLocation { get }

    /// Warnings about the location, one sentence each.
    var warnings: [String] { get }

    /// The SQL for an administrator to set up the store, so that daily work needs only rights to read and change rows;
    /// `nil` if no setup is needed.
    var definition: String? { get }

    /// Creates the store if it does not exist, as ``hold(_:for:waiting:)`` does.
    func prepare() async throws

    /// The markets in the store, in the order of their first session.
    ///
    /// It is empty if there is no state yet, and none is created.
    func markets() async throws -> [KnownMarket]

    /// Opens a market's state for reading; it is empty if there is none, and none is created.
    func read(_ scope: MarketScope) async throws -> any StateReader

    /// Takes the lease on a market's state, and creates the state if there is none.
    ///
    /// `command` shows others the purpose, such as `apply`; `timeout` is how long to wait for another holder. The
    /// caller has to close the session, whose number is greater than those of all earlier sessions. It throws
    /// ``StateError/Code/locked`` if another session holds the state longer than the timeout. It throws
    /// ``StateError/Code/moved`` if the state continues elsewhere.
    func hold(_ scope: MarketScope, for command: String, waiting timeout: Duration) async throws -> any StateSession

    /// Joins the run in progress in a market's state; `nil` if there is none.
    ///
    /// `command` shows others the purpose, such as `work`. The caller has to close the session.
    func join(_ scope: MarketScope, for command: String) async throws -> (any StateSession)?

    /// Removes the lock that an ended session left on a market's state, and returns its holder; `nil` if it was not
    /// held.
    ///
    /// If a store has one lock for all its markets, that one is removed. `force` also ends a live session. Such a
    /// session cannot change the state any more; it stops sending when it notices its end, or when its time to send is
    /// over. It throws ``StateError/Code/locked`` if the holder is alive and may not or cannot be ended.
    func unlock(_ scope: MarketScope, force: Bool) async throws -> String?
}

package struct KnownMarket: Hashable, Sendable {
    package var scope: MarketScope
    package var products: Int

    package init(scope: MarketScope, products: Int) {
        self.scope = scope
        self.products = products
    }
}

extension StateBackend {
    package var warnings: [String] { [] }

    package var definition: String? { nil }

    package func prepare() async throws {}

    /// Reads a market's state, and closes the reader however the body ends.
    package func reading<Result>(
        _ scope: MarketScope,
        _ body: (any StateReader) async throws -> Result
    ) async throws -> Result {
        let reader = try await read(scope)
        return try await reader.closing { try await body(reader) }
    }

    /// Holds a market's state, and closes the session however the body ends.
    ///
    /// `command` shows others the purpose, such as `apply`; `timeout` is how long to wait for another holder. It throws
    /// ``StateError/Code/locked`` if another session holds the state, and rethrows errors of the body.
    package func holding<Result>(
        _ scope: MarketScope,
        for command: String,
        waiting timeout: Duration = .zero,
        _ body: (any StateSession) async throws -> Result
    ) async throws -> Result {
        let session = try await hold(scope, for: command, waiting: timeout)
        return try await session.closing { try await body(session) }
    }
}

extension StateReader {
    fileprivate func closing<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            await close()
            return result
        } catch {
            await close()
            throw error
        }
    }
}
