/// A managed product in the state: its ID and the values last applied.
package struct StateEntry: Hashable, Sendable {
    /// A picture that was sent, and the market's reference for it.
    package struct BoundImage: Hashable, Sendable {
        /// The SHA-256 of the bytes sent.
        package var digest: ContentDigest
        /// ``LiveProduct/Image/reference`` of the picture in the market's reply.
        package var reference: String

        package init(digest: ContentDigest, reference: String) {
            self.digest = digest
            self.reference = reference
        }

        /// Compares references by their bytes.
        package static func == (left: BoundImage, right: BoundImage) -> Bool {
            left.digest == right.digest && left.reference.isExactly(right.reference)
        }
    }

    /// In composed form.
    package var key: String
    package var id: MarketID
    /// The vendor number that the market shows (v2).
    package var vendorID: Int64?
    /// The managed values when they were last applied or found equal; a `nil` field was not managed.
    package var applied: ProductValues {
        // A value shown for another applied value is not evidence for this one.
        didSet {
            guard !shown.isEmpty else { return }
            for field in ProductField.allCases where shown[field] != nil && applied[field] != oldValue[field] {
                shown[field] = nil
            }
        }
    }
    /// The values that the market shows instead of the applied ones.
    ///
    /// Only fields that the market's description declares as `echo`, returned in another form, have one. While the
    /// market shows these values, it has the applied ones.
    package var shown = ProductValues()
    /// In order, bound to the market's references; `nil` while unknown.
    package var images: [BoundImage]?
    /// The thumbnail URL that the market last showed.
    package var thumbnailURL: String?
    /// The edit date that the market last showed.
    package var issuedAt: String?
    /// The reference of the product's own password (v1).
    package var secret: SecretReference?
    /// Whether the manifest protected the product, for the case that it no longer lists the product.
    package var isProtected = false
    /// The file that listed the product when it was last applied, relative to the state's folder; `-` for standard
    /// input, `nil` if it is unknown.
    package var origin: String?

    /// Compares texts by their bytes.
    package static func == (left: StateEntry, right: StateEntry) -> Bool {
        left.key.isExactly(right.key) && left.id == right.id && left.vendorID == right.vendorID
            && left.applied == right.applied && left.shown == right.shown && left.images == right.images
            && left.thumbnailURL.isExactly(right.thumbnailURL) && left.issuedAt.isExactly(right.issuedAt)
            && left.secret == right.secret && left.isProtected == right.isProtected
            && left.origin.isExactly(right.origin)
    }
}

extension StateEntry {
    package init(key: String, id: MarketID, applied: ProductValues) {
        self.init(key: key, id: id, vendorID: nil, applied: applied)
    }

    /// Replaces values in the market's form by the applied ones.
    func recognize(in values: inout ProductValues) {
        guard !shown.isEmpty else { return }
        for field in ProductField.allCases {
            guard let echo = shown[field], values[field] == echo else { continue }
            values[field] = applied[field]
        }
    }
}

package struct StateSnapshot: Sendable {
    package var entries: StateEntries
    /// The client's vendor number on the market, from the first reply that shows it (v2).
    package var vendorID: Int64?

    package init(entries: StateEntries = StateEntries(), vendorID: Int64? = nil) {
        self.entries = entries
        self.vendorID = vendorID
    }
}

/// The market of a state, so that staging and production never mix.
package struct MarketScope: Hashable, Sendable {
    /// In the canonical form of ``MarketURL``.
    package let url: String
    /// The name in the market's description; a corrected description keeps it.
    package let name: String
    /// The description's parameter values: another event of a ticket shop is another catalog.
    package let parameters: [String: String]
    /// The SHA-256 of the vendor's identifier; `nil` if it does not keep states apart (v1).
    package var identifier: ContentDigest?

    package init(url: String, profile: MarketProfile, identifier: ContentDigest?) {
        self.init(url: url, name: profile.name, parameters: profile.parameters, identifier: identifier)
    }

    /// Takes values from a state.
    package init(url: String, name: String, parameters: [String: String], identifier: ContentDigest?) {
        self.url = MarketURL.normalized(url)
        self.name = name
        self.parameters = parameters
        self.identifier = identifier
    }

    /// Name and parameters for messages: `pretix, event=tour`.
    package var market: String {
        ([name] + parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(separator: ", ")
    }
}

extension StateEntry.BoundImage {
    /// `nil` if the reference is not an ID.
    var id: MarketID? { Int64(canonical: reference).map { .number($0) } }
}
