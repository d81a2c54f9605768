import OpenMarket
import OpenMarketFiles
import OpenMarketState
import OpenMarketWorkflow

extension OpenedState {
    /// The default number of runs whose operations the journal keeps.
    static let standardKeptRuns = StateFile.standardKeptRuns

    /// Opens a state at its location: a file or a database.
    ///
    /// If the state is a database, its local files are next to the first of `manifestFiles`. The journal keeps the
    /// operations of `keptRuns` runs. `console` receives warnings about the location; `nil` without opening.
    ///
    /// Throws ``CommandFailure`` with exit 64 if the location cannot be opened, `FileConflict` if the state is an
    /// input, and the state's own errors.
    init(
        _ location: StateLocation,
        besides manifestFiles: [String],
        marketFile: String? = nil,
        keptRuns: Int = standardKeptRuns,
        named name: String = "--state",
        warning console: Console?
    ) throws {
        let backend = try Self.backend(location, keptRuns: keptRuns, named: name)
        self.init(backend, at: location, besides: manifestFiles, marketFile: marketFile)
        for warning in backend.warnings { console?.printError("warning: \(warning)") }
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
        // Commands read and write these files, so neither a manifest nor an output may be one of them.
        for path in file.files { FileRegister.current.note(path, as: .state) }
        try FileRegister.current.check()
        for path in file.files {
            try FileRegister.current.declare(path, named: name, as: .checkedByReader, replacing: .state)
        }
        return file
    }
}
