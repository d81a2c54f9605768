/// A permission from the user that lets a refused plan pass.
package enum PlanOverride: Hashable, Sendable, CustomStringConvertible {
    case emptyManifest
    case deletes(Int)
    case gone(Int)
    case currencyChange
    case stockToZero
    case zeroPrice
    /// Allow prices to change by this share, in hundredths of a percent; `nil` for any change.
    case priceChange(Int64?)
    case minimumPrice(ExactDecimal)
    /// Decide whether values that changed on the market are restored or kept.
    case drift
    /// Remove the protection in the manifest and apply that first. If the manifest no longer has the product, stop
    /// managing it.
    case unprotect(isListed: Bool)
    /// Adopt the right one of these products, or allow namesakes.
    case namesakes([MarketID])
    /// Adopt the user's products by name, or allow namesakes.
    case manyNamesakes
    /// Read the unreadable rows again, or allow namesakes.
    case unread
    /// State the user's vendor number in the manifest.
    case vendor
    /// Correct or remove the stated vendor number.
    case vendorNumber
    /// Correct the vendor number, let the market confirm it first, or allow namesakes.
    case unconfirmedVendor
    /// Delete the product that an earlier replace left on the market, or allow namesakes.
    case leftover
    /// Use the existing key, rename it if it is given up, or allow namesakes.
    case respelling(of: String, canRename: Bool)
    /// Restore the key that a spreadsheet changed, or allow namesakes.
    case rewriting(of: String)
    /// Remove the copy, rename the key if it is given up, or allow namesakes.
    case secondListing(of: String, canRename: Bool)
    /// Use the existing keys, or allow namesakes.
    case manyRespellings
    /// Correct the rows, or allow namesakes.
    case wanderingTexts
    /// Correct the ids in the state, or allow namesakes.
    case exchangedIDs
    /// Use the market's own table, or allow namesakes.
    case otherMarketsIDs
    /// Correct the `id`, or confirm the product by adopting it.
    case otherProduct
    /// Allow creates whose outcome stays unknown if the reply is lost, or send keys if the market supports them.
    case unsettledCreates(canSendKeys: Bool)
    /// Request the replacement, so that the product is deleted before it is created again.
    case replacement(of: String)

    /// The options that grant the override, or the setting in the manifest.
    package var description: String {
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
        case .rewriting(let known):
            "format the column as text and write '\(known)' if it is that product, \(namesakes) if another one is meant"
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

    /// Hundredths of a percent as text: `99.5%`.
    package static func percent(_ basisPoints: Int64) -> String {
        guard let value = ExactDecimal(significand: basisPoints, scale: 2) else { return "\(basisPoints / 100)%" }
        return "\(value)%"
    }
}
