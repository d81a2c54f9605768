import FoundationEssentials
import OpenMarket
import OpenMarketFiles
import OpenMarketState
import OpenMarketWorkflow

#if PostgreSQL
import OpenMarketPostgreSQL
#endif

/// The one file that knows what kinds of states there are.
extension StatePlace {
    /// Of how many runs the journal keeps the operations unless specified.
    static let standardKeptRuns = StateFile.standardKeptRuns

    /// - Parameters:
    ///   - location: where the state is.
    ///   - manifestFiles: the manifests; beside the first lies what this machine keeps where the state is a database.
    ///   - keptRuns: of how many runs the journal keeps the operations.
    /// - Throws: ``CommandFailure`` with exit 64 where the location cannot be opened.
    init(
        _ location: StateLocation,
        besides manifestFiles: [String],
        keptRuns: Int = standardKeptRuns
    ) throws {
        guard let scheme = location.scheme else {
            let folder = URL(fileURLWithPath: location.revealed).deletingLastPathComponent().path
            self.init(try Self.file(location, keptRuns: keptRuns), beside: folder)
            return
        }
        guard ["postgresql", "postgres"].contains(scheme.lowercased()) else {
            throw CommandFailure(
                .usage,
                "the state \(location) is neither a file path nor a postgresql:// address",
                help: "name one with \(Setting.state.flag)"
            )
        }
        #if PostgreSQL
        let folder = FileSystem.folder(of: StateChoice.standardPath(beside: manifestFiles))
        self.init(try PostgreSQLState(location, keptRuns: keptRuns), beside: folder)
        #else
        throw CommandFailure(
            .usage,
            "this program was built without PostgreSQL, so it cannot open the state \(location)",
            help: "build it with `sh examples/install.sh --postgresql`: docs/teams.md"
        )
        #endif
    }

    private static func file(_ location: StateLocation, keptRuns: Int) throws -> StateFile {
        let file = StateFile(location, keptRuns: keptRuns)
        // They are read, and commands that write the state write them, too: neither a manifest nor an output may be one.
        for path in file.files { FileRegister.current.note(path, as: .state) }
        try FileRegister.current.check()
        for path in file.files {
            try FileRegister.current.declare(path, named: Setting.state.flag, as: .checkedByReader, replacing: .state)
        }
        return file
    }
}
