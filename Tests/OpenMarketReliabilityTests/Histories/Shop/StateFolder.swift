@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow

/// What a state folder holds: a value, so that it can be lost, copied and put back.
typealias StateFolder = MarketRecords

extension MarketRecords {
    /// What `state export` and `state import` carry to another folder: no journal.
    var exported: StateFolder { StateFolder(snapshot: snapshot) }
}
