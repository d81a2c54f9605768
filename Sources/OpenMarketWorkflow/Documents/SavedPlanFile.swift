package import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import SystemPackage

extension SavedPlan {
    /// Whether bytes look like a saved plan and not like a manifest; only their content decides.
    static func isPlan(_ head: some Sequence<UInt8>) -> Bool {
        let text = String(decoding: Array(head.prefix(256)), as: UTF8.self)
        return text.first(where: { !$0.isWhitespace && $0 != "\u{FEFF}" }) == "{" && text.contains("\"format_version\"")
    }

    /// The bytes of a file that begins like a saved plan; `nil` for any other file.
    ///
    /// Throws `FileError`.
    static func bytes(ifPlan file: String) throws -> [UInt8]? {
        let descriptor = try InputFile.open(file, as: .plan)
        return try descriptor.closeAfter {
            try isPlan(descriptor.head(256)) ? descriptor.readAll() : nil
        }
    }

    /// Reads a saved plan from a file.
    ///
    /// Throws ``CommandFailure`` if it cannot be applied, and `FileError`.
    package init(file: String) throws {
        try self.init(InputFile.bytes(of: file, as: .plan), file: file)
    }

    /// Reads a saved plan from a file's bytes.
    ///
    /// The ``CommandFailure`` names the file.
    package init(_ bytes: [UInt8], file: String) throws(CommandFailure) {
        if let kind = FileKind(head: bytes) {
            throw CommandFailure.notAPlan("\(file) is \(kind.name), and no saved plan")
        }
        let isTable = ManifestLoader.isTable(file)
        if !Self.isPlan(bytes), isTable || file.hasSuffix(".yaml") || file.hasSuffix(".yml") {
            let what = "\(file) is a \(isTable ? "table" : "manifest"), and no saved plan"
            throw CommandFailure(.invalidInput, what, help: "to show its changes: openmarket plan \(file)")
        }
        do throws(CommandFailure) {
            try self.init(bytes: Array(bytes.withoutUTF8Mark), in: DocumentFolder.of(file))
        } catch {
            throw CommandFailure(.invalidInput, "\(file): \(error)", help: error.help)
        }
    }

    /// The bytes of a file to apply later, without credentials, and the digest of the plan in them.
    ///
    /// The digest is the one to approve. Throws ``CommandFailure`` if too little of the plan remains.
    package func bytes(for file: String) throws(CommandFailure) -> (bytes: [UInt8], content: ContentDigest) {
        let written = bytes(in: DocumentFolder.of(file))
        let masked = SecretMask.current.masked(json: written)
        return (masked, masked == written ? contentDigest : try SavedPlan(masked, file: file).contentDigest)
    }
}

extension CommandFailure {
    static func notAPlan(_ reason: String) -> CommandFailure {
        CommandFailure(.invalidInput, reason, help: "`openmarket plan -o FILE` saves one")
    }

    /// The plan has another format or unknown content, or contradicts itself; planning again with this version helps.
    static func unreadablePlan(_ reason: String) -> CommandFailure {
        CommandFailure(.invalidInput, reason, help: "create it again: openmarket plan -o FILE")
    }
}
