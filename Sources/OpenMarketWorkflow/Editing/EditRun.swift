import Crypto
package import OpenMarket
import OpenMarketFiles
package import OpenMarketManifest

struct ManifestFile: Sendable {
    /// The file's name, as in the listings.
    var name: String
    var bytes: [UInt8]
}

/// Writes edits into the files of a manifest: all files or none.
package struct EditRun: Sendable {
    private let manifest: Manifest
    private let files: [ManifestFile]
    private let options: ManifestOptions
    private let records: EditRecords
    /// The file that lists new products; needed if several files list products.
    package var destination: String?
    /// The section `market` of a manifest that the edit creates.
    var head: ManifestHead?

    /// `options` are the options that read the manifest.
    ///
    /// Throws ``CommandFailure`` and `FileError`.
    package init(_ manifest: Manifest, options: ManifestOptions = ManifestOptions()) throws {
        let files = try manifest.files.map { ManifestFile(name: $0, bytes: try Self.bytes(of: $0)) }
        var hash = SHA256()
        for file in files { hash.update(data: file.bytes) }
        guard ContentDigest(bytes: hash.finalize()) == manifest.digest else {
            throw CommandFailure(.failure, "a manifest changed while it was read; no file was written")
        }
        self.init(manifest, files, options: options)
    }

    /// `files` are those of the manifest, as they were read for it.
    init(_ manifest: Manifest, _ files: [ManifestFile], options: ManifestOptions = ManifestOptions()) {
        self.manifest = manifest
        self.files = files
        self.options = options.withoutAdjustments
        records = EditRecords(beside: manifest.files)
    }

    /// Reads manifests that are to be edited.
    ///
    /// An edit that was killed between two files is taken back first, so that no file is edited twice; `onTakenBack`
    /// gets its id. With `adjusts` they are read as the market has them: then only the market's changes are edited.
    /// `created` is a manifest that the edit creates.
    package static func load(
        _ paths: [String],
        _ options: ManifestOptions,
        adjusts: Bool = false,
        created: String? = nil,
        onTakenBack: (String) -> Void
    ) async throws -> LoadedManifest {
        if let table = paths.first(where: ManifestLoader.isTable) {
            let what = "edits are written into YAML, and \(table) is a table"
            throw CommandFailure(.usage, what, help: "name the manifests in YAML")
        }
        guard !paths.contains("-") else {
            throw CommandFailure(.usage, "edits are written into files, and standard input is not a file")
        }
        let options = adjusts ? options : options.withoutAdjustments
        let edited: [ExactText: [UInt8]] = created.map { [ExactText($0): []] } ?? [:]
        let loaded = await ManifestLoader(options: options, edited: edited).load(paths)
        guard let files = loaded.manifest?.files, let edit = try EditRecords(beside: files).takeBackInterrupted() else {
            return loaded
        }
        onTakenBack(edit)
        return await ManifestLoader(options: options, edited: edited).load(paths)
    }

    /// What is edited: a line for each of market, manifest and its SHA-256.
    package var heading: [String] {
        let market = manifest.market.url.map { url in
            "market:   \(url)" + (manifest.market.profile.map { " (\($0.name))" } ?? "")
        }
        let files = manifest.files.joined(separator: ", ")
        return ([market].compactMap(\.self) + ["manifest: \(files)", "content:  sha256:\(manifest.digest)"])
            .map(\.terminalSafe)
    }

    /// The places of the edits in the files; `CommandFailure` for new products without a file.
    ///
    /// `head` begins the only file, if that is empty.
    package func planned(_ edits: [ProductEdit], head: ManifestHead? = nil) throws -> PlannedEdits {
        try PlannedEdits(edits, of: manifest, in: files, into: destination, head: head ?? self.head)
    }

    /// Whether the only file is to be created.
    var lacksMarket: Bool { files.count == 1 && files[0].bytes.isEmpty }

    /// Reads the manifest as it would be, without adjustments if there are edits.
    ///
    /// Throws ``CommandFailure/invalidEdit(_:)``, whose faults name the edits that they come from.
    @discardableResult
    package func requireValid(_ planned: PlannedEdits) async throws -> Manifest {
        guard !planned.isEmpty else { return manifest }
        return try await load(planned, options).valid
    }

    /// Reads the manifest as it would be, as its market has it; throws the same error.
    package func edited(_ planned: PlannedEdits) async throws -> LoadedManifest {
        var options = options
        options.adjusts = true
        return try await load(planned, options).loaded
    }

    private func load(
        _ planned: PlannedEdits,
        _ options: ManifestOptions
    ) async throws -> (loaded: LoadedManifest, valid: Manifest) {
        // A manifest that is to be created is empty, and no file yet.
        let created = files.filter(\.bytes.isEmpty).map { (ExactText($0.name), $0.bytes) }
        let edited = Dictionary(
            planned.files.map { (ExactText($0.name), $0.editor.bytes) } + created
        ) { first, _ in first }
        let loaded = await ManifestLoader(options: options, edited: edited).load(manifest.files)
        let faults = loaded.diagnostics.filter { $0.severity == .error }
        guard faults.isEmpty, let valid = loaded.manifest else {
            throw CommandFailure.invalidEdit(faults.map { planned.placed($0) })
        }
        return (loaded, valid)
    }

    /// The edits as a patch for `git apply`, in the command's working folder.
    package func patch(_ planned: PlannedEdits) -> [UInt8] {
        planned.files.flatMap { file in
            UnifiedDiff(file.original, file.editor.edits(of: file.original), name: Self.patchName(file.name)).bytes
        }
    }

    /// Writes the edits, after their record; returns its id, or `nil` without edits.
    ///
    /// A table that the manifest has already is recorded all the same: it may be exported over.
    ///
    /// Throws ``CommandFailure`` and `FileError`; then no file was written.
    package func write(
        _ planned: PlannedEdits,
        from source: EditSource,
        tool: String,
        in environment: ExecutionEnvironment = .machine
    ) throws -> String? {
        if planned.isEmpty {
            guard let table = source.digest, planned.isComplete, try !records.takenTables().contains(table) else {
                return nil
            }
        }
        let files = planned.files
        var record = EditRecord()
        record.id = EditRecords.prefix + RunID.new(in: environment).rawValue
        record.tool = "openmarket \(tool)"
        record.at = environment.wallTime().iso8601ToTheSecond
        record.source = source
        record.isComplete = false
        record.isWhole = planned.isComplete
        record.files = files.map { records.file($0.name, before: $0.original, after: $0.editor.bytes) }
        try records.locked {
            try FileSystem.rewriteAll(files.map { ($0.name, $0.editor.bytes) }[...]) {
                for file in files where try Self.bytes(of: file.name) != file.original {
                    let what = "\(file.name) changed meanwhile; no file was written"
                    throw CommandFailure(.failure, what, help: "run it again")
                }
                try records.begin(&record, before: files.map(\.original))
            }
            try records.finish(record)
        }
        return planned.isEmpty ? nil : record.id
    }

    /// The bytes of a manifest; none of one that is to be created.
    private static func bytes(of file: String) throws -> [UInt8] {
        FileSystem.isMissing(file) ? [] : try InputFile.bytes(of: file, as: .manifest)
    }

    /// A file's name in a patch, which is applied in the command's working folder.
    private static func patchName(_ name: String) -> String {
        var name = name.utf8[...]
        while name.starts(with: "./".utf8) { name = name.dropFirst(2) }
        return String(decoding: name.drop { $0 == UInt8(ascii: "/") }, as: UTF8.self)
    }
}

extension PlannedEdits {
    /// A fault of the edited manifest, with the edit that it comes from in place of an unwritten line.
    package func placed(_ fault: Diagnostic) -> Diagnostic {
        guard let location = fault.location, let place = location.position,
            let file = files.first(where: { $0.name.isExactly(location.file) }), let key = file.editor.key(at: place),
            let item = item(of: key, at: fault.path)
        else { return fault }
        var fault = fault
        fault.message = item.source == nil ? "\(item.reason) of '\(key)': \(fault.message)" : fault.message
        (fault.location, fault.excerpt) = (item.source, nil)
        return fault
    }
}

extension PlannedEdits {
    /// The written edit of a product's field with this path, else the first one of the product.
    private func item(of key: String, at path: String) -> Item? {
        let written = items.filter { $0.key == key && $0.refusal == nil }
        return written.first { $0.place.field.map { path.hasSuffix(".\($0.name)") } ?? false } ?? written.first
    }
}

extension ManifestOptions {
    /// Edits change the values of the files: an adjusted value in the catalog would be wrong for every other market.
    var withoutAdjustments: ManifestOptions {
        var options = self
        options.adjusts = false
        return options
    }
}
