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

    mutating func handle(_ event: Event, _ now: Context) -> Action {
        switch event {
        case .start: start(now)
        case .recorded: recorded(now)
        case .taken(let message): taken(message)
        case .postponed: postponed(now)
        case .heldBack: heldBack(now)
        case .outcome(let outcome): ended(with: outcome, now)
        case .waited: waited(now)
        case .product(let product): read(product, now)
        case .unreadable(let message): notRead(message, now)
        case .settled(let verdict): settled(verdict, now)
        }
    }
}
