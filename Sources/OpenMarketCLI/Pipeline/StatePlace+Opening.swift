import OpenMarket
import OpenMarketFiles
import OpenMarketState
import OpenMarketWorkflow

extension StatePlace {
    /// Of how many runs the journal keeps the operations unless specified.
    static let standardKeptRuns = StateFile.standardKeptRuns

    /// Opens a state where its location says: a file, or a database.
    ///
    /// - Parameters:
    ///   - location: where the state is.
    ///   - manifestFiles: the manifests; beside the first lies what this machine keeps where the state is a database.
    ///   - keptRuns: of how many runs the journal keeps the operations.
    ///   - name: what the state is called in messages.
    ///   - console: where it is said what whoever named the location should know; `nil` where nothing is opened.
    /// - Throws: ``CommandFailure`` with exit 64 where the location cannot be opened, `FileConflict` where the state is an
    ///   input, and what the state throws.
    init(
        _ location: StateLocation,
        besides manifestFiles: [String],
        keptRuns: Int = standardKeptRuns,
        named name: String = Setting.state.flag,
        warning console: Console?
    ) throws {
        let backend = try Self.backend(location, keptRuns: keptRuns, named: name)
        self.init(backend, at: location, besides: manifestFiles)
        for warning in backend.warnings { console?.complain("warning: \(warning)") }
    }

    private static func backend(
        _ location: StateLocation,
        keptRuns: Int,
        named name: String
    ) throws -> any StateBackend {
        guard let scheme = location.scheme else { return try file(location, keptRuns: keptRuns, named: name) }
        guard ["postgresql", "postgres"].contains(scheme.lowercased()) else {
            throw CommandFailure(
                .usage,
                "the state \(location) is neither a file path nor a postgresql:// address",
                help: "name one with \(name)"
            )
        }
        return try PostgreSQLState(location, keptRuns: keptRuns)
    }

    private static func file(_ location: StateLocation, keptRuns: Int, named name: String) throws -> StateFile {
        let file = StateFile(location, keptRuns: keptRuns)
        // They are read, and commands that write the state write them, too: neither a manifest nor an output may be one.
        for path in file.files { FileRegister.current.note(path, as: .state) }
        try FileRegister.current.check()
        for path in file.files {
            try FileRegister.current.declare(path, named: name, as: .checkedByReader, replacing: .state)
        }
        return file
    }
}
