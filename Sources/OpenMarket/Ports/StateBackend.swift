/// A place that holds the states of markets: what was last applied to each product, and the journal of the runs.
///
/// Several processes, on several machines, may use one place. A market's state is read by anybody at any time and
/// changed through a ``StateSession`` only, of which there is one at a time for each market.
package protocol StateBackend: Sendable {
    /// Where the states are.
    var location: StateLocation { get }

    /// What whoever named the place should know about it, a sentence each.
    var warnings: [String] { get }

    /// The SQL with which an administrator makes the place, so that daily work needs no right but to read and change rows;
    /// `nil` where nothing has to be made.
    var definition: String? { get }

    /// Makes the place where it is not there, as holding a market does.
    ///
    /// - Throws: ``StateError``.
    func prepare() async throws

    /// The markets known here, in the order in which they were first held; none where there is no state yet, and none is made.
    func markets() async throws -> [KnownMarket]

    /// Opens a market's state to read it; empty where there is none, and none is made.
    func read(_ scope: MarketScope) async throws -> any StateReader

    /// Holds a market's state to change it; it is made where there is none.
    ///
    /// - Parameters:
    ///   - scope: The market.
    ///   - command: What it is held for, for others to read, such as `apply`.
    ///   - timeout: How long to wait for another holder.
    /// - Returns: A session, which the caller has to end. Its number is greater than those of all sessions before.
    /// - Throws: ``StateError``, `locked` when another session holds it for longer than the timeout, `moved` when the state
    ///   goes on elsewhere.
    func hold(_ scope: MarketScope, for command: String, waiting timeout: Duration) async throws -> any StateSession

    /// Takes part in the run that is under way in a market's state.
    ///
    /// - Parameters:
    ///   - scope: The market.
    ///   - command: What for, for others to read, such as `work`.
    /// - Returns: A session of that run, which the caller has to end; `nil` where no session carries one out.
    /// - Throws: ``StateError``.
    func join(_ scope: MarketScope, for command: String) async throws -> (any StateSession)?

    /// Removes what a holder of a market's state left behind that is no more.
    ///
    /// - Parameters:
    ///   - scope: The market. Where a place has one lock for all its markets, that one is meant.
    ///   - force: Whether to end a session that is there still: it changes nothing any more, and sends nothing from when it
    ///     learns of it, or from when its time to send is over.
    /// - Returns: Who that was; `nil` where nothing was held.
    /// - Throws: ``StateError``, `locked` while the holder is there and may not be ended, or cannot be.
    func unlock(_ scope: MarketScope, force: Bool) async throws -> String?
}

/// A market that a backend knows.
package struct KnownMarket: Hashable, Sendable {
    /// The market.
    package var scope: MarketScope
    /// How many products are managed there.
    package var products: Int

    /// A market.
    package init(scope: MarketScope, products: Int) {
        self.scope = scope
        self.products = products
    }
}

extension StateBackend {
    /// Nothing.
    package var warnings: [String] { [] }

    /// Nothing has to be made.
    package var definition: String? { nil }

    /// Does nothing.
    package func prepare() async throws {}

    /// Reads a market's state, and closes it whatever comes of it.
    ///
    /// - Throws: ``StateError``, and what the body throws.
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
    /// - Parameters:
    ///   - scope: The market.
    ///   - command: What it is held for, for others to read, such as `apply`.
    ///   - timeout: How long to wait for another holder.
    ///   - body: What to do with it.
    /// - Returns: What the body returns.
    /// - Throws: ``StateError``, `locked` when another session holds it, and what the body throws.
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
