/// The own vendor identity on a market that shows vendors, and how far the market has confirmed it.
///
/// A number from a person or a saved file is a claim. A claim suffices to read products that may be this vendor's. It
/// never assigns a product to another vendor, because such a product is created a second time. That takes a number that
/// the market confirmed for these credentials.
package struct VendorIdentity: Hashable, Sendable {
    /// How the market confirmed a number.
    package enum Evidence: Hashable, Sendable {
        /// A product of an earlier write still shows the number.
        case product(MarketID)
        /// The market gave the delete key of a product that shows the number.
        case deleteKey(MarketID)
        /// The market refused the delete key of a product with the claimed number, and did not report the own number.
        case deniedKey(MarketID)
        /// The market refused the delete key of a product with the number that is to be adopted or replaced.
        case deniedProduct(MarketID)
        case reply
        /// The market has not reported the own identity, and other vendors' products have the names of own ones.
        case nothing
    }

    /// A product whose delete key shows whether it is this vendor's.
    struct Witness: Hashable, Sendable {
        var id: MarketID
        var vendorID: Int64
        /// Whether the product is in the state; otherwise it only shows the claimed number.
        var isManaged: Bool
    }

    /// The number from the manifest, a command, a saved plan or a state without products.
    package private(set) var claim: Int64?
    /// Whether the claim comes from earlier replies: a reset market reuses vendor ids.
    private(set) var isClaimRemembered = false
    private(set) var confirmed: Int64?
    private(set) var evidence: Evidence?
    /// The number from earlier replies that no product shows any more: a reset market reuses vendor ids.
    private var remembered: Int64?
    /// The keys of own products, if the market supports keys.
    ///
    /// A product with one is this vendor's, whatever vendor it shows.
    var keys: ManagedKeys?
    /// Products whose delete key can be requested, best first.
    private(set) var witnesses: [Witness] = []

    private static let mostWitnesses = 2

    package init() {}

    /// The identity before a run.
    ///
    /// `claim` is the number from the manifest, a command or a saved plan; `state` has the number from earlier replies.
    package init(claim: Int64?, state: StateSnapshot, live: LiveProducts) {
        self.claim = claim
        guard let known = state.vendorID else { return }
        remembered = known
        let entries = state.entries
        if claim == nil, entries.isEmpty {
            // No own product is left to show the number.
            (self.claim, isClaimRemembered) = (known, true)
        }
        // A reset market may have given the id and the vendor number to others, so the product must look like the own
        // one.
        let position = (0..<entries.count).first { position in
            guard let shown = live[entries.id(at: position)],
                Ownership(showing: shown.vendorID, ours: known) == .ours
            else { return false }
            let entry = entries.entry(at: position)
            return shown.name == nil || entry.applied.name == nil || shown.name == entry.applied.name
                || shown.thumbnailURL != nil && shown.thumbnailURL == entry.thumbnailURL
        }
        if let position { (confirmed, evidence) = (known, .product(entries.id(at: position))) }
    }

    init(claim: Int64?, state: StateSnapshot, live: LiveProducts, keys: ManagedKeys?) {
        self.init(claim: claim, state: state, live: live)
        self.keys = keys
    }

    mutating func confirm(_ number: Int64, by evidence: Evidence) {
        confirmed = number
        self.evidence = evidence
    }

    /// Records that the market refuses a product with the claimed number.
    mutating func deny(_ witness: Witness) {
        confirmed = nil
        evidence = .deniedKey(witness.id)
    }

    package mutating func findWitnesses(state: StateSnapshot, live: LiveProducts) {
        guard !isProven else { return }
        witnesses = []
        for entry in state.entries.values where witnesses.count < Self.mostWitnesses {
            guard let vendor = live[entry.id]?.vendorID,
                Ownership(showing: vendor, ours: entry.vendorID) != .foreign
            else { continue }
            witnesses.append(Witness(id: entry.id, vendorID: vendor, isManaged: true))
        }
        guard witnesses.isEmpty, let claim else { return }
        let claimed = live.lazy.filter { Ownership(showing: $0.value.vendorID, ours: claim) == .ours }.map(\.key)
        witnesses = claimed.inOrder().suffix(Self.mostWitnesses).reversed().map {
            Witness(id: $0, vendorID: claim, isManaged: false)
        }
    }

    /// The number that counts as the own one, depending on the decision.
    package enum Trust: Hashable, Sendable, CaseIterable {
        /// Only a number that the market confirms.
        ///
        /// Required to create a product whose name another product has, and to take a product as the result of a lost
        /// create.
        case confirmed
        /// The best available number, even a claim: enough to leave a product alone, or to read it.
        case presumed
    }

    /// The best available number, used to search for own products.
    package var presumed: Int64? { confirmed ?? claim ?? remembered }

    /// The number that the market reported, now or earlier.
    package var said: Int64? { confirmed ?? remembered }

    /// Whether the market confirms the own identity now, so that creates may be sent concurrently.
    var isProven: Bool { confirmed != nil }

    package var contradiction: VendorContradiction? {
        guard let claim, let evidence, confirmed != claim else { return nil }
        if case .deniedKey = evidence { return VendorContradiction(claimed: claim, confirmed: nil, evidence: evidence) }
        guard isProven else { return nil }
        return VendorContradiction(claimed: claim, confirmed: confirmed, evidence: evidence)
    }

    /// The contradiction of the claim by a product that is provably this vendor's.
    func contradiction(by product: LiveProduct) -> VendorContradiction? {
        guard let claim, let shown = product.vendorID, Ownership(showing: shown, ours: claim) == .foreign
        else { return nil }
        return VendorContradiction(claimed: claim, confirmed: shown, evidence: .reply)
    }

    /// The owner of a product, as far as the market shows it.
    package func ownership(of product: LiveProduct, by trust: Trust) -> Ownership {
        Ownership(
            carrying: keys?.key(of: product),
            showing: product.vendorID,
            ours: trust == .confirmed ? confirmed : presumed
        )
    }

    /// Whether a product would be another vendor's if the unconfirmed claim were true.
    func isContested(_ product: LiveProduct) -> Bool {
        confirmed == nil
            && Ownership(carrying: keys?.key(of: product), showing: product.vendorID, ours: claim) == .foreign
    }
}

/// The market reports another vendor number than the claimed one, or does not confirm the claim although it matters.
package struct VendorContradiction: Error, Hashable, Sendable, CustomStringConvertible {
    var claimed: Int64
    /// `nil` if the market only denies the claim.
    var confirmed: Int64?
    var evidence: VendorIdentity.Evidence

    package init(claimed: Int64, confirmed: Int64?, evidence: VendorIdentity.Evidence) {
        self.claimed = claimed
        self.confirmed = confirmed
        self.evidence = evidence
    }

    package var description: String {
        let claim = "the configured vendor number is \(claimed)"
        let number = confirmed.map { "\($0)" } ?? "another one"
        return switch evidence {
        case .product(let id): "\(claim), and your product \(id) shows \(number)"
        case .deleteKey(let id):
            "\(claim), and the market gives you the delete key of product \(id), which shows \(number)"
        case .deniedKey(let id): "\(claim), and the market refuses you the delete key of product \(id), which shows it"
        case .deniedProduct(let id):
            "product \(id) is vendor \(claimed)'s, and the market refuses you its delete key: it is not yours"
        case .nothing:
            "\(claim), the market does not confirm it, and products of the same names may be another vendor's"
        case .reply: "\(claim), and the market's reply to a write shows \(number)"
        }
    }
}
