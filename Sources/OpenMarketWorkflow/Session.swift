package import OpenMarket
import OpenMarketDescription

/// Work on one market with one state: settle earlier runs, plan, apply, export.
///
/// It uses no terminal, files, HTTP or SQLite: market and state are ports, and ``SessionEvent``s report progress. The
/// order of the steps is in `Session+Pipeline.swift`.
package struct Session: Sendable {
    var market: any Market
    let state: any StateReader
    /// The state, if it is held for changes.
    private let held: (any StateSession)?
    /// The description that the user accepts, besides the one that the state has as accepted.
    private let accepted: ContentDigest?
    let configuration: ExecutorConfiguration
    let tool: String
    /// `nil` discards the pictures that a run takes from the market.
    var keeping: PictureKeeping?
    /// The SHA-256 of pictures that were just fetched, by URL.
    ///
    /// Without it, a picture of a market that changes their bytes is no known one.
    var pictureDigests: [ExactText: ContentDigest] = [:]
    /// Reads the markets of the state, this one included.
    var knownMarkets: @Sendable () async throws -> [KnownMarket] = { [] }

    let environment: ExecutionEnvironment
    let onEvent: @Sendable (SessionEvent) -> Void

    /// A session that previews, plans and exports; with the same state as `held`, it also settles and applies.
    ///
    /// A described market receives only reads until its description is accepted. `accepted` is the SHA-256 that the user
    /// accepts now; the state has the one accepted earlier.
    ///
    /// `state` determines the market and the vendor. `tool` is the tool's version, for documents and the journal.
    /// `onEvent` is called from any thread, and must not block.
    init(
        market: any Market,
        reading state: any StateReader,
        holding held: (any StateSession)? = nil,
        accepting accepted: ContentDigest? = nil,
        configuration: ExecutorConfiguration = ExecutorConfiguration(),
        tool: String,
        environment: ExecutionEnvironment = .machine,
        onEvent: @escaping @Sendable (SessionEvent) -> Void = { _ in }
    ) {
        self.market = market
        self.state = state
        self.held = held
        self.accepted = accepted
        self.configuration = configuration
        self.tool = tool
        self.environment = environment
        self.onEvent = onEvent
    }

    var scope: MarketScope { state.scope }

    /// The state for changes; throws `StateError` with code `readOnly` if the session is read-only.
    func requireHeld() throws -> any StateSession {
        guard let held else {
            throw StateError(.readOnly, "the state \(state.location) was opened for reading only")
        }
        return held
    }

    /// Checks that the market can be written; all planning, settling and applying begins with it.
    func requireWritable() throws(CommandFailure) { try market.profile.requireWritable() }

    /// Checks that single products can be read; `need` ends the sentence about it.
    func requireDetails(
        _ need: String = "",
        help: String = "describe it; or export the list's fields, without --details"
    ) throws(CommandFailure) {
        guard !capabilities.showsDetails else { return }
        throw CommandFailure(
            .refused,
            "\(market.profile.name) describes no request for one product ('operations.detail')\(need)",
            help: help
        )
    }

    /// Checks that a described market's description was accepted, and records it.
    ///
    /// Every operation that writes begins with it.
    func requireAccepted() async throws {
        let profile = market.profile
        guard let digest = profile.digestToAccept, try await state.acceptedDescription() != digest else { return }
        guard accepted == digest else { throw CommandFailure.unacceptedMarket(profile.name, digest: digest) }
        try await requireHeld().accept(digest)
    }

    var capabilities: MarketCapabilities { market.profile.capabilities }
}

extension MarketProfile {
    /// Checks that the description states how a change affects fields that it does not name.
    ///
    /// Every apply begins with it.
    func requireKnownChanges() throws(CommandFailure) {
        guard MarketDescription(of: self).leavesPutOpen else { return }
        throw CommandFailure(
            .invalidInput,
            "\(name): \(MarketCheck.openPut); no change was sent",
            help: MarketCheck.openPutHelp
        )
    }

    package func requireWritable() throws(CommandFailure) {
        guard !capabilities.canWrite else { return }
        throw CommandFailure(
            .refused,
            "\(name) is read-only: \(capabilities.writingObstacles.joined(separator: "; ")); no change was sent",
            help: "`openmarket export` and `openmarket ping` read it"
        )
    }
}
