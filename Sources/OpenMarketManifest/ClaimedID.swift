import OpenMarket
import OpenMarketDescription

/// An id that is not written as numbers are: what market it is, and so what the id has to be, is known only once all
/// files were read.
struct ClaimedID {
    /// How it is written.
    var spelling: String
    /// Whether it is a number all the same.
    var isNumber: Bool
    /// What is wrong with it where ids are numbers.
    var faults: DiagnosticLog.Withheld
    var file: Int
    var span: SourceSpan
    var path: String
    /// The product's place among the listings.
    var listing = 0
}

extension ManifestChecker {
    /// Makes all ids what the market's are.
    mutating func settleIDs() {
        let kind = (market.profile ?? .v2b).capabilities.idKind
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
