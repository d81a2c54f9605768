extension OperationMachine {
    /// The event that the machine waits for, and the data to continue with.
    enum State: Hashable, Sendable {
        case ready
        case recording(Fact)
        case sending(Attempt)
        case waiting(Pause)
        case reading(Question)
        case suspended(LostCreate)
        case ended
    }

    /// A fact that is being recorded, and the step that follows it.
    enum Fact: Hashable, Sendable {
        case request(Attempt)
        /// The outcome of a create is unknown.
        case lost(LostCreate)
        case advance(to: Step)
        case end(OperationResult)
    }

    enum Pause: Hashable, Sendable {
        case ask(Question, about: MarketID)
        case retry(Attempt)
    }

    enum Question: Hashable, Sendable {
        /// Is it unchanged since the plan?
        ///
        /// `absenceAwaited` means that v1's hiding of products after a write is over.
        case isCurrent(ExistingWork, absenceAwaited: Bool)
        /// Is it still unchanged, directly before its first request?
        case isStill(Attempt, ExistingWork)
        case isAdoptable(StateEntry)
        case isGone(Loss)
        /// Does it exist although a request got 404?
        case exists(Attempt)
        /// What are its values after the update?
        case isUpdated(PlannedOperation.Update)
        /// Does it have the picture whose request got no reply?
        case isAttached(Attempt, Attachment)
        /// Does it have the new pictures of an update that got no reply?
        case hasPictures(Attempt, PlannedOperation.Update)
        /// What are its values with all pictures?
        case isComplete(Attachment)
    }

    /// Whether a request may follow the read directly.
    var readsForRequest: Bool {
        switch state {
        case .reading(.isCurrent), .reading(.isStill), .reading(.isGone): true
        default: false
        }
    }

    /// The pictures of an existing product, which are attached one at a time.
    struct Attachment: Hashable, Sendable {
        var id: MarketID
        var values: ProductValues
        var pictures: [Picture]
        var count: Int

        var next: Picture? { count < pictures.count ? pictures[count] : nil }
    }

    /// The market's name of an uploaded picture, and the time of the upload.
    struct UploadedPicture: Hashable, Sendable {
        var digest: ContentDigest
        var reference: String
        var since: Duration
    }

    /// A product of the state that seems to be deleted.
    struct Loss: Hashable, Sendable {
        var id: MarketID
        /// What is created then; `nil` if the product is only forgotten.
        var create: NewProduct?
        /// Whether v1's hiding of products after a write is over.
        var absenceAwaited = false
    }

    enum Step: Hashable, Sendable {
        /// Uploads a picture before the request that names it.
        indirect case upload(Picture, before: Attempt)
        case attach(Picture, to: Attachment)
        case create(NewProduct)
        /// An empty change, before a create whose product replaces one that has a password.
        case prove(PlannedOperation.Replacement)
        case update(PlannedOperation.Update)
        /// The update after a create that sets a picture other than the first as thumbnail.
        case thumbnail(imageID: MarketID, of: StateEntry, wanted: NewProduct)
        case deleteKey(MarketID)
        case delete(MarketID, key: String?)
    }

    struct Attempt: Hashable, Sendable {
        var step: Step
        var failures = 0
        var mayHaveHappened = false
        /// Whether v1's hiding of products after a write is over, for a product that does not show.
        var absenceAwaited = false
        /// Whether a request that got 404 was repeated because the product does show.
        var presenceTried = false
        /// The newest id when a create was first sent.
        var highWater: MarketID?
        var idempotencyKey: String?
        /// When a request with that key was first sent.
        var repeatedSince = Duration.zero
        var references: [String] = []

        /// The data that a later run needs to repeat the request; `nil` if there is none.
        var fingerprint: RequestFingerprint? {
            idempotencyKey == nil && references.isEmpty
                ? nil : RequestFingerprint(idempotencyKey: idempotencyKey, references: references)
        }

        init(_ step: Step, absenceAwaited: Bool = false) {
            self.step = step
            self.absenceAwaited = absenceAwaited
        }
    }

    enum Made: Hashable, Sendable {
        case nothing
        case product(MarketID)
        /// The product of a replace that differs from the sent values: it must be deleted, and the old product stays.
        case mismatch(MarketID)

        var id: MarketID? {
            switch self {
            case .nothing: nil
            case .product(let id), .mismatch(let id): id
            }
        }
    }

    enum Absence {
        case believed
        /// It may be hidden for this long.
        case doubtful(Duration)
        /// It may be hidden, but the time to wait is over.
        case unknowable
    }
}
