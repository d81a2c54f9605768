/// A run's name: sorts by time, unique.
package struct RunID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// Such as `20261121T093000Z-4f2a91`.
    package let rawValue: String

    /// Wraps a name.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The name.
    package var description: String { rawValue }
}

/// What a user allowed for one run, against its policies.
package struct RunApproval: Hashable, Sendable {
    /// The policies that were overridden, by their keys in the manifest.
    package var policies: [String]
    /// Why, in the words of whoever did; `nil` where none was given.
    package var reason: String?
    /// The account under which the run was started.
    package var user: String

    /// An approval.
    package init(policies: [String], reason: String?, user: String) {
        self.policies = policies
        self.reason = reason
        self.user = user
    }
}

/// A run as it is announced to the journal.
package struct RunRecord: Hashable, Sendable {
    /// The name.
    package var id: RunID
    /// The SHA-256 of the manifest; `nil` when a saved plan without its manifest is applied.
    package var manifest: ContentDigest?
    /// The version of the tool.
    package var tool: String
    /// What was allowed for it against its policies; `nil` where nothing was.
    package var approval: RunApproval?
    /// The SHA-256 of the description that said how the market is spoken with; `nil` where that is built in.
    package var description: ContentDigest?

    /// A run.
    package init(
        id: RunID,
        manifest: ContentDigest?,
        tool: String,
        approval: RunApproval? = nil,
        description: ContentDigest? = nil
    ) {
        self.id = id
        self.manifest = manifest
        self.tool = tool
        self.approval = approval
        self.description = description
    }
}

/// What makes a request that is sent again the very same one.
///
/// Written down before the request leaves, so that a later run can send it again, or knows that it no longer can.
package struct RequestImprint: Hashable, Sendable {
    /// What the market recognises the request by when it is repeated; `nil` where it does not.
    package var repeatKey: String?
    /// The SHA-256 of its body; `nil` where nothing is repeated.
    package var digest: ContentDigest?
    /// What its pictures are called in it; see ``WriteRequest/references``.
    package var references: [String]

    /// The imprint of a request.
    package init(repeatKey: String? = nil, digest: ContentDigest? = nil, references: [String] = []) {
        self.repeatKey = repeatKey
        self.digest = digest
        self.references = references
    }
}

/// A fact about one operation of a run.
package struct JournalEvent: Hashable, Sendable {
    /// The facts.
    ///
    /// `intended` is written by ``StateSession/begin(_:operations:)``.
    package enum Fact: Hashable, Sendable {
        /// A request is about to leave. `highWater` is the newest id known before it, for a create; `imprint` is what a
        /// later run needs to send the same request again.
        case sent(RequestStep, highWater: MarketID?, imprint: RequestImprint? = nil)
        /// A step succeeded and the operation goes on with the next; `created` is the id a create made.
        case advanced(RequestStep, created: MarketID?)
        /// The operation is done.
        case succeeded(MarketID?)
        /// The operation ended without effect: a definite no, or retries used up with nothing done.
        case failed(String)
        /// It is not known whether the step took effect; a later run has to ask. `answered` is a product that the reply to a
        /// create named, and that could not be taken for the new one.
        case unknown(RequestStep, String, answered: MarketID? = nil)
        /// The operation was never started, or refused as stale before anything was sent.
        case skipped(String)
    }

    /// The run.
    package var run: RunID
    /// The operation's index in the run, from 0.
    package var sequence: Int
    /// Which of the operation's facts it is, from 1.
    package var number: Int
    /// What happened.
    package var fact: Fact
    /// What it means for the state; committed together.
    package var mutations: [StateMutation]

    /// A fact.
    package init(run: RunID, sequence: Int, number: Int, fact: Fact, mutations: [StateMutation] = []) {
        self.run = run
        self.sequence = sequence
        self.number = number
        self.fact = fact
        self.mutations = mutations
    }
}

/// An operation whose outcome is unknown after a crash, a lost reply or a kill.
package struct UnresolvedOperation: Hashable, Sendable {
    /// The run.
    package var run: RunID
    /// The operation's index in the run.
    package var sequence: Int
    /// The number of the last fact written about it.
    var facts: Int
    /// What was to be done.
    package var operation: PlannedOperation
    /// The last step that a request left for, or that succeeded.
    package var step: RequestStep
    /// Whether that step is known to have succeeded, so that only what follows it is unresolved.
    var stepSucceeded: Bool
    /// The newest id known before a create was sent.
    package var highWater: MarketID?
    /// The product that the create made, where its reply arrived.
    var created: MarketID?
    /// The product that a reply to the create named, and that could not be taken for the new one.
    package var answered: MarketID?
    /// When the last request left.
    package var sentAt: Timestamp
    /// When the run ended; `nil` when it was killed, or a later one while it sent the request again, because then it is not
    /// known until when it listened.
    var runEndedAt: Timestamp?
    /// What makes the last request the same when it is sent again.
    package var imprint: RequestImprint?
    /// When a request of this repeat key first left.
    package var imprintedAt: Timestamp?
    /// Whether its run goes on, so that it is not left over from anything.
    var isUnderWay: Bool

    /// An unresolved operation.
    package init(
        run: RunID,
        sequence: Int,
        facts: Int,
        operation: PlannedOperation,
        step: RequestStep,
        stepSucceeded: Bool,
        highWater: MarketID?,
        created: MarketID?,
        answered: MarketID? = nil,
        sentAt: Timestamp,
        runEndedAt: Timestamp? = nil,
        imprint: RequestImprint? = nil,
        imprintedAt: Timestamp? = nil,
        isUnderWay: Bool = false
    ) {
        self.run = run
        self.sequence = sequence
        self.facts = facts
        self.operation = operation
        self.step = step
        self.stepSucceeded = stepSucceeded
        self.highWater = highWater
        self.created = created
        self.answered = answered
        self.sentAt = sentAt
        self.runEndedAt = runEndedAt
        self.imprint = imprint
        self.imprintedAt = imprintedAt
        self.isUnderWay = isUnderWay
    }
}

/// How many operations of a run ended how.
package struct RunTotals: Hashable, Sendable {
    /// Carried out.
    package var done = 0
    /// Ended without effect.
    package var failed = 0
    /// Refused because the product moved since the plan was saved.
    package var stale = 0
    /// Not started.
    package var skipped = 0
    /// The outcome is not known.
    package var unknown = 0

    /// All zero.
    package init() {}
}
