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
        /// The pictures are counted, when what is under way has arrived.
        case recount(Attempt, of: Attachment)
    }

    /// Why a product is read.
    enum Question: Hashable, Sendable {
        /// Is it as it was when the plan was made? `absenceAwaited` is true when it was given the time that v1 hides
        /// products after a write.
        case isCurrent(ExistingWork, absenceAwaited: Bool)
        /// Is it still so, right before its first request leaves?
        case isStill(Attempt, ExistingWork)
        /// Is it there to be taken over?
        case isAdoptable(StateEntry)
        /// Is it gone?
        case isGone(Loss)
        /// Does it exist, although a request was answered with 404?
        case exists(Attempt)
        /// What did the update make of it?
        case isUpdated(PlannedOperation.Update)
        /// Does it have the picture whose request got no reply?
        case isAttached(Attempt, of: Attachment)
        /// What does it show with all its pictures?
        case isComplete(Attachment)
    }

    /// Whether a request may follow what is being read, so that it is to leave right behind that.
    var readsForRequest: Bool {
        switch state {
        case .reading(.isCurrent), .reading(.isStill), .reading(.isGone): true
        default: false
        }
    }

    /// The pictures of a product that exists, which are added one after the other.
    struct Attachment: Hashable, Sendable {
        /// The product.
        var id: MarketID
        /// What it is to have.
        var values: ProductValues
        /// All its pictures.
        var pictures: [Picture]
        /// How many of them it has.
        var count: Int

        /// The next one; `nil` where it has all.
        var next: Picture? { count < pictures.count ? pictures[count] : nil }
    }

    /// What an uploaded picture is called, and since when.
    struct UploadedPicture: Hashable, Sendable {
        var digest: ContentDigest
        var reference: String
        var since: Duration
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
        /// The bytes of a picture, before the request that names it.
        indirect case upload(Picture, before: Attempt)
        /// The next picture of a product that exists.
        case attach(Picture, to: Attachment)
        case create(NewProduct)
        /// A change of nothing, before a create whose product takes the place of one that has a password.
        case prove(PlannedOperation.Replacement)
        case update(PlannedOperation.Update)
        /// The update after a create that makes another picture than the first the thumbnail.
        case thumbnail(imageID: MarketID, of: StateEntry, wanted: NewProduct)
        case deleteKey(MarketID)
        case delete(MarketID, key: String?)

        var request: RequestStep {
            switch self {
            case .upload: .upload
            case .attach: .attach
            case .create: .create
            case .prove: .proveOwnership
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
        /// The newest id that was known when a create left for the first time.
        var highWater: MarketID?
        /// What the market recognises the create by when it is sent again.
        var repeatKey: String?
        /// When a request of that key first left.
        var repeatedSince = Duration.zero
        /// What the pictures are called in the request.
        var references: [String] = []

        /// What a later run needs to send the request again; `nil` where there is nothing to remember.
        var imprint: RequestImprint? {
            repeatKey == nil && references.isEmpty ? nil : RequestImprint(repeatKey: repeatKey, references: references)
        }

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
