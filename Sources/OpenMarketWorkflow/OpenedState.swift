import FoundationEssentials
package import OpenMarket
package import OpenMarketFiles

/// The state that a command works with, and the folder of this machine's files next to it.
package struct OpenedState: Sendable {
    package let backend: any StateBackend
    private let folder: String
    /// The folder that origins are relative to: that of `.openmarket`, or of the file that has `market`.
    private var shop: String

    /// `folder` holds results of runs and pictures.
    init(_ backend: any StateBackend, beside folder: String) {
        (self.backend, self.folder) = (backend, folder)
        shop = FileSystem.folder(of: folder)
    }

    /// A state with this machine's folder.
    ///
    /// The folder is next to the state's file, or to the first manifest if the state is a database. `marketFile` has
    /// the section `market`; it is the first manifest unless specified.
    package init(
        _ backend: any StateBackend,
        at location: StateLocation,
        besides manifestFiles: [String],
        marketFile: String? = nil
    ) {
        let standard = FileSystem.folder(of: StateChoice.standardPath(beside: manifestFiles))
        let isFile = location.scheme == nil
        let own = isFile ? URL(fileURLWithPath: location.revealed).deletingLastPathComponent().path : standard
        self.init(backend, beside: own)
        // Another place is not next to the files, or differs between machines.
        if !isFile || FileSystem.name(of: own) != ".openmarket" { shop = FileSystem.folder(of: marketFile ?? standard) }
    }

    /// The market's pictures that reviews have fetched.
    package var pictures: ContentStore { ContentStore(folder + "/pictures", isPrivate: true) }

    /// The pictures that runs took from the market.
    package var keptPictures: ContentStore { ContentStore(folder + "/kept", isPrivate: true) }

    /// The folder of a run's kept pictures, up to a limit in bytes.
    func keepingPictures(to limit: Int64) -> PictureKeeping {
        PictureKeeping(kept: keptPictures, edits: EditRecords(in: folder), reviewed: pictures, limit: limit)
    }

    /// The runs on a market, the newest first; empty if the state lacks it.
    ///
    /// Throws `StateError` if a required state is missing.
    package func runs(on market: MarketSettings, isRequired: Bool) async throws -> [RunSummary] {
        guard let scope = try await backend.market(fitting: market) else {
            if isRequired, try await backend.markets().isEmpty {
                throw StateError(.missing, "the state \(backend.location) is missing")
            }
            return []
        }
        return try await backend.reading(scope) { try await $0.runs() }
    }

    package var results: String { folder + "/runs" }

    /// How the state names the files that list products: so that a state that is moved or shared names them the same.
    var origins: OriginFolder { OriginFolder(shop) }
}
