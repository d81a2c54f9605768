/// What we know of a product that we manage: its id and what was last applied.
package struct StateEntry: Hashable, Sendable {
    /// A picture that we sent and the market's own name for it.
    package struct BoundImage: Hashable, Sendable {
        /// The SHA-256 of the bytes sent.
        package var digest: ContentDigest
        /// ``LiveProduct/Image/reference`` of what the market gave back.
        package var reference: String

        /// Binds a picture to the market's name for it.
        package init(digest: ContentDigest, reference: String) {
            self.digest = digest
            self.reference = reference
        }

        /// Compares references by their bytes.
        package static func == (left: BoundImage, right: BoundImage) -> Bool {
            left.digest == right.digest && left.reference.isExactly(right.reference)
        }
    }

    /// The manifest's key, in composed form.
    package var key: String
    /// The market's id.
    package var id: MarketID
    /// Whose product it is, as the market shows (v2).
    package var vendorID: Int64?
    /// The managed values when they were last applied or found equal.
    ///
    /// `nil` was not managed.
    package var applied: ProductValues {
        // What was shown instead of another value says nothing of this one.
        didSet {
            guard !shown.isEmpty else { return }
            for field in ProductField.allCases where shown[field] != nil && applied[field] != oldValue[field] {
                shown[field] = nil
            }
        }
    }
    /// What the market showed in the place of applied values, where its description says that it shows them otherwise than
    /// they were sent (`echo: normalised`); nothing of all other fields.
    ///
    /// As long as the market shows that, it has what was applied.
    package var shown: ProductValues
    /// The pictures in order, bound to the market's names for them; `nil` while unknown.
    package var images: [BoundImage]?
    /// The thumbnail URL that the market showed last.
    package var thumbnailURL: String?
    /// The edit date that the market showed last.
    package var issuedAt: String?
    /// How to find the product's own password, where it has one (v1).
    package var secret: SecretReference?
    /// Whether the manifest protected it, remembered for when the manifest no longer names it.
    package var isProtected: Bool

    /// What we know of a product.
    package init(
        key: String,
        id: MarketID,
        vendorID: Int64? = nil,
        applied: ProductValues,
        shown: ProductValues = ProductValues(),
        images: [BoundImage]? = nil,
        thumbnailURL: String? = nil,
        issuedAt: String? = nil,
        secret: SecretReference? = nil,
        isProtected: Bool = false
    ) {
        self.key = key
        self.id = id
        self.vendorID = vendorID
        self.applied = applied
        self.shown = shown
        self.images = images
        self.thumbnailURL = thumbnailURL
        self.issuedAt = issuedAt
        self.secret = secret
        self.isProtected = isProtected
    }

    /// Compares texts by their bytes.
    package static func == (left: StateEntry, right: StateEntry) -> Bool {
        left.key.isExactly(right.key) && left.id == right.id && left.vendorID == right.vendorID
            && left.applied == right.applied && left.shown == right.shown && left.images == right.images
            && left.thumbnailURL.isExactly(right.thumbnailURL) && left.issuedAt.isExactly(right.issuedAt)
            && left.secret == right.secret && left.isProtected == right.isProtected
    }
}

extension StateEntry {
    /// Reads what the market shows in the place of what was applied as that.
    func recognize(in values: inout ProductValues) {
        guard !shown.isEmpty else { return }
        for field in ProductField.allCases {
            guard let echo = shown[field], values[field] == echo else { continue }
            values[field] = applied[field]
        }
    }
}

/// The state of one market at one moment.
package struct StateSnapshot: Sendable {
    /// By key.
    package var entries: StateEntries
    /// Our vendor number there, known from the first reply that shows it (v2).
    package var vendorID: Int64?

    /// A snapshot.
    package init(entries: StateEntries = StateEntries(), vendorID: Int64? = nil) {
        self.entries = entries
        self.vendorID = vendorID
    }
}

/// Which market a state belongs to, so that staging and production never mix.
package struct MarketScope: Hashable, Sendable {
    /// The base URL in the spelling of ``MarketURL``.
    package let url: String
    /// The name that the market's description gives it; a corrected description has the same.
    package let name: String
    /// What was filled into the description: another event of a ticket shop is another catalog.
    package let parameters: [String: String]
    /// The SHA-256 of the vendor's identifier; `nil` where it does not keep states apart (v1).
    package var identifier: ContentDigest?

    /// A market.
    package init(url: String, profile: MarketProfile, identifier: ContentDigest?) {
        self.init(url: url, name: profile.name, parameters: profile.parameters, identifier: identifier)
    }

    /// A market by what a state remembers of it.
    package init(url: String, name: String, parameters: [String: String], identifier: ContentDigest?) {
        self.url = MarketURL.normalized(url)
        self.name = name
        self.parameters = parameters
        self.identifier = identifier
    }

    /// Name and parameters, for messages: `pretix, event=tour`.
    package var market: String {
        ([name] + parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(separator: ", ")
    }
}

extension StateEntry.BoundImage {
    /// The market's number of the picture, where that is what the reference is.
    var id: MarketID? {
        Int64(reference).flatMap { String($0).isExactly(reference) ? .number($0) : nil }
    }
}
