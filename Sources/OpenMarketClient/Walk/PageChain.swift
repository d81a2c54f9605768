import OpenMarket
import OpenMarketDescription

/// The path through pages that are each found only through the previous one.
struct PageChain {
    private let form: ListTraits
    /// The hashes of the tokens, addresses and row values that this pass has followed.
    private var followed: Set<UInt64> = []

    init(_ form: ListTraits) { self.form = form }

    /// The address of the page after this one; `nil` if the market states that there is none.
    ///
    /// Throws ``MarketError`` if the market states neither, or leads back to an earlier page.
    mutating func address(behind page: LivePage, number: Int, size: Int) throws(MarketError) -> PageAddress? {
        switch form.style {
        case .number, .offset: return nil
        case .whole:
            if page.hasNext == true || page.next.goesOn {
                throw MarketError(
                    .unreadable,
                    "the market's description has one answer for all, and the market announces another page"
                )
            }
            guard page.rowCount > 0 || isEnd(page) else { throw Self.unprovenEnd(number) }
            return nil
        case .keyset:
            if page.hasNext == false { return nil }
            guard page.rowCount > 0 else {
                guard isEnd(page), page.hasNext != true else { throw Self.unprovenEnd(number) }
                return nil
            }
            guard let key = page.lastKey else {
                throw MarketError(
                    .unreadable,
                    "the last row of page \(number) lacks '\(form.keyPlace)', the value to read the next page by"
                )
            }
            try follow(key, from: number)
            return .after(key, size: size)
        case .cursor, .next:
            if page.hasNext == false { return nil }
            switch page.next {
            case .at(let text):
                try follow(text, from: number)
                return form.style == .cursor ? .cursor(text, size: size) : .next(text, size: size)
            case .refused(let reason):
                throw MarketError(.unreadable, "page \(number) leads to an address that is not read: \(reason)")
            case .none:
                guard page.hasNext != true else {
                    throw MarketError(
                        .unreadable,
                        "page \(number) announces another page without its address"
                    )
                }
                guard page.rowCount > 0 || number > 1 || isEnd(page) else { throw Self.unprovenEnd(number) }
                return nil
            case .unsaid:
                guard page.rowCount == 0, isEnd(page) else { throw Self.unprovenEnd(number) }
                return nil
            }
        }
    }

    private func isEnd(_ page: LivePage) -> Bool { page.provesItsEnd || form.proofs.isEmpty }

    private mutating func follow(_ text: String, from number: Int) throws(MarketError) {
        guard followed.insert(FNVHash(text.utf8).value).inserted else {
            throw MarketError(
                .unreadable,
                "page \(number) of the market's list leads back to a page that was read already: the market may ignore the page parameter"
            )
        }
    }

    /// The error for an end that may come from a server in front of the market.
    static func unprovenEnd(_ number: Int) -> MarketError {
        let what = number == 1 ? "that the catalog is empty" : "that the list ends there"
        return MarketError(
            .unreadable,
            "page \(number) of the market's list is empty, and its reply does not match the API: this does not prove \(what)"
        )
    }
}
