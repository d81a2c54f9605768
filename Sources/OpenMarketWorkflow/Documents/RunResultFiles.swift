import FoundationEssentials
package import OpenMarket
import OpenMarketFiles
import SystemPackage

/// The results of runs as files: one for each run that the journal keeps.
package struct RunResultFiles: Sendable {
    private let folder: String
    private let kept: Int
    private let copy: String?
    private let mask: @Sendable ([UInt8]) -> [UInt8]

    /// - Parameters:
    ///   - folder: Where they are.
    ///   - kept: Of how many runs.
    ///   - copy: Where each is written as well.
    ///   - mask: Hides credentials in JSON.
    package init(
        in folder: String,
        keeping kept: Int,
        copy: String? = nil,
        mask: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
    ) {
        self.folder = folder
        self.kept = kept
        self.copy = copy
        self.mask = mask
    }

    /// Writes what became of every operation, and drops the oldest results.
    ///
    /// - Returns: the file.
    /// - Throws: `FileError`, and `FileConflict`.
    package func write(_ result: RunResult) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = "\(folder)/\(result.run).json"
        try write(result, to: file)
        // Their names begin with the time. What cannot be dropped today is dropped another time, and what is not a run's never:
        // beside a state of another name the folder may be a person's.
        let names = (FileSystem.names(in: folder) ?? []).filter { name in
            name.hasSuffix(".json") && RunID(rawValue: String(name.dropLast(5))).isOfThisTool
                && name != "\(result.run).json"
        }
        for name in names.sorted().dropLast(kept - 1) { try? FileSystem.remove("\(folder)/\(name)") }
        if let copy { try write(result, to: copy) }
        return file
    }

    /// Writes that a run had nothing to do, where its result is wanted as well: it is not kept, because nothing happened.
    ///
    /// - Throws: `FileError`, and `FileConflict`.
    package func writeNothing(of run: RunID) throws {
        guard let copy else { return }
        let file = try AtomicFile(copy, permissions: .ownerReadWrite)
        try file.write(mask(JSONValue.emptyResult(of: run).bytes(pretty: true) + Array("\n".utf8)))
        try file.commit()
    }

    private func write(_ result: RunResult, to path: String) throws {
        let file = try AtomicFile(path, permissions: .ownerReadWrite)
        try JSONValue.write(result) { try file.write(mask($0)) }
        try file.commit()
    }
}
