import OpenMarket
import OpenMarketManifest

package struct KeptPictures: Hashable, Sendable {
    var folder: String
    var count = 0
    /// The number that this run fetched.
    var fetched = 0
    /// The number that could not be fetched.
    var missing = 0
}

/// Keeps the pictures of an export's products as files, in batches, while the export is written.
struct PictureExport {
    private let library: PictureLibrary
    private let session: Session
    private let keys: ProductKeys
    private var waiting: [(url: String, product: LiveProduct, name: String)] = []
    private(set) var kept: KeptPictures

    /// The number of pictures fetched together: enough for every connection, and few to hold.
    private static let batch = 256
    /// The number of failed pictures that are reported one by one.
    private static let reportLimit = 20

    init(folder: String, session: Session, keys: ProductKeys) throws {
        library = try PictureLibrary(folder)
        kept = KeptPictures(folder: folder)
        self.session = session
        self.keys = keys
    }

    /// Adds a product's pictures; reads its details if the rows of the list lack them.
    mutating func add(_ product: LiveProduct) async throws {
        for (index, image) in (product.images ?? []).enumerated() {
            let stem = PictureLibrary.stem(key: keys[product.id], of: product)
            waiting.append((image.url, product, "\(stem)-\(index + 1)"))
        }
        if waiting.count >= Self.batch { try await finish() }
    }

    mutating func finish() async throws {
        let wanted = waiting
        waiting = []
        try await forEachConcurrently(wanted, width: session.configuration.parallelism) { [library, session] item in
            try await library.picture(at: item.url, of: item.product, from: session)
        } collect: { item, result in
            switch result {
            case .success(let picture):
                _ = try library.link(picture, as: item.name)
                kept.count += 1
                if picture.isNew { kept.fetched += 1 }
            case .failure(let trouble):
                kept.missing += 1
                if kept.missing <= Self.reportLimit {
                    session.onEvent(.note("warning: \(item.name) is missing: \(trouble.reason)"))
                }
            }
        }
    }
}
