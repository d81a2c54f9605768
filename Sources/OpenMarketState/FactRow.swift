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

    /// The fact; `nil` where the columns do not make one, as for an operation that is only intended.
    static func fact(_ status: OperationStatus, step: RequestStep?, product: ProductID?, message: String?)
        -> JournalEvent.Fact?
    {
        switch (status, step, message) {
        case (.sent, let step?, _): .sent(step, highWater: product)
        case (.advanced, let step?, _): .advanced(step, created: product)
        case (.succeeded, _, _): .succeeded(product)
        case (.failed, _, let message?): .failed(message)
        case (.unknown, let step?, let message?): .unknown(step, message)
        case (.skipped, _, let message?): .skipped(message)
        default: nil
        }
    }
}
