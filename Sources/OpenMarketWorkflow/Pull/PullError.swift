package import OpenMarket

package enum PullError: Error, Hashable, Sendable {
    /// The vendor identity is unknown; the number of products per vendor, if the market shows vendors.
    case ownerUnknown([Int64: Int])
    case missing([MarketID])
    case foreign([MarketID])
    /// The market shows another vendor identity than the stated one.
    case vendor(VendorContradiction)
    /// The market's list lacks products of the vendor.
    case empty
    /// All products are in other files of the manifest.
    case allElsewhere(Int)
    /// The manifest exists, and only a managed one is edited.
    case inTheWay(String)
    /// The state lacks all of this many products, so the changed side is unknown.
    case stateKnowsNone(of: Int, location: StateLocation)
    /// The pictures' folder is not below the manifest's folder.
    case picturesOutside(String)
    /// Other pictures have the picture's name and its longer fallback name.
    case pictureTaken(String)
    /// The manifest of the destination market does not name that market.
    case destinationUnnamed(String)
    /// A vendor number is stated, but the market of this name shows owners as texts.
    case vendorsAreTexts(String)
    /// The manifest was written, but this many pictures could not be fetched. Later runs may fetch them.
    case picturesMissing(Int)
    /// The market of this name fetches pictures itself, but no URL for them is set.
    case picturesUnserved(String)
}

extension PullError: CustomStringConvertible {
    /// The error in one sentence, lower case, no full stop; without the faults of a manifest.
    package var description: String {
        switch self {
        case .ownerUnknown(let vendors): "the vendor's products cannot be identified" + Self.words(vendors)
        case .missing(let ids): "product \(Self.words(ids)) is not on the market"
        case .foreign(let ids): "product \(Self.words(ids)) is another vendor's"
        case .vendor(let contradiction): "\(contradiction); no file was written"
        case .empty: "the market's list lacks products of this vendor; no file was written"
        case .allElsewhere(let count):
            "the \(counted(count, "product")) of this vendor are in the other files; no file was written"
        case .inTheWay(let path): "\(path) exists; it was not changed"
        case .stateKnowsNone(let products, let location):
            "none of the manifest's \(counted(products, "product")) is in \(location), so the changed side is unknown; "
                + "no file was written"
        case .picturesOutside(let folder): "the pictures' folder \(folder) is not below the manifest's folder"
        case .pictureTaken(let path): "\(path) is another picture"
        case .destinationUnnamed(let path): "\(path) does not name its market"
        case .vendorsAreTexts(let market): "\(market) shows owners as texts, which are not compared with a number"
        case .picturesMissing(let count):
            "\(counted(count, "picture")) could not be downloaded, and the pictures of those products are not managed"
        case .picturesUnserved(let market):
            "\(market) fetches pictures itself, and the address of the manifest's folder is not set; no file was written"
        }
    }

    private static func words(_ vendors: [Int64: Int]) -> String {
        let most = vendors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5)
        let shown = most.map { "\($0.key) with \(counted($0.value, "product"))" }.joined(separator: ", ")
        return vendors.isEmpty ? "" : "; the vendor\(vendors.count == 1 ? " is" : "s are") \(shown)"
    }

    private static func words(_ ids: [MarketID]) -> String { ids.map { "\($0)" }.joined(separator: ", ") }
}
