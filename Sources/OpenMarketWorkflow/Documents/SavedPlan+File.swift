package import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import SystemPackage

extension SavedPlan {
    /// The bytes of a file that begins like a saved plan; `nil` for any other file.
    ///
    /// Throws `FileError`.
    static func bytes(ifPlan file: String) throws -> [UInt8]? {
        let descriptor = try InputFile.open(file, as: .plan)
        return try descriptor.closeAfter {
            try isPlan(descriptor.head(256)) ? descriptor.readAll() : nil
        }
    }

    /// The mark that some editors put before a text in UTF-8.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Reads a saved plan from a file.
    ///
    /// Throws ``SavedPlanError`` if it cannot be applied, and `FileError`.
    package init(file: String) throws {
        try self.init(InputFile.bytes(of: file, as: .plan), file: file)
    }

    /// Reads a saved plan from a file's bytes.
    ///
    /// The ``SavedPlanError`` names the file.
    package init(_ bytes: [UInt8], file: String) throws(SavedPlanError) {
        if let kind = FileKind(head: bytes) {
            throw SavedPlanError(.notAPlan, "\(file) is \(kind.name), and no saved plan")
        }
        if ManifestLoader.isTable(file) || file.hasSuffix(".yaml") || file.hasSuffix(".yml") {
            let kind = ManifestLoader.isTable(file) ? "table" : "manifest"
            throw SavedPlanError(.manifest(file), "\(file) is a \(kind), and no saved plan")
        }
        do throws(SavedPlanError) {
            let isMarked = bytes.starts(with: Self.byteOrderMark)
            try self.init(
                bytes: isMarked ? Array(bytes.dropFirst(Self.byteOrderMark.count)) : bytes,
                in: DocumentFolder.of(file)
            )
        } catch {
            throw SavedPlanError(error.code, "\(file): \(error.message)")
        }
    }
}

extension SavedPlan {
    /// The bytes of a file to apply later, without credentials, and the digest of the plan in them, which is the one to
    /// approve.
    ///
    /// Throws ``SavedPlanError`` if too little of the plan remains.
    package func bytes(for file: String) throws(SavedPlanError) -> (bytes: [UInt8], content: ContentDigest) {
        let written = bytes(in: DocumentFolder.of(file))
        let masked = SecretMask.current.masked(json: written)
        return (masked, masked == written ? contentDigest : try SavedPlan(masked, file: file).contentDigest)
    }
}

extension Session {
    /// A plan with its context, to be saved or compared; errors come from the state.
    package func saved(_ planned: PlannedChanges, _ manifest: Manifest) async throws -> SavedPlan {
        var saved = SavedPlan(
            planned,
            tool: "openmarket \(tool)",
            scope: scope,
            profile: market.profile,
            manifest: manifest,
            state: state.location,
            lastRun: try await state.runs(limit: 1).first?.record.id,
            in: DocumentFolder.current
        )
        // An apply has settled some by now.
        if saved.unresolved > 0 { saved.unresolved = try await state.counts().unresolved }
        return saved
    }
}
