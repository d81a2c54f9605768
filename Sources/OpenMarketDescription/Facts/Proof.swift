package import OpenMarket

package typealias Proof = CatalogProof

extension CatalogProof {
    /// Reasons why a proof cannot be tried on a market; empty if it can.
    func obstacles(in market: MarketDescription) -> [String] {
        let list = market.list
        let style = list.page.style
        var obstacles: [String] = []
        func want(_ holds: Bool, _ words: String) { if !holds { obstacles.append(words) } }
        let hasTotal = list.total?.isOfPage == true
        func wantTotal() {
            let isElsewhere = list.total != nil
            want(
                hasTotal,
                isElsewhere ? "a total of another moment is no proof" : "pages do not show the number of products"
            )
        }
        // A total counts the products that a page leaves out; rows do not show them.
        if self != .sightings, let value = market.sharedKeysetValue {
            obstacles.append(
                "pages begin behind '\(value)', which products may share: a page behind one of them may leave the other out"
            )
        }
        switch self {
        case .whole:
            want(style == .whole, "the list has pages")
        case .keyset:
            guard style == .keyset else { return ["pages do not begin behind a value of the last row"] }
            guard let order = list.order else { return obstacles + ["the order of the rows is not described"] }
            want(
                order.keys.first == list.page.last,
                "the rows are not ordered by '\(list.page.last)', behind which pages begin"
            )
            switch order.moves {
            case .never: break
            case .up:
                want(
                    order.direction == .rising,
                    "a row whose rising value changes moves to the read part, because rows are read falling"
                )
            case .freely: obstacles.append("an edit moves a row from the unread part to the read one")
            }
        case .ranks:
            want(style == .number || style == .offset, "pages have neither numbers nor offsets")
            wantTotal()
            guard let order = list.order else {
                obstacles.append("the order of the rows is not described")
                break
            }
            want(order.direction == .falling, "the newest rows do not come first")
            want(order.moves == .never, "the sort keys of the rows change")
            if order.keys.first == market.identity.id.place {
                want(market.identity.id.order == .rising, "a new product may have any id, and so any place")
            }
        case .numbers:
            want(style != .whole, "the list is not paged")
            want(market.identity.id.kind == .integer, "ids are not numbers")
            want(list.order?.keys.contains(market.identity.id.place) == true, "the rows are not ordered by their ids")
            want(list.order?.moves == .never, "the sort keys of the rows may change")
            want(hasTotal || tellsEnd(list), "the end of the list is not marked")
        case .sightings:
            want(style != .whole, "the list is not paged")
            wantTotal()
        case .twice:
            want(style != .whole, "one answer holds all, and a second reading does not improve the proof")
            want(tellsEnd(list), "the market does not mark the end of the list")
        }
        return obstacles
    }

    /// Whether the market itself reports the end of the list.
    private func tellsEnd(_ list: MarketDescription.List) -> Bool {
        switch list.page.style {
        case .whole, .cursor, .next: true
        case .number, .offset, .keyset: !list.pastEnd.isEmpty || list.more != nil || list.lastPage != nil
        }
    }

    /// From the strongest to the weakest.
    fileprivate static let byStrength: [Proof] = [.whole, .keyset, .ranks, .numbers, .sightings, .twice]
}

/// The completeness proofs to try on a market, and the reasons against the others.
package struct ProofPlan: Equatable, Sendable {
    /// The strongest first; empty if the description states that completeness cannot be proved.
    package var attempts: [Proof]
    package var others: [Excluded]

    package struct Excluded: Equatable, Sendable {
        package var proof: Proof
        package var reasons: [String]
    }

    /// The proofs for a market: the one in its description, and the weaker ones whose preconditions hold.
    init(_ market: MarketDescription) {
        // Numbers and sightings are at least as strong as 'twice'; descriptions do not name them.
        let declared = Proof(rawValue: market.list.complete.rawValue).map { $0 == .twice ? .numbers : $0 }
        attempts = []
        others = []
        let first = declared.flatMap { Proof.byStrength.firstIndex(of: $0) } ?? Proof.byStrength.endIndex
        for (index, proof) in Proof.byStrength.enumerated() {
            var reasons = proof.obstacles(in: market)
            if reasons.isEmpty, index < first {
                reasons = ["the description has 'complete: \(market.list.complete.rawValue)'"]
            }
            if reasons.isEmpty {
                attempts.append(proof)
            } else {
                others.append(Excluded(proof: proof, reasons: reasons))
            }
        }
    }
}

extension MarketDescription {
    package var proofs: ProofPlan { ProofPlan(self) }

    /// The value after which pages begin, if it is not the id and the description does not state that it is unique.
    var sharedKeysetValue: JSONPointer? {
        let page = list.page
        return page.style == .keyset && !page.isUnique && page.last != identity.id.place ? page.last : nil
    }
}
