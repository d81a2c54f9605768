import OpenMarket

/// A fact of the journal as columns.
struct FactRow {
    let status: OperationStatus
    let message: String?
    var step: RequestStep?
    var highWater: MarketID?
    var created: MarketID?
    var imprint: RequestImprint?

    init(_ fact: JournalEvent.Fact) {
        status = fact.status
        message = fact.message
        switch fact {
        case .sent(let step, let highWater, let imprint):
            (self.step, self.highWater, self.imprint) = (step, highWater, imprint)
        case .advanced(let step, let created): (self.step, self.created) = (step, created)
        case .succeeded(let product): created = product
        case .unknown(let step, _): self.step = step
        case .failed, .skipped: break
        }
    }
}
