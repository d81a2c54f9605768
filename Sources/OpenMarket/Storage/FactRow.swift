/// A fact of the journal as columns.
package struct FactRow {
    package let status: OperationStatus
    package let message: String?
    package var step: RequestStep?
    package var highWater: MarketID?
    package var created: MarketID?
    package var imprint: RequestImprint?

    package init(_ fact: JournalEvent.Fact) {
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
