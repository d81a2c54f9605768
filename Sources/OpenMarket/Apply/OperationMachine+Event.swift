extension OperationMachine {
    enum Event: Hashable, Sendable {
        case start
        case recorded
        /// The fact was not written, because the product that it assigns to the operation belongs to another key.
        case taken(String)
        /// The request was not sent, because the market asked for a pause.
        case postponed
        /// The run stopped before the request could be sent; the `sent` fact was not written.
        case heldBack
        case outcome(WriteOutcome)
        case waited
        /// `nil` if the market does not have the product.
        case product(LiveProduct?)
        case unreadable(String)
        case settled(SettlementVerdict)
    }
}
