import FoundationEssentials
import OpenMarket
import OpenMarketFiles
import OpenMarketState

/// The state that a command works with: the one place that knows what kinds of states there are.
struct StatePlace: Sendable {
    /// Of how many runs the journal keeps the operations unless specified.
    static let standardKeptRuns = StateFile.standardKeptRuns

    /// Where it is, as it was named.
    let location: StateLocation
    let backend: any StateBackend

    /// - Throws: ``CommandFailure`` with exit 64 where the location cannot be opened.
    init(_ location: StateLocation, keptRuns: Int = standardKeptRuns) throws {
        guard location.scheme == nil else {
            throw CommandFailure(.usage, "the state \(location) is not a file path", help: "name a file with --state")
        }
        self.location = location
        let file = StateFile(location, keptRuns: keptRuns)
        backend = file
        // They are read, and commands that write the state write them, too: neither a manifest nor an output may be one.
        for path in file.files { FileRegister.current.note(path, as: .state) }
        try FileRegister.current.check()
        for path in file.files {
            try FileRegister.current.declare(path, named: Setting.state.flag, replacing: .state)
        }
    }

    /// The pictures of the market that reviews have fetched.
    var pictures: ContentStore { ContentStore(folder + "/pictures", isPrivate: true) }

    /// The folder in which the results of its runs are written down.
    var results: String { folder + "/runs" }

    private var folder: String { URL(fileURLWithPath: location.revealed).deletingLastPathComponent().path }
}
