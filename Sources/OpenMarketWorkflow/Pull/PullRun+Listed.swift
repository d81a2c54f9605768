import OpenMarket
import OpenMarketManifest

extension PullRun {
    /// The products that files list.
    struct Listed {
        private(set) var keys: Set<String> = []
        private var ids: Set<MarketID> = []
        /// The names of products that neither a number nor the state identifies.
        private var names: Set<ExactText> = []

        init(_ listings: [Listing], _ entries: StateEntries) {
            for listing in listings {
                keys.formUnion([listing.key] + listing.previously)
                let known = ([listing.key] + listing.previously).lazy.compactMap { entries[$0]?.id }.first
                if let id = listing.pinnedID ?? known {
                    ids.insert(id)
                } else if let name = listing.values.name {
                    names.insert(ExactText(name))
                }
            }
        }

        func lists(_ product: LiveProduct) -> Bool {
            ids.contains(product.id) || product.name.map { names.contains(ExactText($0)) } ?? false
        }
    }

    /// What a manifest that exists takes in.
    struct News: Sendable {
        /// Its new products.
        var edits: [ProductEdit]
        /// Its section `market`, if that is empty.
        var head: ManifestHead?
        /// The changed pictures of listed products.
        var pictures: [MarketID: Result<[LiveProductWriter.PictureFile], LiveProductWriter.PictureTrouble>] = [:]
        /// The SHA-256 of fetched pictures, by URL.
        var digests: [ExactText: ContentDigest]
        var shop: PulledShop
    }
}
