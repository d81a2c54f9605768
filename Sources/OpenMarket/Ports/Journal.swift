/// A run's unique name, which sorts by time.
package struct RunID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// Such as `20261121T093000Z-4f2a91`.
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package var description: String { rawValue }
}

extension RunID: DocumentCodable {}

/// The policies that a user overrode for one run.
package struct RunApproval: Hashable, Sendable {
    /// The overridden policies, by their keys in the manifest.
    package var policies: [String]
    /// The user's reason; `nil` if none was given.
    package var reason: String?
    /// The account under which the run was started.
    package var user: String

    package init(policies: [String], reason: String?, user: String) {
        self.policies = policies
        self.reason = reason
        self.user = user
    }
}

/// A run as it is written to the journal.
package struct RunRecord: Hashable, Sendable {
    package var id: RunID
    /// The SHA-256 of the manifest; `nil` if a saved plan without its manifest is applied.
    package var manifest: ContentDigest?
    package var tool: String
    package var approval: RunApproval?
    /// The SHA-256 of the market's description; `nil` if it is built in.
    package var description: ContentDigest?

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

/// The fingerprint that makes a repeated request identical to the first one.
///
/// It is stored before the request is sent, so that a later run can send it again, or knows that it cannot any more.
package struct RequestFingerprint: Hashable, Sendable {
    /// The key by which the market recognizes a repeated request; `nil` if it does not.
    package var idempotencyKey: String?
    /// The SHA-256 of its body; `nil` if requests are not repeated.
    package var digest: ContentDigest?
    /// The names of its pictures in the request; see ``WriteRequest/references``.
    package var references: [String]

    package init(idempotencyKey: String? = nil, digest: ContentDigest? = nil, references: [String] = []) {
        self.idempotencyKey = idempotencyKey
        self.digest = digest
        self.references = references
    }
}

/// A fact about one operation of a run.
package struct JournalEvent: Hashable, Sendable {
    /// The kinds of facts.
    ///
    /// `intended` is written by ``StateSession/begin(_:operations:)``.
    package enum Fact: Hashable, Sendable {
        /// A request is about to be sent.
        ///
        /// For a create, `highWater` is the newest id known before it; with `fingerprint` a later run can send the same
        /// request again.
        case sent(RequestStep, highWater: MarketID?, fingerprint: RequestFingerprint? = nil)
        /// A step succeeded and the operation continues with the next; `created` is the id of a created product.
        case advanced(RequestStep, created: MarketID?)
        /// `note` is how the market altered what it was sent.
        case succeeded(MarketID?, note: String? = nil)
        /// The operation ended without effect: a definite refusal, or all retries failed without effect.
        case failed(String)
        /// It is unknown whether the step took effect; a later run has to find out.
        ///
        /// `answered` is a product that the reply to a create named, and that could not be taken for the new one.
        case unknown(RequestStep, String, answered: MarketID? = nil)
        /// The operation was never started, or refused as stale before a request was sent.
        case skipped(String)
    }

    package var run: RunID
    /// The operation's index in the run, from 0.
    package var sequence: Int
    /// The number of the fact within the operation, from 1.
    package var number: Int
    package var fact: Fact
    /// Its changes of the state; committed together with it.
    package var mutations: [StateMutation]

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
    package var run: RunID
    /// The operation's index in the run, from 0.
    package var sequence: Int
    /// The number of the last fact written about it.
    var facts: Int
    package var operation: PlannedOperation
    /// The last step that was requested or succeeded.
    package var step: RequestStep
    /// Whether that step is known to have succeeded, so that only later steps are unresolved.
    var stepSucceeded: Bool
    /// The newest id known before a create was sent.
    package var highWater: MarketID?
    /// The product that the create made; `nil` if its reply did not arrive.
    var created: MarketID?
    /// The product that a reply to the create named, and that could not be taken for the new one.
    package var answered: MarketID?
    package var sentAt: Timestamp
    /// When the run ended; `nil` if it was killed, or a later one while it sent the request again.
    ///
    /// In these cases it is unknown how long it waited for a reply.
    var runEndedAt: Timestamp?
    /// The fingerprint for sending the last request again.
    package var fingerprint: RequestFingerprint?
    /// When a request with this repeat key was first sent.
    package var imprintedAt: Timestamp?
    /// Whether its run is still in progress, so that it is not a leftover.
    var isUnderWay: Bool

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
        fingerprint: RequestFingerprint? = nil,
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
        self.fingerprint = fingerprint
        self.imprintedAt = imprintedAt
        self.isUnderWay = isUnderWay
    }
}

/// The numbers of operations of a run by outcome.
package struct RunTotals: Hashable, Sendable {
    package var done = 0
    package var failed = 0
    /// Refused because the product changed since the plan was saved.
    package var stale = 0
    package var skipped = 0
    package var unknown = 0

    package init() {}
}
