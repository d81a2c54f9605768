extension OperationMachine {
    /// The driver's next task: exactly one at a time; its outcome is the next event.
    enum Action: Hashable, Sendable {
        /// Records a fact, which is durable before ``Event/recorded``.
        ///
        /// Before ``JournalEvent/Fact/sent(_:highWater:fingerprint:)`` the driver waits until the request may be sent
        /// at once, so that the time in the journal is that of the request. It also adds the digest of the request's
        /// body.
        case record(JournalEvent.Fact, [StateMutation])
        case send(WriteRequest)
        /// Waits; a stop of the run cuts it short.
        case wait(Duration)
        case readProduct(MarketID)
        /// Suspends the operation until its create is settled.
        case settle(LostCreate)
        case finish(OperationResult)
    }

    struct LostCreate: Hashable, Sendable {
        var product: NewProduct
        /// The newest id when the create was sent.
        var highWater: MarketID?
        /// The product that a reply named but that was not accepted as the new one.
        var answered: MarketID?
        /// The error that came instead of a conclusive reply.
        var trouble: String
        /// Why it is not sent again if it did not happen.
        var objection: Objection?

        var isDuplicate: Bool { if case .duplicate? = objection { true } else { false } }

        enum Objection: Hashable, Sendable {
            /// It refused the create when it was repeated.
            case refused
            /// It reported that a product has the key.
            ///
            /// `isFirst` means that this is the first request of this create, so the product is not this create's.
            case duplicate(isFirst: Bool)
        }
    }
}
