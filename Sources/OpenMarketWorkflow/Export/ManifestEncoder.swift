import OpenMarket
import OpenMarketDescription
import OpenMarketFiles
import OpenMarketManifest

/// Writes an export as a manifest: each product with its `id`, by which `apply` takes it over.
///
/// Pictures are for `pull`, which fetches them; without `images` a manifest leaves those of the market alone.
final class ManifestEncoder: CatalogEncoder {
    /// The columns that a manifest is made of.
    static let columns: [CatalogColumn] = [
        .id, .key, .name, .description, .price, .currency, .salePrice, .stock, .vendorID,
    ]

    private let market: MarketSettings
    private var products: LiveProductWriter
    private var writer: ManifestWriter?
    private var keys: KeyMaker
    private let credentials: CredentialTexts
    private var identity: VendorIdentity
    private var seal = ExportSeal()
    private var isEnded = false
    /// How many products it has.
    private(set) var count = 0
    /// How many were left out, because they are another vendor's.
    private(set) var foreign = 0
    /// How many fields were left out, because a manifest cannot say them.
    var omissions: Int { products.omissions.count }

    /// A manifest for a market, in which no product holds one of some credentials.
    init(_ market: MarketSettings, credentials: CredentialTexts) {
        self.market = market
        self.credentials = credentials
        keys = KeyMaker(credentials: credentials)
        identity = VendorIdentity(claim: market.vendorID, state: StateSnapshot(), live: LiveProducts())
        let profile = market.profile ?? .v2b
        products = LiveProductWriter(
            profile: profile,
            limits: market.limits,
            credentials: credentials,
            widensLimits: false
        )
    }

    /// Takes in what the state knows: keys that are taken, and who we are.
    func know(_ state: StateSnapshot) {
        keys = KeyMaker(taken: state.entries.keys, credentials: credentials)
        identity = VendorIdentity(claim: market.vendorID, state: state, live: LiveProducts())
    }

    /// Makes sure that no manifest without products takes the place of an earlier export because all that the market shows is
    /// said to be others': that is only as true as the number that was said.
    ///
    /// - Throws: ``ExportError/othersOnly(vendorID:_:)``.
    func requireOwnProducts(inPlaceOf earlier: String) throws(ExportError) {
        guard count == 0, foreign > 0, FileSystem.isRegular(earlier) else { return }
        throw .othersOnly(vendorID: identity.presumed, earlier)
    }

    /// - Throws: ``ExportError/vendor(_:)`` where a product that the state manages shows another number than was said.
    package func append(_ product: LiveProduct, key: String?) throws {
        if Ownership(showing: product.vendorID, ours: identity.presumed) == .foreign {
            if key != nil, Ownership(ofManaged: product.vendorID, recorded: nil, said: identity.said) == .ours,
                let claim = identity.claim
            {
                let evidence = VendorIdentity.Evidence.product(product.id)
                throw ExportError.vendor(
                    VendorContradiction(claimed: claim, confirmed: product.vendorID, evidence: evidence)
                )
            }
            foreign += 1
            return
        }
        let key = key ?? keys.key(name: product.name, id: product.id)
        begin()
        writer?.append(products.product(product.sayable, key: key, pictures: .success([])))
        count += 1
    }

    package func end() {
        begin()
        writer?.finish()
        isEnded = true
    }

    package func takeBytes() throws -> [UInt8] {
        let text = try writer?.takeBytes() ?? []
        seal.take(text)
        return isEnded ? text + seal.line : text
    }

    /// The head is written with the first product: only then it is known who we are.
    private func begin() {
        if writer == nil { writer = ManifestWriter(head) }
    }

    private var head: ManifestHead {
        var head = ManifestHead(market)
        head.vendorID = identity.presumed
        let credentials = (market.profile ?? .v2b).capabilities.credentials
        if credentials.contains(.identifier), head.identifier == nil {
            head.identifier = .environment("OPENMARKET_IDENTIFIER")
        }
        if credentials.contains(.secret), head.secret == nil { head.secret = .environment("OPENMARKET_SECRET") }
        head.comments = ["Exported by openmarket from \(market.url ?? ""), \(market.profile ?? .v2b)."]
        return head
    }
}

extension LiveProduct {
    /// What a manifest says of a product: no more than a table has columns for.
    fileprivate var sayable: LiveProduct {
        var product = LiveProduct(id: id, values: values)
        product.sale = sale?.salePrice.map { .price($0) }
        return product
    }
}
