import OpenMarket

extension OperationMachine {
    /// What the machine waits for, and what it takes to go on then.
    enum State: Hashable, Sendable {
        /// The operation has not begun.
        case ready
        /// A fact is being written.
        case recording(Fact)
        /// A request is under way.
        case sending(Attempt)
        /// Time passes.
        case waiting(Pause)
        /// A product is being read.
        case reading(Question)
        /// The market is being asked about a create.
        case suspended(LostCreate)
        /// The operation is over.
        case ended
    }

    /// A fact that is being written, and what follows it.
    enum Fact: Hashable, Sendable {
        /// A request is about to leave.
        case request(Attempt)
        /// It is not known whether a create took effect.
        case lost(LostCreate)
        /// A step is done, and another follows.
        case advance(to: Step)
        /// The operation ended like this.
        case end(OperationResult)
    }

    /// What follows when the time has passed.
    enum Pause: Hashable, Sendable {
        /// The product that does not show is read again.
        case reread(ExistingWork)
        /// The product that seems to be gone is read again.
        case confirm(Loss)
        /// The request leaves again.
        case retry(Attempt)
    }

    /// Why a product is read.
    enum Question: Hashable, Sendable {
        /// Is it as it was when the plan was made? `absenceAwaited` is true when it was given the time that v1 hides
        /// products after a write.
        case isCurrent(ExistingWork, absenceAwaited: Bool)
        /// Is it gone?
        case isGone(Loss)
        /// Does it exist, although a request was answered with 404?
        case exists(Attempt)
        /// What did the update make of it?
        case isUpdated(PlannedOperation.Update)
    }

    /// A product that the state knows and that seems to be gone.
    struct Loss: Hashable, Sendable {
        /// What follows when it is.
        enum Sequel: Hashable, Sendable {
            case create(NewProduct)
            case forget
        }

        var id: MarketID
        var sequel: Sequel
        /// Whether the product was given the time that v1 hides products after a write.
        var absenceAwaited = false
    }

    /// A request that the operation needs, with what is in it.
    enum Step: Hashable, Sendable {
        case create(NewProduct)
        case update(PlannedOperation.Update)
        /// The update after a create that makes another picture than the first the thumbnail.
        case thumbnail(imageID: MarketID, of: StateEntry, wanted: NewProduct)
        case deleteKey(MarketID)
        case delete(MarketID, key: String?)

        var request: RequestStep {
            switch self {
            case .create: .create
            case .update, .thumbnail: .update
            case .deleteKey: .deleteKey
            case .delete: .delete
            }
        }
    }

    /// The attempts of one step.
    struct Attempt: Hashable, Sendable {
        var step: Step
        /// How many failed so far.
        var failures = 0
        /// Whether one of them may have taken effect.
        var mayHaveHappened = false
        /// Whether a product that does not show was given the time that v1 hides products after a write.
        var absenceAwaited = false
        /// Whether a request that was answered with 404 was repeated because the product does show.
        var presenceTried = false
        /// The newest id that was known when a create left.
        var highWater: MarketID?

        init(_ step: Step, absenceAwaited: Bool = false) {
            self.step = step
            self.absenceAwaited = absenceAwaited
        }
    }

    /// The product that a create or replace made.
    enum Made: Hashable, Sendable {
        /// None so far.
        case nothing
        /// This one.
        case product(MarketID)
        /// This one for a replace, but not as it was sent: it has to go, and the old product stays.
        case mismatch(MarketID)

        var id: MarketID? {
            switch self {
            case .nothing: nil
            case .product(let id), .mismatch(let id): id
            }
        }
    }

    /// What to think of a product that does not show.
    enum Absence {
        /// It is gone.
        case believed
        /// It may be hidden for this long.
        case doubtful(Duration)
        /// It may be hidden, and there is no time left to wait.
        case unknowable
    }
}
