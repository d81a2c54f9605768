import FoundationEssentials
package import OpenMarket
import OpenMarketFiles
import SystemPackage

/// The result files of runs, one for each run that the journal keeps.
package struct RunResultFiles: Sendable {
    private let folder: String
    private let kept: Int
    private let copy: String?

    /// `kept` is the number of results kept in the folder; `copy` is a further path that each result is written to.
    package init(in folder: String, keeping kept: Int, copy: String? = nil) {
        self.folder = folder
        self.kept = kept
        self.copy = copy
    }

    /// Writes the outcome of every operation and drops the oldest results; returns the file's path.
    ///
    /// Throws `FileError` and `FileConflict`.
    package func write(_ result: RunResult) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = "\(folder)/\(result.run).json"
        try write(result, to: file)
        // Their names begin with the time. A result that cannot be removed today is removed another time. Other files
        // are never removed, because the folder next to a state of another name may be a person's own.
        let names = (FileSystem.names(in: folder) ?? []).filter { name in
            name.hasSuffix(".json") && RunID(rawValue: String(name.dropLast(5))).isOfThisTool
                && name != "\(result.run).json"
        }
        for name in names.sorted().dropLast(kept - 1) { try? FileSystem.remove("\(folder)/\(name)") }
        if let copy { try write(result, to: copy) }
        return file
    }

    /// Writes an empty run to the copy, but not to the folder.
    ///
    /// Throws `FileError` and `FileConflict`.
    package func writeNothing(of run: RunID) throws {
        if let copy { try write(.empty(run), to: copy) }
    }

    private func write(_ result: RunResult, to path: String) throws {
        let file = try AtomicFile(path, permissions: .ownerReadWrite)
        try JSONValue.write(result) { try file.write(SecretMask.current.masked(json: $0)) }
        try file.commit()
    }
}
