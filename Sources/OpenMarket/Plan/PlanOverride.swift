/// A permission from the user that lets a refused plan pass.
///
/// A value, so that each front end has its own name for it, such as a flag of the command line.
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

    package var description: String {
        switch self {
        case .emptyManifest: "allow an empty manifest"
        case .deletes(let count): "allow \(count) to be deleted or replaced"
        case .gone(let count): "allow \(count) to be gone"
        case .currencyChange: "allow currency changes"
        case .stockToZero: "allow stocks of 0"
        case .zeroPrice: "allow prices of 0"
        case .priceChange(let bound?): "allow price changes of \(Self.percent(bound))"
        case .priceChange(nil): "allow any price change"
        case .minimumPrice(let price): "allow prices down to \(price)"
        case .drift: "restore or keep drift"
        case .unprotect(isListed: true): "remove the protection"
        case .unprotect(isListed: false): "remove the protection, or stop managing it"
        case .namesakes(let ids): "pin \(ids.map(\.description).joined(separator: ", ")), adopt, or allow namesakes"
        case .manyNamesakes: "adopt, or allow namesakes"
        case .unread: "try again, or allow namesakes"
        case .vendor: "set the vendor"
        case .vendorNumber: "correct the vendor number, or leave it out"
        case .unconfirmedVendor: "correct the vendor number, create other products first, or allow namesakes"
        case .leftover: "delete the product that is left over, or allow namesakes"
        case .respelling(let known, canRename: true): "write '\(known)', rename it, or allow namesakes"
        case .respelling(let known, canRename: false): "write '\(known)', or allow namesakes"
        case .secondListing(let known, canRename: true): "rename '\(known)', or allow namesakes"
        case .secondListing(_, canRename: false): "take the copy out, or allow namesakes"
        case .manyRespellings: "write the existing keys, or allow namesakes"
        case .wanderingTexts: "put the rows right, or allow namesakes"
        case .exchangedIDs: "put the ids right, or allow namesakes"
        case .otherMarketsIDs: "take this market's own table, or allow namesakes"
        case .otherProduct: "correct the id, or adopt"
        case .unsettledCreates(canSendKeys: true): "send the keys, or allow unsettled creates"
        case .unsettledCreates(canSendKeys: false): "allow unsettled creates"
        case .replacement(let key): "put the pictures back, or ask for '\(key)' to be replaced"
        }
    }

    /// Hundredths of a percent as text: `99.5%`.
    package static func percent(_ basisPoints: Int64) -> String {
        guard let value = ExactDecimal(significand: basisPoints, scale: 2) else { return "\(basisPoints / 100)%" }
        return "\(value)%"
    }
}
