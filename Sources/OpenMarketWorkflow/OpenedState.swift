import FoundationEssentials
package import OpenMarket
package import OpenMarketFiles

/// The state that a command works with, and the folder of this machine's files beside it.
package struct OpenedState: Sendable {
    package let backend: any StateBackend
    private let folder: String

    /// `folder` holds results of runs and pictures.
    init(_ backend: any StateBackend, beside folder: String) {
        self.backend = backend
        self.folder = folder
    }

    /// A state with this machine's folder.
    ///
    /// The folder is beside the state's file, or beside the first manifest if the state is a database.
    package init(_ backend: any StateBackend, at location: StateLocation, besides manifestFiles: [String]) {
        guard location.scheme == nil else {
            self.init(backend, beside: FileSystem.folder(of: StateChoice.standardPath(beside: manifestFiles)))
            return
        }
        self.init(backend, beside: URL(fileURLWithPath: location.revealed).deletingLastPathComponent().path)
    }

    /// The market's pictures that reviews have fetched.
    package var pictures: ContentStore { ContentStore(folder + "/pictures", isPrivate: true) }

    /// The pictures that runs took from the market.
    package var runPictures: RunPictures { RunPictures(in: folder) }

    package var results: String { folder + "/runs" }

    /// How the state names the files that list products.
    var origins: OriginFolder {
        let isStandard = FileSystem.name(of: folder) == ".openmarket"
        return OriginFolder(isStandard ? FileSystem.folder(of: folder) : folder)
    }
}
