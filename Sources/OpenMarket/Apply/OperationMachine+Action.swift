extension OperationMachine {
    /// What the driver has to do next: exactly one at a time; its outcome is the next event.
    enum Action: Hashable, Sendable {
        /// Write a fact; durable before ``Event/recorded``. Before ``JournalEvent/Fact/sent(_:highWater:imprint:)`` the driver
        /// waits until the request may leave at once, so that the time in the journal is that of the request, and adds the
        /// digest of the request's body to its imprint.
        case record(JournalEvent.Fact, [StateMutation])
        /// Send a request, once.
        case send(WriteRequest)
        /// Let time pass; cut short when the run stops.
        case wait(Duration)
        /// Read a product in detail.
        case readProduct(MarketID)
        /// Put the operation aside until the market was asked about its create.
        case settle(LostCreate)
        /// The operation is over.
        case finish(OperationResult)
    }

    /// A create of which it is not known whether it took effect.
    struct LostCreate: Hashable, Sendable {
        /// What was to be made.
        var product: NewProduct
        /// The newest id that was known when the create left.
        var highWater: MarketID?
        /// The product that a reply named and that cannot be taken for the new one.
        var answered: MarketID?
        /// What came instead of a reply that proves something.
        var trouble: String
        /// Why it is not sent once more where it did not happen.
        var objection: Objection?

        /// Whether the market says that a product has the key.
        var isDuplicate: Bool { if case .duplicate? = objection { true } else { false } }

        /// What the market has against a create.
        enum Objection: Hashable, Sendable {
            /// It refused the create when it was sent again.
            case refused
            /// It says that a product has the key. `isFirst` where nothing of this create was sent before, so that the product
            /// is not this create's.
            case duplicate(isFirst: Bool)
        }

        /// A create without such a reply.
        init(
            product: NewProduct,
            highWater: MarketID?,
            answered: MarketID? = nil,
            trouble: String,
            objection: Objection? = nil
        ) {
            self.product = product
            self.highWater = highWater
            self.answered = answered
            self.trouble = trouble
            self.objection = objection
        }
    }
}
