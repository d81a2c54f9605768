import Crypto
package import OpenMarket
import OpenMarketFiles
import OpenMarketManifest

/// Writes drift into the existing manifests, then into the state.
///
/// Files come first: if the run ends in between, they match the market, and the next run recognizes that.
package struct DriftRun: Sendable {
    private let manifest: Manifest
    private let files: [ManifestFile]
    /// Paths of patches; if there are any, no file is edited.
    package var patches: [String]

    /// `patches` are paths of patches to write instead of the edits.
    package init(_ manifest: Manifest, patches: [String] = []) throws {
        if let table = manifest.files.first(where: ManifestLoader.isTable) { throw DriftError.table(table) }
        self.manifest = manifest
        self.patches = patches
        files = try manifest.files.map { ManifestFile(name: $0, bytes: try InputFile.bytes(of: $0, as: .manifest)) }
        var hash = SHA256()
        for file in files { hash.update(data: file.bytes) }
        guard ContentDigest(bytes: hash.finalize()) == manifest.digest else {
            throw DriftError.changedWhileRead
        }
    }

    /// Whether the state is to be held.
    ///
    /// A missing one is not held, because holding creates it.
    private func changesState(of scope: MarketScope, in backend: any StateBackend) async throws -> Bool {
        guard patches.isEmpty else { return false }
        return try await backend.markets().contains { $0.scope == scope }
    }

    /// Finds the drift of a market, and writes it into the manifests and the state.
    ///
    /// It writes patches instead if any are requested, or if the state does not have the market.
    package func run(with work: MarketWork<some MarketConnection>) async throws -> DriftEdits {
        guard try await changesState(of: work.target.scope, in: work.state.backend) else {
            return try await work.reading { session, _ in try await preview(in: session) }
        }
        return try await work.holding(for: "pull") { try await write(in: $0) }
    }

    /// Finds the drift and writes a patch of it; does not change manifests and state.
    private func preview(in session: Session) async throws -> DriftEdits {
        let edits = try await session.drift(of: manifest, in: files, after: session.preview())
        try writePatches(edits)
        return edits
    }

    /// Finds the drift, writes it into the manifests, and then into the state.
    private func write(in session: Session) async throws -> DriftEdits {
        let edits = try await session.drift(of: manifest, in: files, after: session.settle())
        try write(edits)
        try await session.record(edits)
        return edits
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
                throw DriftError.changedMeanwhile(file.name)
            }
            try AtomicFile.rewrite(file.editor.bytes, of: file.name)
        }
    }

    /// A file's name in a patch, which is applied in the command's working folder.
    private static func patchName(_ name: String) -> String {
        var name = name.utf8[...]
        while name.starts(with: "./".utf8) { name = name.dropFirst(2) }
        return String(decoding: name.drop { $0 == UInt8(ascii: "/") }, as: UTF8.self)
    }
}
