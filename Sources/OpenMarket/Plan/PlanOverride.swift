/// What the user may allow so that a refused plan passes.
///
/// A value, so that each front end names it in its own way: the command line as a flag.
package enum PlanOverride: Hashable, Sendable, CustomStringConvertible {
    /// Allow a manifest without products.
    case emptyManifest
    /// Allow so many products to be deleted or replaced.
    case deletes(Int)
    /// Allow so many managed products to be gone.
    case gone(Int)
    /// Allow currencies to change.
    case currencyChange
    /// Allow stocks to go to 0.
    case stockToZero
    /// Allow prices to move so far, in hundredths of a percent; `nil` for any distance.
    case priceChange(Int64?)
    /// Allow prices down to this one.
    case minimumPrice(ExactDecimal)
    /// Say what becomes of values that changed on the market: restore or keep them.
    case drift
    /// Take the protection off in the manifest, and apply that first; or stop managing the product, where the manifest
    /// no longer has it.
    case unprotect(isListed: Bool)
    /// Adopt the one of these products that is meant, or allow namesakes.
    case namesakes([MarketID])
    /// Adopt by name what is the user's, or allow namesakes.
    case manyNamesakes
    /// Read again what could not be read, or allow namesakes.
    case unread
    /// Say in the manifest which vendor the user is.
    case vendor
    /// Correct the vendor number that is said, or do not say any.
    case vendorNumber
    /// Correct the vendor number, let the market confirm it by something else first, or allow namesakes.
    case unconfirmedVendor
    /// Delete what an earlier replace left on the market, or allow namesakes.
    case leftover
    /// Write the known key, or rename it where it is given up, or allow namesakes.
    case respelling(of: String, canRename: Bool)
    /// Take the copy out, or rename the key where it is given up, or allow namesakes.
    case secondListing(of: String, canRename: Bool)
    /// Write the known keys, or allow namesakes.
    case manyRespellings
    /// Put the rows right, or allow namesakes.
    case wanderingTexts
    /// Put the ids of the state right, or allow namesakes.
    case exchangedIDs
    /// Take the market's own table, or allow namesakes.
    case otherMarketsIDs
    /// Correct the `id`, or vouch for the product by adopting it.
    case otherProduct
    /// Allow products to be made although nothing shows what becomes of a create whose answer is lost; or, where the
    /// market carries keys, send them.
    case unsettledCreates(canSendKeys: Bool)
    /// Ask for the product to be replaced, so that it is deleted before it is made again.
    case replacement(of: String)

    /// The override as a phrase for messages.
    package var description: String {
        switch self {
        case .emptyManifest: "allow an empty manifest"
        case .deletes(let count): "allow \(count) to be deleted or replaced"
        case .gone(let count): "allow \(count) to be gone"
        case .currencyChange: "allow currency changes"
        case .stockToZero: "allow stocks of 0"
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
        case .unconfirmedVendor: "correct the vendor number, make other products first, or allow namesakes"
        case .leftover: "delete what is left over, or allow namesakes"
        case .respelling(let known, canRename: true): "write '\(known)', rename it, or allow namesakes"
        case .respelling(let known, canRename: false): "write '\(known)', or allow namesakes"
        case .secondListing(let known, canRename: true): "rename '\(known)', or allow namesakes"
        case .secondListing(_, canRename: false): "take the copy out, or allow namesakes"
        case .manyRespellings: "write the known keys, or allow namesakes"
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
