import Crypto
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow

/// Writes what somebody changed on the market into the manifests that exist, then into the state.
///
/// Files first: where the run ends in between, they are as the market is, and the next run takes that for known.
struct DriftRun: Sendable {
    private let manifest: Manifest
    /// The files that the manifest was read from.
    private let files: [ManifestFile]
    /// Where patches go; none edits the files.
    private let patches: [String]

    /// - Throws: ``CommandFailure`` where a file changed since it was read.
    init(_ manifest: Manifest, patches: [String]) throws {
        self.manifest = manifest
        self.patches = patches
        files = try manifest.files.map { ManifestFile(name: $0, bytes: try InputFile.bytes(of: $0, as: .manifest)) }
        var hash = SHA256()
        for file in files { hash.update(data: file.bytes) }
        guard ContentDigest(bytes: hash.finalize()) == manifest.digest else {
            throw CommandFailure(.failure, "a manifest changed while it was read; nothing was written")
        }
    }

    /// Finds the drift, and writes it; or writes a patch of it, and then leaves the state alone.
    func run(in work: MarketWork) async throws -> DriftReport {
        // A state that is not there is none to be held, for holding makes it.
        let isThere = try await work.state.backend.markets().contains { $0.scope == work.target.scope }
        guard patches.isEmpty, isThere else {
            return try await work.reading { session, _ in
                let edits = try await session.drift(of: manifest, in: files, after: session.preview())
                try writePatches(edits)
                return DriftReport(edits, isPatch: !patches.isEmpty)
            }
        }
        return try await work.holding(for: "pull", waiting: .zero) { session in
            let edits = try await session.drift(of: manifest, in: files, after: session.settle())
            try write(edits)
            try await session.record(edits, areWritten: true)
            return DriftReport(edits, isPatch: false)
        }
    }

    private func writePatches(_ edits: DriftEdits) throws {
        let patch = edits.files.flatMap { file in
            UnifiedDiff(file.editor.original, file.editor.edits, name: Self.patchName(file.name)).bytes
        }
        for path in patches { try AtomicFile.write(patch, to: path, permissions: AtomicFile.readableByAll) }
    }

    private func write(_ edits: DriftEdits) throws {
        for file in edits.files {
            guard try InputFile.bytes(of: file.name, as: .manifest) == file.editor.original else {
                throw CommandFailure(
                    .failure,
                    "\(file.name) changed meanwhile, and was left alone",
                    help: "run it again"
                )
            }
            try AtomicFile.rewrite(file.editor.bytes, of: file.name)
        }
    }

    /// A file's name in a patch, which is applied where the command ran.
    private static func patchName(_ name: String) -> String {
        var name = name.utf8[...]
        while name.starts(with: "./".utf8) { name = name.dropFirst(2) }
        return String(decoding: name.drop { $0 == UInt8(ascii: "/") }, as: UTF8.self)
    }
}
