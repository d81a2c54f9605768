package import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import SystemPackage

extension SavedPlan {
    /// The bytes of a file where it is a saved plan, by its first; `nil` for anything else.
    ///
    /// - Throws: `FileError`.
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
    /// - Throws: ``SavedPlanError`` where it cannot be carried out, and `FileError`.
    package init(file: String) throws {
        try self.init(InputFile.bytes(of: file, as: .plan), file: file)
    }

    /// Reads a saved plan from a file's bytes.
    ///
    /// - Throws: ``SavedPlanError``, which names the file.
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
    /// A file to be carried out later, without credentials, and the digest of what it says: what is approved is the plan in
    /// the file.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - mask: hides the credentials.
    /// - Returns: its bytes, and the digest of the plan in them.
    /// - Throws: ``SavedPlanError`` where too little is left of the plan.
    package func bytes(
        for file: String,
        hiding mask: CredentialMask
    ) throws(SavedPlanError) -> (bytes: [UInt8], content: ContentDigest) {
        let written = bytes(in: DocumentFolder.of(file))
        let masked = mask.masked(json: written)
        return (masked, masked == written ? contentDigest : try SavedPlan(masked, file: file).contentDigest)
    }
}

extension Session {
    /// A plan with what is around it, to be saved or compared.
    ///
    /// - Throws: what the state throws.
    package func saved(_ planned: PlannedChanges, _ manifest: Manifest) async throws -> SavedPlan {
        SavedPlan(
            planned,
            tool: "openmarket \(tool)",
            scope: scope,
            profile: market.profile,
            manifest: manifest,
            state: state.location,
            lastRun: try await state.runs(limit: 1).first?.record.id,
            in: DocumentFolder.current
        )
    }
}
