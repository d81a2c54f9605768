/// Mistakes that show only when manifest, state and market are combined.
extension Diagnostic {
    static func sharedKey(_ listing: Listing, ids: [MarketID]) -> Diagnostic {
        Diagnostic(
            .error,
            .ambiguousAdoption,
            "\(ids.count) live products may be '\(listing.key)', and at least one carries the key: \(spell(ids))",
            location: listing.location(),
            help: "remove the key from the wrong product there, or give this listing another (`previously:`)"
        )
    }

    /// Products with a managed key that no listing of the plan refers to.
    static func twiceCarried(key: String, ids: [MarketID]) -> Diagnostic {
        Diagnostic(
            .warning,
            .ambiguousAdoption,
            "\(ids.count) live products carry the key '\(key)': \(spell(ids))",
            help: "delete the unwanted ones on the market, or remove the key from them there"
        )
    }

    /// For products that are in no file of the run, and whose file the state does not name.
    static func unknownOrigin(of keys: [String]) -> Diagnostic {
        // Up to ten are named, because each needs a line of its own to be deleted.
        let named = keys.prefix(keys.count > 10 ? 9 : 10).map { "'\($0)'" }
        let others = named.count < keys.count ? [counted(keys.count - named.count, "other product")] : []
        let products = (named + others).listed("and")
        return Diagnostic(
            .warning,
            .unreadFile,
            "\(products) \(keys.count == 1 ? "is" : "are") in no file, and the state does not record which one "
                + "had \(keys.count == 1 ? "it" : "them"): \(keys.count == 1 ? "it stays" : "they stay")",
            help: "to delete one, list it as '{key: \(keys[0]), state: absent}'; "
                + "'openmarket state forget' keeps it on the market"
        )
    }

    static func pinnedMissing(_ listing: Listing, id: MarketID) -> Diagnostic {
        Diagnostic(
            .error,
            .pinnedID,
            "'\(listing.key)' is pinned to product \(id), which the market does not have",
            location: listing.location(),
            help: "take the line `id: \(id)` out to create a new product; "
                + "for another market write 'adjust: [{id: none}]'"
        )
    }

    static func pinnedForeign(_ listing: Listing, id: MarketID) -> Diagnostic {
        Diagnostic(
            .error,
            .pinnedID,
            "'\(listing.key)' is pinned to product \(id), which is not provably yours",
            location: listing.location(),
            help: "check the id; if the product is yours, set `market.vendor_id` or adopt by name"
        )
    }

    static func pinnedTwice(_ listing: Listing, id: MarketID, by key: String) -> Diagnostic {
        Diagnostic(
            .error,
            .pinnedID,
            listing.pinnedID == nil
                ? "product \(id) carries the key '\(listing.key)', and is '\(key)' already"
                : "'\(listing.key)' is pinned to product \(id), which '\(key)' is already",
            location: listing.location(),
            help: listing.pinnedID == nil
                ? "give the listing another key"
                : "`previously: [\(key)]` renames a key; otherwise check the id"
        )
    }

    static func pinnedToPendingDelete(_ listing: Listing, id: MarketID) -> Diagnostic {
        Diagnostic(
            .error,
            .pinnedID,
            "'\(listing.key)' is pinned to product \(id), which an unfinished replace is about to delete",
            location: listing.location(),
            help: "take the line `id: \(id)` out"
        )
    }

    /// `isGone` means that the market lacks the pinned product.
    static func pinnedElsewhere(
        _ listing: Listing,
        pinned: MarketID,
        bound: MarketID,
        isGone: Bool = false
    ) -> Diagnostic {
        Diagnostic(
            isGone ? .warning : .error,
            .pinnedID,
            "'\(listing.key)' has the id \(pinned), "
                + (isGone ? "and is product \(bound) now" : "but the state has it as product \(bound)"),
            location: listing.location(ofCell: .id),
            help: "write \(bound) or no id"
                + (isGone
                    ? ""
                    : "; to manage product \(pinned) instead, take '\(listing.key)' out of the state, which stops managing "
                        + "product \(bound)")
        )
    }

    static func unreadable(key: String, problem: RowProblem, location: SourceLocation?) -> Diagnostic {
        Diagnostic(
            .warning,
            .unreadableRow,
            "'\(key)' is left alone, because the market's row could not be read: \(problem.place): \(problem.message)",
            location: location
        )
    }

    static func spell(_ ids: [MarketID]) -> String {
        let shown = ids.prefix(10).map(\.description).joined(separator: ", ")
        return ids.count > 10 ? "\(shown), …" : shown
    }
}
