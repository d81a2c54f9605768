/// Mistakes that show only when manifest, state and market are combined.
extension Diagnostic {
    static func ambiguousAdoption(_ listing: Listing, ids: [MarketID]) -> Diagnostic {
        Diagnostic(
            .error,
            .ambiguousAdoption,
            "'\(listing.key)' could be any of \(ids.count) live products of the same name: \(spell(ids))",
            location: listing.location(),
            help: "choose one with `id:`"
        )
    }

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

    static func picturesNotCompared(_ listing: Listing, id: MarketID, reason: MarketError) -> Diagnostic {
        Diagnostic(
            .warning,
            .picturesNotCompared,
            "the pictures of '\(listing.key)' (product \(id)) were not compared: \(reason)",
            location: listing.location(of: .images),
            help: reason.code == .foreignHost
                ? "name the host there if the market keeps its pictures on it"
                : "they stay as they are; --recreate KEY replaces the product, with the manifest's"
        )
    }

    static func keptStocks(_ count: Int) -> Diagnostic {
        Diagnostic(
            .warning,
            .keptStock,
            "the stock of \(counted(count, "product")) changed on the market, and stays as it is there",
            help:
                "'policies.on_drift: {stock: restore}' puts the manifest's back; 'keep' there silences this"
        )
    }

    static func unreadFile(_ file: String, lists count: Int) -> Diagnostic {
        Diagnostic(
            .warning,
            .unreadFile,
            "\(file) is not read; \(counted(count, "product")) that it listed last \(count == 1 ? "stays" : "stay")",
            help: "name it, or list it in 'include' of the manifest"
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

    static func listedElsewhere(_ keys: [String], by file: String) -> Diagnostic {
        let others = keys.count == 1 ? "" : " and \(counted(keys.count - 1, "other product"))"
        return Diagnostic(
            .warning,
            .unreadFile,
            "'\(keys[0])'\(others) \(keys.count == 1 ? "was" : "were") last applied from \(file), which is not read"
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

    static func pinOutdated(_ listing: Listing, pinned: MarketID, bound: MarketID) -> Diagnostic {
        guard listing.row == nil else {
            return Diagnostic(
                .warning,
                .pinnedID,
                "'id' is \(pinned) here, and '\(listing.key)' is product \(bound) now",
                location: listing.location(ofCell: .id),
                help: "write \(bound), or empty the cell"
            )
        }
        return Diagnostic(
            .warning,
            .pinnedID,
            "'\(listing.key)' is pinned to product \(pinned), which is gone; it is product \(bound) now",
            location: listing.location(),
            help: "write `id: \(bound)`, or take the line out"
        )
    }

    static func pinnedElsewhere(_ listing: Listing, pinned: MarketID, bound: MarketID) -> Diagnostic {
        guard listing.row == nil else {
            return Diagnostic(
                .error,
                .pinnedID,
                "'id' is \(pinned) here, and '\(listing.key)' is product \(bound): both must belong to the same product",
                location: listing.location(ofCell: .id),
                help: "empty the cell that is wrong"
            )
        }
        return Diagnostic(
            .error,
            .pinnedID,
            "'\(listing.key)' is pinned to product \(pinned), but the state has it as product \(bound)",
            location: listing.location(),
            help:
                "write `id: \(bound)`, or take '\(listing.key)' out of the state, which stops managing product \(bound)"
        )
    }

    /// States the consequence only if the market causes the mistake, not the manifest.
    static func saleDoesNotFit(
        _ listing: Listing,
        salePrice: ExactDecimal,
        price: ExactDecimal,
        _ consequence: String?
    ) -> Diagnostic {
        let fault = salePrice > price ? "above its price of \(price)" : "which is below zero"
        return Diagnostic(
            consequence == nil ? .error : .warning,
            .salePrice,
            "'\(listing.key)' would have the sale price \(salePrice), \(fault)"
                + (consequence.map { ": it is \($0)" } ?? ""),
            location: listing.location(of: .salePrice),
            help: "write both `price` and `sale_price`: one of them is now as the market has it"
        )
    }

    /// An amount on the market that the manifest does not state, when the currency changes.
    static func amountOfOldCurrency(
        _ listing: Listing,
        _ field: ProductField,
        _ amount: ExactDecimal,
        _ old: Currency?,
        _ new: Currency?
    ) -> Diagnostic {
        let currencies = [old, new].compactMap { $0?.description }.joined(separator: " to ")
        return Diagnostic(
            .error,
            .currency,
            "the currency of '\(listing.key)' changes from \(currencies), and its \(field.rawValue) of \(amount) on the market "
                + "would stay",
            location: listing.location(of: .currency),
            help: "write both `price` and `sale_price` in the new currency; a `sale_price` at the price ends a sale"
        )
    }

    /// A product that is free for buyers since a change on the market.
    static func free(_ listing: Listing, id: MarketID, insteadOf paid: ExactDecimal) -> Diagnostic {
        Diagnostic(
            .warning,
            .freeOnMarket,
            "buyers pay 0 for '\(listing.key)' (product \(id)) on the market, and \(paid) as last applied",
            location: listing.location()
        )
    }

    /// A replace that uses one password although its two products may have different ones.
    static func otherPassword(_ listing: Listing, id: MarketID) -> Diagnostic {
        Diagnostic(
            .error,
            .secret,
            "the password of '\(listing.key)' comes from another place than that of product \(id), which "
                + "perhaps cannot be deleted after the new one is created",
            location: listing.location(),
            help: "put the former 'secret' back; or, if it is the same, apply without the replacement first"
        )
    }

    static func thumbnailNotLive(_ listing: Listing, id: MarketID) -> Diagnostic {
        Diagnostic(
            .warning,
            .thumbnail,
            "the thumbnail of '\(listing.key)' cannot be set: product \(id) does not have that picture",
            location: listing.location(of: .thumbnail)
        )
    }

    static func possibleRename(from old: String, to new: PlannedOperation, by likeness: String) -> Diagnostic {
        Diagnostic(
            .warning,
            .possibleRename,
            "'\(old)' leaves and '\(new.key)' appears with the same "
                + (likeness == "pictures" && new.pictures.count == 1 ? "picture" : likeness),
            location: new.source,
            help: "did you mean `previously: [\(old)]`? It keeps the product, its id and its link"
        )
    }

    static func formerKey(_ listing: Listing, _ fault: FormerKeyFault) -> Diagnostic {
        let message: String
        let help: String?
        switch fault {
        case .stillListed(let old):
            message = "'\(listing.key)' cannot replace '\(old)', which is a product of its own"
            help = "take the product '\(old)' out, or the key out of `previously`"
        case .takenOver(let old):
            message = "'\(listing.key)' cannot replace '\(old)', because another product does"
            help = "leave '\(old)' in one `previously`"
        case .several(let products):
            let list = products.map { "'\($0.key)' (product \($0.id))" }.joined(separator: " and ")
            message = "'\(listing.key)' cannot be renamed, because the state has \(list): only one of them can stay"
            help =
                products.first?.key == listing.key
                ? "take `previously` out to keep product \(products[0].id); to keep another one, apply without "
                    + "'\(listing.key)' first"
                : "leave one key in `previously`; a product whose key is no longer in the manifest is deleted"
        }
        return Diagnostic(.error, .formerKey, message, location: listing.location(), help: help)
    }

    static func keepsFormerKey(_ listing: Listing, id: MarketID, former: String, on market: String) -> Diagnostic {
        Diagnostic(
            .warning,
            .formerKey,
            "'\(listing.key)' is product \(id), which keeps the key '\(former)' on \(market): it cannot be changed",
            location: listing.location(),
            help: "keep `previously: [\(former)]`: it identifies the product if the state is lost"
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

    static func incomplete(_ listing: Listing, missing: [ProductField]) -> Diagnostic {
        let fields = missing.map(\.rawValue).joined(separator: ", ")
        return Diagnostic(
            .error,
            .missingField,
            "'\(listing.key)' has to be created, but the manifest lacks: \(fields)",
            location: listing.location()
        )
    }

    private static func spell(_ ids: [MarketID]) -> String {
        let shown = ids.prefix(10).map(\.description).joined(separator: ", ")
        return ids.count > 10 ? "\(shown), …" : shown
    }
}
