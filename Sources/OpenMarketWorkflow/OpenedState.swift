import FoundationEssentials
package import OpenMarket
package import OpenMarketFiles

/// The state that a command works with, and the folder of this machine's files beside it.
package struct OpenedState: Sendable {
    package let backend: any StateBackend
    private let folder: String
    /// Where `.openmarket` is, or would be.
    private let shop: String

    /// `folder` holds results of runs and pictures.
    init(_ backend: any StateBackend, beside folder: String, besides manifestFiles: [String] = []) {
        self.backend = backend
        self.folder = folder
        let isStandard = FileSystem.name(of: folder) == ".openmarket"
        let standard = FileSystem.folder(of: StateChoice.standardPath(beside: manifestFiles))
        shop = FileSystem.folder(of: isStandard ? folder : standard)
    }

    /// A state with this machine's folder.
    ///
    /// The folder is beside the state's file, or beside the first manifest if the state is a database.
    package init(_ backend: any StateBackend, at location: StateLocation, besides manifestFiles: [String]) {
        guard location.scheme == nil else {
            self.init(backend, beside: FileSystem.folder(of: StateChoice.standardPath(beside: manifestFiles)))
            return
        }
        let folder = URL(fileURLWithPath: location.revealed).deletingLastPathComponent().path
        self.init(backend, beside: folder, besides: manifestFiles)
    }

    /// The market's pictures that reviews have fetched.
    package var pictures: ContentStore { ContentStore(folder + "/pictures", isPrivate: true) }

    /// The pictures that runs took from the market.
    package var keptPictures: ContentStore { ContentStore(folder + "/kept", isPrivate: true) }

    /// Where a run keeps pictures, up to a limit in bytes.
    func keepingPictures(to limit: Int64) -> PictureKeeping {
        PictureKeeping(kept: keptPictures, edits: EditRecords(in: folder), reviewed: pictures, limit: limit)
    }

    /// The runs on a market, the newest first; empty if the state does not know it.
    ///
    /// Throws `StateError` if there must be a state and is none.
    package func runs(on market: MarketSettings, isRequired: Bool) async throws -> [RunSummary] {
        guard let scope = try await backend.market(fitting: market) else {
            if isRequired, try await backend.markets().isEmpty {
                throw StateError(.missing, "there is no state at \(backend.location)")
            }
            return []
        }
        return try await backend.reading(scope) { try await $0.runs() }
    }

    package var results: String { folder + "/runs" }

    /// How the state names the files that list products: so that a state that is moved or shared names them the same.
    var origins: OriginFolder { OriginFolder(shop) }
}
