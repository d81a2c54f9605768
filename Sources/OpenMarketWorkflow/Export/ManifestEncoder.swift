import OpenMarket
import OpenMarketDescription
import OpenMarketFiles
import OpenMarketManifest

/// Writes an export as a manifest: each product with its `id`, so that `apply` can adopt it.
///
/// It lacks pictures, which only `pull` fetches. Without `images`, applying it leaves the market's pictures alone.
final class ManifestEncoder: CatalogEncoder {
    static let columns: [CatalogColumn] = [
        .id, .key, .name, .description, .price, .currency, .salePrice, .stock, .vendorID,
    ]

    private let market: MarketSettings
    private var products: LiveProductWriter
    private var writer: ManifestWriter?
    private var keys: KeyMaker
    private var identity: VendorIdentity
    private(set) var count = 0
    /// The number of products that were left out because they are another vendor's.
    private(set) var foreign = 0
    /// The products that were left out because the market's description excludes them from writing.
    private(set) var otherKinds: [LeftOutProduct] = []
    /// The number of fields that were left out because a manifest cannot express them.
    var omissions: Int { products.omissions.count }

    init(_ market: MarketSettings) {
        self.market = market
        keys = KeyMaker()
        identity = VendorIdentity(claim: market.vendorID, state: StateSnapshot(), live: LiveProducts())
        let profile = market.profile ?? .standard
        products = LiveProductWriter(
            profile: profile,
            limits: market.limits,
            widensLimits: false
        )
    }

    /// Uses the state's keys and vendor identity.
    func know(_ state: StateSnapshot) {
        let key = market.profile?.capabilities.key
        // The keys that later products carry are unread so far.
        keys = KeyMaker(taken: state.entries.keys, numbersAll: key != nil, limit: key?.characterLimit)
        identity = VendorIdentity(claim: market.vendorID, state: state, live: LiveProducts())
    }

    /// Checks that a manifest without products does not replace an earlier export.
    ///
    /// That would happen if all products counted as other vendors', because of a wrong vendor number.
    func requireOwnProducts(inPlaceOf earlier: String) throws(CommandFailure) {
        guard count == 0, foreign > 0, FileSystem.isRegular(earlier) else { return }
        throw CommandFailure(
            .refused,
            "every product on the market belongs to another vendor than vendor "
                + "\(identity.presumed.map(String.init) ?? "…"); \(earlier) was not changed",
            help: "correct or set `market.vendor_id`; --allow-empty writes a manifest without products"
        )
    }

    /// Throws ``CommandFailure`` if a product that the state manages shows another number than the stated one.
    package func append(_ product: LiveProduct, key: String?) throws {
        if Ownership(showing: product.vendorID, ours: identity.presumed) == .foreign {
            if key != nil, Ownership(ofManaged: product.vendorID, recorded: nil, said: identity.said) == .ours,
                let claim = identity.claim
            {
                let evidence = VendorIdentity.Evidence.product(product.id)
                let contradiction = VendorContradiction(claimed: claim, confirmed: product.vendorID, evidence: evidence)
                throw CommandFailure(
                    .refused,
                    "\(contradiction); no file was written",
                    help: "correct `market.vendor_id`, or remove the line: the market shows the vendor number"
                )
            }
            foreign += 1
            return
        }
        guard product.isManageable else { return otherKinds.append(LeftOutProduct(product)) }
        let key = key ?? keys.key(carried: product.key, name: product.name, id: product.id)
        begin()
        writer?.append(products.product(product.sayable, key: key, pictures: .success([])))
        count += 1
    }

    package func end() {
        begin()
        writer?.finish()
    }

    package func takeBytes() throws -> [UInt8] { try writer?.takeBytes() ?? [] }

    /// Writes the head with the first product, because the vendor identity is unknown before.
    private func begin() {
        if writer == nil { writer = ManifestWriter(head) }
    }

    private var head: ManifestHead {
        var head = ManifestHead(market)
        head.vendorID = identity.presumed
        let credentials = (market.profile ?? .standard).capabilities.credentials
        if credentials.contains(.identifier), head.identifier == nil {
            head.identifier = .environment("OPENMARKET_IDENTIFIER")
        }
        if credentials.contains(.secret), head.secret == nil { head.secret = .environment("OPENMARKET_SECRET") }
        head.comments = ["Exported by openmarket from \(market.url ?? ""), \(market.profile ?? .standard)."]
        return head
    }
}

extension LiveProduct {
    /// The part of a product that a manifest includes: no more than a table has columns for.
    fileprivate var sayable: LiveProduct {
        var product = LiveProduct(id: id, showing: values)
        product.sale = sale?.salePrice.map { .price($0) }
        return product
    }
}
