/// A store for the states of markets: the values last applied to each product, and the journal of the runs.
///
/// Several processes, on several machines, may use one store. Anybody may read a market's state at any time. It is
/// changed only through a ``StateSession``, of which each market has at most one at a time.
package protocol StateBackend: Sendable {
    var location: StateLocation { get }

    /// Warnings for the user who chose the location, a sentence each.
    var warnings: [String] { get }

    /// The SQL with which an administrator sets up the store, so that daily work needs only rights to read and change
    /// rows; `nil` if no setup is needed.
    var definition: String? { get }

    /// Creates the store if it does not exist, as holding a market does.
    func prepare() async throws

    /// The known markets, in the order in which they were first held.
    ///
    /// It is empty if there is no state yet, and none is created.
    func markets() async throws -> [KnownMarket]

    /// Opens a market's state for reading; it is empty if there is none, and none is created.
    func read(_ scope: MarketScope) async throws -> any StateReader

    /// Holds a market's state for changes, and creates it if there is none.
    ///
    /// `command` tells others the purpose, such as `apply`; `timeout` is how long to wait for another holder. The
    /// caller has to end the session, whose number is greater than those of all earlier sessions. It throws
    /// ``StateError/Code/locked`` if another session holds the state longer than the timeout, and
    /// ``StateError/Code/moved`` if the state continues elsewhere.
    func hold(_ scope: MarketScope, for command: String, waiting timeout: Duration) async throws -> any StateSession

    /// Joins the run in progress in a market's state; `nil` if no session carries one out.
    ///
    /// `command` tells others the purpose, such as `work`. The caller has to end the session.
    func join(_ scope: MarketScope, for command: String) async throws -> (any StateSession)?

    /// Removes the lock that an ended session left on a market's state, and returns its holder; `nil` if it was not
    /// held.
    ///
    /// If a store has one lock for all its markets, that one is removed. `force` also ends a live session: it changes
    /// nothing any more, and sends nothing once it learns of this, or its time to send is over. It throws
    /// ``StateError/Code/locked`` if the holder is alive and may not or cannot be ended.
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
        let result: Result
        do {
            result = try await body(reader)
        } catch {
            await reader.close()
            throw error
        }
        await reader.close()
        return result
    }

    /// Holds a market's state, and closes the session however the body ends.
    ///
    /// `command` tells others the purpose, such as `apply`; `timeout` is how long to wait for another holder. It throws
    /// ``StateError/Code/locked`` if another session holds the state, and rethrows errors of the body.
    package func holding<Result>(
        _ scope: MarketScope,
        for command: String,
        waiting timeout: Duration = .zero,
        _ body: (any StateSession) async throws -> Result
    ) async throws -> Result {
        let session = try await hold(scope, for: command, waiting: timeout)
        let result: Result
        do {
            result = try await body(session)
        } catch {
            await session.close()
            throw error
        }
        await session.close()
        return result
    }
}
