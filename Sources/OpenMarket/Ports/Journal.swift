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

/// What people allowed and decided for one run.
package struct RunApproval: Hashable, Sendable {
    /// The overridden checks, by their keys in the manifest.
    package var policies: [String]
    /// The user's reason; `nil` if none was given.
    package var reason: String?
    /// The account under which the run was started.
    package var user: String
    package var decisions: RunDecisions?

    package init(policies: [String], reason: String?, user: String, decisions: RunDecisions? = nil) {
        self.policies = policies
        self.reason = reason
        self.user = user
        self.decisions = decisions
    }
}

/// The decisions about a saved plan that a run followed.
package struct RunDecisions: Hashable, Sendable {
    /// Who decided; a claim.
    package var by: String
    /// The number of operations that were left out.
    package var rejected: Int
    /// The SHA-256 of the decisions' file.
    package var file: ContentDigest

    package init(by: String, rejected: Int, file: ContentDigest) {
        self.by = by
        self.rejected = rejected
        self.file = file
    }
}

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

/// The data for a later run to repeat a request identically.
///
/// It is stored before the request is sent. With it, a later run repeats the request, or detects that this is no longer
/// possible.
package struct RequestFingerprint: Hashable, Sendable {
    /// `nil` if the market does not recognize repeated requests.
    package var idempotencyKey: String?
    /// The SHA-256 of its body; `nil` if requests are not repeated.
    package var digest: ContentDigest?
    /// See ``WriteRequest/references``.
    package var references: [String]

    package init(idempotencyKey: String? = nil, digest: ContentDigest? = nil, references: [String] = []) {
        self.idempotencyKey = idempotencyKey
        self.digest = digest
        self.references = references
    }
}

/// A fact about one operation of a run.
package struct JournalEvent: Hashable, Sendable {
    /// The kinds of facts, without `intended`, which ``StateSession/begin(_:operations:)`` writes.
    package enum Fact: Hashable, Sendable {
        /// A request is about to be sent.
        ///
        /// For a create, `highWater` is the newest id before it. With `fingerprint`, a later run can send the same
        /// request again.
        case sent(RequestStep, highWater: MarketID?, fingerprint: RequestFingerprint? = nil)
        /// A step succeeded and the operation continues with the next; `created` is the id of a created product.
        case advanced(RequestStep, created: MarketID?)
        /// `note` states how the market altered the sent values.
        case succeeded(MarketID?, note: String? = nil)
        /// The operation ended without effect: a definite refusal, or all retries failed without effect.
        case failed(String)
        /// It is unknown whether the step took effect; a later run has to find out.
        ///
        /// `answered` is a product that the reply to a create named but that was not accepted as the new one.
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
    /// Its state changes, committed together with it.
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
    /// The number of its last fact.
    var facts: Int
    package var operation: PlannedOperation
    /// The last step that was requested or succeeded.
    package var step: RequestStep
    /// Whether that step certainly succeeded, so that only later steps are unresolved.
    var stepSucceeded: Bool
    /// The newest id before a create was sent.
    package var highWater: MarketID?
    /// The created product; `nil` if the reply did not arrive.
    var created: MarketID?
    /// The product that a reply to the create named but that was not accepted as the new one.
    package var answered: MarketID?
    package var sentAt: Timestamp
    /// When the run ended; `nil` if it was killed, or if a later run was killed while it repeated the request.
    ///
    /// In these cases it is unknown how long the process waited for a reply.
    var runEndedAt: Timestamp?
    /// The fingerprint for repeating the last request.
    package var fingerprint: RequestFingerprint?
    /// When a request with this idempotency key was first sent.
    package var firstSentAt: Timestamp?
    /// Whether its run is still in progress, so recovery leaves it alone.
    var isUnderWay = false
}

/// The number of a run's operations by outcome.
package struct RunTotals: Hashable, Sendable {
    package var done = 0
    package var failed = 0
    /// Refused because the product changed since the plan was saved.
    package var stale = 0
    package var skipped = 0
    package var unknown = 0

    package init() {}
}
