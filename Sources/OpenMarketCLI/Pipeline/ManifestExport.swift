import OpenMarket
import OpenMarketCatalogFiles
import OpenMarketManifest

/// What becomes of an export's bytes on their way to the file.
protocol ExportEncoder: AnyObject {
    /// Takes in bytes, whole rows; returns what is ready.
    func encode(_ bytes: [UInt8]) throws -> [UInt8]

    /// Returns the rest.
    func finish() throws -> [UInt8]
}

extension GzipWriter: ExportEncoder {
    func encode(_ bytes: [UInt8]) -> [UInt8] { compress(bytes) }
}

/// Makes a manifest of lines of JSON: each product with its `id`, by which `apply` takes it over.
///
/// Pictures are for `pull`, which fetches them; without `images` a manifest leaves those of the market alone.
final class ManifestExport: ExportEncoder {
    /// The columns that a manifest is made of.
    static let columns: [CatalogColumn] = [
        .id, .key, .name, .description, .price, .currency, .salePrice, .stock, .vendorID,
    ]

    private let market: MarketSettings
    private var reader = CatalogLineReader()
    private var products: LiveProductWriter
    private var writer: ManifestWriter?
    private var keys = KeyMaker()
    private var identity: VendorIdentity
    private var seal = ExportSeal()
    /// How many products it has.
    private(set) var count = 0
    /// How many were left out, because they are another vendor's.
    private(set) var foreign = 0
    /// How many fields were left out, because a manifest cannot say them.
    var omissions: Int { products.omissions.count }

    /// A manifest for a market.
    init(_ market: MarketSettings) {
        self.market = market
        identity = VendorIdentity(claim: market.vendorID, state: StateSnapshot(), live: LiveProducts())
        let profile = market.profile ?? .v2b
        products = LiveProductWriter(profile: profile, limits: market.limits, widensLimits: false)
    }

    /// Takes in what the state knows: keys that are taken, and who we are.
    func know(_ state: StateSnapshot) {
        keys = KeyMaker(taken: state.entries.keys)
        identity = VendorIdentity(claim: market.vendorID, state: state, live: LiveProducts())
    }

    func encode(_ bytes: [UInt8]) throws -> [UInt8] {
        var writer = writer ?? ManifestWriter(head)
        try reader.read(bytes) { row in
            if Ownership(showing: row.number(.vendorID)?.wholeValue, ours: identity.presumed) == .foreign {
                foreign += 1
                return
            }
            let live = LiveProduct(row)
            let key = row.text(.key) ?? keys.key(name: live.name, id: live.id)
            writer.append(products.product(live, key: key, pictures: .success([])))
            count += 1
        }
        defer { self.writer = writer }
        let text = try writer.takeBytes()
        seal.take(text)
        return text
    }

    func finish() throws -> [UInt8] {
        writer?.finish()
        let text = try writer?.takeBytes() ?? []
        seal.take(text)
        return text + seal.line
    }

    private var head: ManifestHead {
        var head = ManifestHead(market)
        head.vendorID = identity.presumed
        let needsVendor = (market.profile ?? .v2b).capabilities.authentication == .vendor
        if needsVendor, head.identifier == nil { head.identifier = .environment("OPENMARKET_IDENTIFIER") }
        if head.secret == nil { head.secret = .environment("OPENMARKET_SECRET") }
        head.comments = ["Exported by openmarket from \(market.url ?? ""), \(market.profile ?? .v2b)."]
        return head
    }
}

extension LiveProduct {
    /// What a manifest says of a row.
    fileprivate init(_ row: CatalogRow) {
        self.init(
            id: row.id,
            values: ProductValues(
                name: row.text(.name),
                description: row.text(.description),
                price: row.number(.price),
                currency: row.text(.currency).map { Currency(rawValue: $0) },
                sale: row.number(.salePrice).map { .price($0) },
                stock: row.number(.stock)?.wholeValue
            )
        )
    }
}
