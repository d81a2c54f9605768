/// Who we are on a market that shows vendors, and what of it the market has confirmed.
///
/// A number that a person typed or a saved file holds is a claim. It says which products may be ours, which is enough to
/// look at them; it never makes a product another vendor's, because what is taken for another vendor's is made a second time.
/// That takes a number that the market confirmed under our credentials.
package struct VendorIdentity: Hashable, Sendable {
    /// How the market confirmed a number.
    package enum Evidence: Hashable, Sendable {
        /// A product that we wrote earlier shows the number still.
        case product(MarketID)
        /// The market gave us the delete key of a product that shows the number.
        case deleteKey(MarketID)
        /// The market refused the delete key of a product that shows the claimed number; which one is ours it did not say.
        case deniedKey(MarketID)
        /// The market refused the delete key of a product that is to be taken over or made again, and shows the number.
        case deniedProduct(MarketID)
        /// The reply to a write of this run.
        case reply
        /// Nothing: the market has not said who we are, and products of other vendors have the names of ours.
        case nothing
    }

    /// A product whose delete key shows whether we are the vendor that the product names.
    struct Witness: Hashable, Sendable {
        /// The product.
        var id: MarketID
        /// The vendor that it shows.
        var vendorID: Int64
        /// Whether the state knows it; otherwise it shows the claimed number, and that is all.
        var isManaged: Bool

        /// A witness.
        init(id: MarketID, vendorID: Int64, isManaged: Bool) {
            self.id = id
            self.vendorID = vendorID
            self.isManaged = isManaged
        }
    }

    /// The number that the manifest, a command or a saved plan says, or else a state without products.
    package private(set) var claim: Int64?
    /// Whether the claim is what the market said in earlier replies: a market that was set up again numbers its vendors again.
    private(set) var isClaimRemembered = false
    /// The number that the market confirms.
    private(set) var confirmed: Int64?
    /// How it does.
    private(set) var evidence: Evidence?
    /// The number of earlier replies, where no product shows it any more: a market that was set up again numbers its
    /// vendors again.
    private var remembered: Int64?
    /// The keys of our products, where the market carries them: what carries one is ours, whatever vendor it shows.
    var keys: OwnKeys?
    /// Products that can be asked about, the best first.
    private(set) var witnesses: [Witness] = []

    /// How many witnesses are asked at most.
    private static let mostWitnesses = 2

    /// Nothing is known.
    package init() {}

    /// What is known before a run.
    ///
    /// - Parameters:
    ///   - claim: The number that the manifest, a command or a saved plan says.
    ///   - state: What earlier replies said; the state of this identifier on this market.
    ///   - live: What the market shows now.
    package init(claim: Int64?, state: StateSnapshot, live: LiveProducts) {
        self.claim = claim
        guard let known = state.vendorID else { return }
        remembered = known
        let entries = state.entries
        if claim == nil, entries.isEmpty {
            // No product of ours is left that would show it today.
            (self.claim, isClaimRemembered) = (known, true)
        }
        // A market that began again may have given number and vendor to others: the product has to look like ours.
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

    /// Takes over what the market says.
    mutating func confirm(_ number: Int64, by evidence: Evidence) {
        confirmed = number
        self.evidence = evidence
    }

    /// Takes note that the market refuses us a product that shows the claimed number.
    mutating func deny(_ witness: Witness) {
        confirmed = nil
        evidence = .deniedKey(witness.id)
    }

    /// Finds the products that can be asked about, where the number is not confirmed.
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

    /// Which number counts as ours, by what is decided with it.
    package enum Trust: Hashable, Sendable, CaseIterable {
        /// Only the one that the market confirms: to make a product although another has its name, and to take a product
        /// for what a lost create made.
        case confirmed
        /// The best that is known, be it only said: to leave a product alone, or to look at it.
        case presumed
    }

    /// The number to look for our products by: the best that is known.
    package var presumed: Int64? { confirmed ?? claim ?? remembered }

    /// The number that the market says, now or in earlier replies.
    package var said: Int64? { confirmed ?? remembered }

    /// Whether the market shows at present who we are, so that creates may leave side by side.
    var isProven: Bool { confirmed != nil }

    /// What the market says against the claim; `nil` where it says nothing against it.
    package var contradiction: VendorContradiction? {
        guard let claim, let evidence, confirmed != claim else { return nil }
        if case .deniedKey = evidence { return VendorContradiction(claimed: claim, confirmed: nil, evidence: evidence) }
        guard isProven else { return nil }
        return VendorContradiction(claimed: claim, confirmed: confirmed, evidence: evidence)
    }

    /// What a product that is provably ours says against the claim.
    func contradiction(by product: LiveProduct) -> VendorContradiction? {
        guard let claim, let shown = product.vendorID, Ownership(showing: shown, ours: claim) == .foreign
        else { return nil }
        return VendorContradiction(claimed: claim, confirmed: shown, evidence: .reply)
    }

    /// Whose a product is.
    ///
    /// - Parameters:
    ///   - product: The product as the market shows it.
    ///   - trust: Which number counts as ours.
    /// - Returns: the owner, as far as it shows.
    package func ownership(of product: LiveProduct, by trust: Trust) -> Ownership {
        Ownership(
            carrying: keys?.key(of: product),
            showing: product.vendorID,
            ours: trust == .confirmed ? confirmed : presumed
        )
    }

    /// Whether a product would be another vendor's if the claim were true, which nothing confirms.
    func isContested(_ product: LiveProduct) -> Bool {
        confirmed == nil
            && Ownership(carrying: keys?.key(of: product), showing: product.vendorID, ours: claim) == .foreign
    }
}

/// The market says that we are another vendor than the one that was claimed, or does not say that we are that one where it matters.
package struct VendorContradiction: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number that was claimed.
    var claimed: Int64
    /// The number that the market confirms; `nil` where it only denies the claim.
    var confirmed: Int64?
    /// How it does.
    var evidence: VendorIdentity.Evidence

    /// A contradiction.
    package init(claimed: Int64, confirmed: Int64?, evidence: VendorIdentity.Evidence) {
        self.claimed = claimed
        self.confirmed = confirmed
        self.evidence = evidence
    }

    /// The contradiction as a clause for messages.
    package var description: String {
        let claim = "the vendor number is said to be \(claimed)"
        let number = confirmed.map { "\($0)" } ?? "another one"
        return switch evidence {
        case .product(let id): "\(claim), and product \(id), which is ours, shows \(number)"
        case .deleteKey(let id):
            "\(claim), and the market gives us the delete key of product \(id), which shows \(number)"
        case .deniedKey(let id): "\(claim), and the market refuses us the delete key of product \(id), which shows it"
        case .deniedProduct(let id):
            "product \(id) is vendor \(claimed)'s, and the market refuses us its delete key: it is not ours"
        case .nothing:
            "\(claim), nothing on the market confirms it, and products of the same names may be another vendor's"
        case .reply: "\(claim), and the market says \(number) in reply to a write of ours"
        }
    }
}
