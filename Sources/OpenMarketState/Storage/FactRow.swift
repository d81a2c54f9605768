import OpenMarket

struct FactRow {
    let status: OperationStatus
    let message: String?
    var step: RequestStep?
    var highWater: MarketID?
    var created: MarketID?
    var answered: MarketID?
    var imprint: RequestImprint?

    /// The product of the fact, in whichever part; no fact names two.
    var product: MarketID? { created ?? highWater ?? answered }

    init(_ fact: JournalEvent.Fact) {
        status = fact.status
        message = fact.message
        switch fact {
        case .sent(let step, let highWater, let imprint):
            (self.step, self.highWater, self.imprint) = (step, highWater, imprint)
        case .advanced(let step, let created): (self.step, self.created) = (step, created)
        case .succeeded(let product, _): created = product
        case .unknown(let step, _, let answered): (self.step, self.answered) = (step, answered)
        case .failed, .skipped: break
        }
    }
}
