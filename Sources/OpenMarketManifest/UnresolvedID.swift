import OpenMarket
import OpenMarketDescription

/// An id that is not written as a number.
///
/// The market, and so the kind of its ids, is clear only after all files are read.
struct UnresolvedID {
    var text: ValueDecoder.Text
    /// Whether it can be read as a number nevertheless.
    var isNumber: Bool
    var file: Int
    var span: SourceSpan
    var path: String
    /// The index among the listings.
    var listing = 0
}

extension ManifestChecker {
    /// Converts all ids to the market's kind.
    mutating func settleIDs() {
        let kind = (market.profile ?? .standard).capabilities.idKind
        if kind == .text { products.spellNumbers() }
        for claim in products.claimedIDs {
            let spelling = claim.text.value
            let fault: String? =
                switch kind {
                case .number: claim.isNumber ? nil : "must be a whole number of at least 1, and not \(claim.text.shown)"
                case .text: MarketID.fault(ofText: spelling)
                }
            guard let fault else {
                if kind == .text, claim.isNumber { products.listings[claim.listing].pinnedID = .text(spelling) }
                continue
            }
            let code: Diagnostic.Code = kind == .number ? .number : .wrongType
            log.add(.error, code, "'id' \(fault)", file: claim.file, span: claim.span, path: claim.path)
            products.listings[claim.listing].pinnedID = nil
            products.drafts[claim.listing].isFaulty = true
            products.drafts[claim.listing].needIsUnclear = true
        }
    }
}
