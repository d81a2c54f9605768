import FoundationEssentials
package import OpenMarket
package import OpenMarketFiles

/// The state that a command works with, and the folder of what this machine keeps beside it.
package struct StatePlace: Sendable {
    /// The state.
    package let backend: any StateBackend
    private let folder: String

    /// - Parameters:
    ///   - backend: the state.
    ///   - folder: where results of runs and pictures are kept.
    init(_ backend: any StateBackend, beside folder: String) {
        self.backend = backend
        self.folder = folder
    }

    /// A state with what this machine keeps of it: beside the file, or where the state is a database beside the first manifest.
    ///
    /// - Parameters:
    ///   - backend: the state.
    ///   - location: where it is.
    ///   - manifestFiles: the manifests.
    package init(_ backend: any StateBackend, at location: StateLocation, besides manifestFiles: [String]) {
        guard location.scheme == nil else {
            self.init(backend, beside: FileSystem.folder(of: StateChoice.standardPath(beside: manifestFiles)))
            return
        }
        self.init(backend, beside: URL(fileURLWithPath: location.revealed).deletingLastPathComponent().path)
    }

    /// The pictures of the market that reviews have fetched.
    package var pictures: ContentStore { ContentStore(folder + "/pictures", isPrivate: true) }

    /// The folder in which the results of its runs are written down.
    package var results: String { folder + "/runs" }
}
