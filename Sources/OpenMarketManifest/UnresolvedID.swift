import OpenMarket
import OpenMarketDescription

/// An id that is not written as a number.
///
/// The market, and so the kind of its ids, is clear only after all files are read.
struct UnresolvedID {
    var spelling: String
    /// Whether it can be read as a number nevertheless.
    var isNumber: Bool
    /// The faults that apply if ids are numbers.
    var faults: DiagnosticLog.Withheld
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
            switch kind {
            case .number:
                guard !claim.isNumber else { continue }
                log.add(claim.faults)
            case .text:
                guard let fault = MarketID.fault(ofText: claim.spelling) else {
                    if claim.isNumber { products.listings[claim.listing].pinnedID = .text(claim.spelling) }
                    continue
                }
                log.add(
                    .error,
                    .wrongType,
                    "'id' \(fault)",
                    file: claim.file,
                    span: claim.span,
                    path: claim.path
                )
            }
            products.listings[claim.listing].pinnedID = nil
            products.drafts[claim.listing].isFaulty = true
            products.drafts[claim.listing].needIsUnclear = true
        }
    }
}
