import OpenMarket
import OpenMarketManifest

extension PullRun {
    /// The products that the other files of the manifest list.
    struct Elsewhere {
        private(set) var keys: Set<String> = []
        private var ids: Set<MarketID> = []
        /// The names of products that neither a number nor the state identifies.
        private var names: Set<ExactText> = []

        init(in files: [String], options: ManifestOptions, entries: StateEntries) async {
            guard !files.isEmpty else { return }
            var options = options
            options.readsPictures = false
            for listing in await ManifestLoader(options: options).load(files).manifest?.listings ?? [] {
                keys.formUnion([listing.key] + listing.previously)
                let known = ([listing.key] + listing.previously).lazy.compactMap { entries[$0]?.id }.first
                if let id = listing.pinnedID ?? known {
                    ids.insert(id)
                } else if let name = listing.values.name {
                    names.insert(ExactText(name))
                }
            }
        }

        func lists(_ entry: StateEntry) -> Bool { keys.contains(entry.key) || ids.contains(entry.id) }

        func lists(_ product: LiveProduct) -> Bool {
            ids.contains(product.id) || product.name.map { names.contains(ExactText($0)) } ?? false
        }
    }
}
