package import OpenMarket

/// The reason that a session ends early, besides errors of its market and its state.
package enum SessionError: Error, Hashable, Sendable {
    /// A key of the filter, without wildcards, matches no product.
    ///
    /// A typing error would plan too little, or too much.
    case unmatchedKey(String)
    /// The catalog changed faster than it could be read completely, in this many passes.
    case incompleteExport(passes: Int)
    /// The plan has errors or refusals, so it is not applied.
    case unsoundPlan
    /// The plan differs from the approved one.
    case unexpectedPlan(ContentDigest, expected: ContentDigest)
    /// The decisions are about another plan.
    case otherPlan(ContentDigest, decided: ContentDigest)
    /// Operations of earlier runs are unresolved, and must be resolved first.
    case unresolved([Recovery.Settled])
    /// The plan was created with a state of this many products, but the state at this location lacks them.
    case stateMissing(products: Int, location: StateLocation)
    /// The market is to fetch a picture from this address, but its bytes are not there.
    case pictureNotServed(address: String, path: String, reason: String)
    /// The market of this name is read-only, so planning for it is refused.
    case readOnlyMarket(String, reasons: [String])
    /// The description of the market of this name lacks a request for one product, which this needs.
    case noDetails(String, for: DetailUse)
    /// The description of the market of this name does not state how products show their pictures.
    case noPictures(String)
    /// The description of the market of this name does not state how to hide a product, which a write probe needs.
    case visibleTrial(String)
    /// The description of the market of this name does not allow a valid create request, for these reasons.
    case impossibleTrial(String, reasons: [String])
    /// The description of the market of this name changes products by PUT, and does not state whether that replaces the
    /// product.
    case openPut(String)
    /// The description of the market of this name was not accepted, so only reads are sent.
    case unacceptedMarket(String, digest: ContentDigest)
}

/// The purpose of reading details of single products.
package enum DetailUse: Hashable, Sendable {
    /// An export needs values that the list lacks.
    case export
    /// Pictures are kept, but the list does not show them.
    case pictures
    /// This many products of an earlier export were not in a list with unreadable rows.
    case missingProducts(Int)
}

extension SessionError: CustomStringConvertible {
    /// The error in one sentence, lower case, no full stop.
    package var description: String {
        switch self {
        case .unmatchedKey(let pattern): "no product has a key like '\(pattern)'"
        case .incompleteExport(let passes): CatalogSummary.unsettledWords(passes: passes)
        case .unsoundPlan: "the plan has errors or is refused; no change was sent"
        case .unexpectedPlan(let content, let expected):
            "the plan is sha256:\(content), and sha256:\(expected) was expected; no change was sent"
        case .otherPlan(let content, let decided):
            "the decisions are about the plan sha256:\(decided), and this one is sha256:\(content); no change was sent"
        case .unresolved(let settled): Self.words(settled)
        case .stateMissing(let products, let location):
            "the plan comes from a state with \(counted(products, "product")), which \(location) lacks; "
                + "no change was sent"
        case .pictureNotServed(let address, let path, let reason):
            "\(path) is not at \(address): \(reason); no change was sent"
        case .readOnlyMarket(let name, let reasons):
            "\(name) is read-only: \(reasons.joined(separator: "; ")); no change was sent"
        case .noDetails(let name, let use):
            "\(name) describes no request for one product ('operations.detail')\(use.reason)"
        case .noPictures(let name): "\(name) does not describe how products show their pictures ('pictures.read')"
        case .impossibleTrial(let name, let reasons):
            MarketCapabilities.obstacleMessage("a product of a trial", .create, on: name, reasons)
                + "; no change was sent"
        case .visibleTrial(let name):
            "\(name) does not describe how a product is hidden from buyers ('operations.create.hidden'); no change was sent"
        case .openPut(let name): "\(name): \(MarketCheck.openPut); no change was sent"
        case .unacceptedMarket(let name, let digest):
            "the description of \(name), sha256:\(digest), was not accepted; no change was sent"
        }
    }

    private static func words(_ settled: [Recovery.Settled]) -> String {
        let first = settled.first.map { item in
            "\(item.operation.operation.action.rawValue) of '\(item.operation.operation.key)'"
        }
        let others = settled.count > 1 ? " and \(counted(settled.count - 1, "other"))" : ""
        return "\(first ?? "an operation")\(others) of an earlier run is still unresolved: "
            + (settled.first?.outcome ?? "")
    }
}

extension DetailUse {
    /// The purpose, as the end of a sentence that reports missing details.
    fileprivate var reason: String {
        switch self {
        case .export: ""
        case .pictures: ", and its list does not show pictures"
        case .missingProducts(let count):
            ", and some rows of its list could not be read: \(counted(count, "product")) of the earlier export may be "
                + "gone or unread"
        }
    }
}
