extension OperationMachine {
    /// What came of the last action.
    enum Event: Hashable, Sendable {
        /// The operation may begin.
        case start
        /// The fact is durable.
        case recorded
        /// The fact was not written, because it says of a product that it is the operation's, and it is another key's.
        case taken(String)
        /// The request was not sent, because the market is to be left alone for now.
        case postponed
        /// The run stopped before the request could leave; the `sent` fact was not written.
        case heldBack
        /// The request came to this.
        case outcome(WriteOutcome)
        /// The time passed, or the run stopped.
        case waited
        /// The market shows this; `nil` when it does not know the product.
        case product(LiveProduct?)
        /// The product could not be read.
        case unreadable(String)
        /// The market was asked about the create.
        case settled(SettlementVerdict)
    }

    /// Takes an event and says what to do next.
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
