import OpenMarket

/// A fact of the journal as columns.
struct FactRow {
    var status: OperationStatus
    var step: RequestStep?
    var highWater: ProductID?
    var created: ProductID?
    var message: String?

    init(_ fact: JournalEvent.Fact) {
        switch fact {
        case .sent(let step, let highWater):
            status = .sent
            self.step = step
            self.highWater = highWater
        case .advanced(let step, let created):
            status = .advanced
            self.step = step
            self.created = created
        case .succeeded(let product):
            status = .succeeded
            created = product
        case .failed(let message):
            status = .failed
            self.message = message
        case .unknown(let step, let message):
            status = .unknown
            self.step = step
            self.message = message
        case .skipped(let message):
            status = .skipped
            self.message = message
        }
    }
}
