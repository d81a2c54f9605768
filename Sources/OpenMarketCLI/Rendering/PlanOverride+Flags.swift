import OpenMarket

extension PlanOverride {
    /// The options that grant the override, or the setting in the manifest.
    var flags: String {
        let namesakes = "--allow-namesakes"
        return switch self {
        case .emptyManifest: "--allow-empty"
        case .deletes(let count): "--max-delete \(count)"
        case .gone(let count): "--max-gone \(count)"
        case .currencyChange: "--allow-currency-change"
        case .stockToZero: "--allow-stock-to-zero"
        case .zeroPrice: "--allow-zero-price"
        case .priceChange(let bound): "--max-price-change \(bound.map(Self.percent) ?? "none")"
        case .minimumPrice(let price): "--min-price \(price)"
        case .drift:
            "--on-drift restore or --on-drift keep; "
                + "`openmarket pull --drift` takes the market's values into the manifest"
        case .unprotect(let isListed):
            "set `protected: false` on it and apply that first"
                + (isListed ? "" : "; `openmarket state forget` leaves it on the market")
        case .namesakes(let ids) where ids.count == 1:
            "--adopt or `id: \(ids[0])` if it is, \(namesakes) if another one is meant"
        case .namesakes: "`id:` if one of them is, \(namesakes) if another one is meant"
        case .manyNamesakes: "--adopt if they are yours, \(namesakes) if others are meant"
        case .unread: "run again, or \(namesakes) if another one is meant"
        case .vendor: "set `market.vendor_id` to your number"
        case .vendorNumber: "correct `market.vendor_id`, or remove the line: the market shows the vendor number"
        case .unconfirmedVendor:
            "correct or set `market.vendor_id`; if the number is right, first apply products that no other vendor has (--target), "
                + "or \(namesakes)"
        case .leftover: "delete the surplus product on the market, or \(namesakes) if it is another product"
        case .respelling(let known, canRename: true):
            "write '\(known)' if it is that product, `previously: [\(known)]` if its key is to change, "
                + "\(namesakes) if another one is meant"
        case .respelling(let known, canRename: false):
            "write '\(known)' if it is that product, \(namesakes) if another one is meant"
        case .secondListing(let known, canRename: true):
            "`previously: [\(known)]` if its key is to change, \(namesakes) if a second one is meant"
        case .secondListing(let known, canRename: false):
            "write '\(known)' if it is that product, take it out if it is a copy, \(namesakes) if a second one is meant"
        case .wanderingTexts: "correct the file, or \(namesakes) if the products are to be swapped"
        case .exchangedIDs:
            "correct the ids of the state (`openmarket state export`, then `state import --replace`), or \(namesakes) if "
                + "the products are to be swapped"
        case .otherMarketsIDs: "export this market, or \(namesakes) if these products are meant"
        case .otherProduct: "correct the `id`, or --adopt if it is that product"
        case .unsettledCreates(let canSendKeys):
            (canSendKeys ? "set `market.send_keys: true`, so that a product is found by its key, or " : "set ")
                + "`policies.allow_unsettled_creates: true`"
        case .replacement(let key):
            "put its pictures back, or --recreate '\(key)': the product is deleted, and created again with the new ones"
        case .manyRespellings: "write the existing keys, \(namesakes) if others are meant"
        }
    }
}
