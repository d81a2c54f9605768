import OpenMarket
import OpenMarketApply
import OpenMarketManifest
import OpenMarketReview
import OpenMarketWorkflow

/// Keeps the pictures of an export's products as files, some at a time, while the export is written.
struct PictureExport {
    /// A picture that is to be downloaded.
    private struct Wanted: Sendable {
        var url: String
        var product: LiveProduct
        var name: String
    }

    private let library: PictureLibrary
    private let session: Session
    private let keys: ProductKeys
    private let console: Console
    private var waiting: [Wanted] = []
    private var kept = 0
    private var fetched = 0
    /// How many could not be downloaded.
    private(set) var missing = 0

    /// So many pictures are got together: enough for every connection, and few to hold.
    private static let batch = 256
    /// So many that could not be downloaded are named.
    private static let most = 20

    /// - Throws: ``CommandFailure`` where the folder cannot be made.
    init(folder: String, session: Session, keys: ProductKeys, console: Console) throws {
        library = try PictureLibrary(folder)
        self.session = session
        self.keys = keys
        self.console = console
    }

    /// Takes a product's pictures; in detail, for rows of the list show none.
    mutating func add(_ product: LiveProduct) async throws {
        for (index, image) in (product.images ?? []).enumerated() {
            let stem = PictureLibrary.stem(key: keys[product.id], of: product)
            waiting.append(Wanted(url: image.url, product: product, name: "\(stem)-\(index + 1)"))
        }
        if waiting.count >= Self.batch { try await finish() }
    }

    /// Gets what was taken and is not there yet.
    mutating func finish() async throws {
        let wanted = waiting
        waiting = []
        try await forEachConcurrently(wanted, width: session.configuration.parallelism) { [library, session] item in
            try await library.picture(at: item.url, of: item.product, from: session)
        } collect: { item, result in
            switch result {
            case .success(let picture):
                _ = try library.link(picture, as: item.name)
                kept += 1
                if picture.isNew { fetched += 1 }
            case .failure(let trouble):
                missing += 1
                guard missing <= Self.most else { return }
                console.note("warning: \(item.name.terminalSafe) is missing: \(trouble.reason.terminalSafe)")
            }
        }
    }

    /// How many there are, and where.
    var summary: String {
        "\(counted(kept, "picture")) in \(library.folder.terminalSafe), \(fetched) of them fetched"
    }
}
