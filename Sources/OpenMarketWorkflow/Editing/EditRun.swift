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

    /// `options` are those with which the manifest was read.
    ///
    /// Throws ``EditError`` and `FileError`.
    package init(_ manifest: Manifest, options: ManifestOptions = ManifestOptions()) throws {
        let files = try manifest.files.map {
            ManifestFile(name: $0, bytes: try InputFile.bytes(of: $0, as: .manifest))
        }
        var hash = SHA256()
        for file in files { hash.update(data: file.bytes) }
        guard ContentDigest(bytes: hash.finalize()) == manifest.digest else { throw EditError.changedWhileRead }
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
    /// gets its id. With `adjusts` they are read as the market has them: only what the market changed is edited then.
    package static func load(
        _ paths: [String],
        _ options: ManifestOptions,
        adjusts: Bool = false,
        onTakenBack: (String) -> Void
    ) async throws -> LoadedManifest {
        if let table = paths.first(where: ManifestLoader.isTable) { throw EditError.table(table) }
        guard !paths.contains("-") else { throw EditError.standardInput }
        let options = adjusts ? options : options.withoutAdjustments
        let loaded = await ManifestLoader(options: options).load(paths)
        guard let files = loaded.manifest?.files, let edit = try EditRecords(beside: files).takeBackInterrupted() else {
            return loaded
        }
        onTakenBack(edit)
        return await ManifestLoader(options: options).load(paths)
    }

    /// The places of the edits in the files; `EditError` for new products without a file.
    ///
    /// `head` fills a section `market` that is empty.
    package func planned(_ edits: [ProductEdit], filling head: ManifestHead? = nil) throws -> PlannedEdits {
        try PlannedEdits(edits, of: manifest, in: files, into: destination, filling: head)
    }

    /// Whether a file has a section `market` without anything in it.
    var lacksMarket: Bool { files.contains { (try? ManifestEditor($0.bytes))?.hasEmptyMarket ?? false } }

    /// Reads the manifest as it would be, without adjustments if there are edits.
    ///
    /// Throws ``EditError/invalid(_:)``, whose faults name the edits that they come from.
    @discardableResult
    package func requireValid(_ planned: PlannedEdits) async throws -> Manifest {
        guard !planned.isEmpty else { return manifest }
        let edited = Dictionary(
            planned.files.map { (ExactText($0.name), $0.editor.bytes) }
        ) { first, _ in first }
        let loaded = await ManifestLoader(options: options, edited: edited).load(manifest.files)
        let faults = loaded.diagnostics.filter { $0.severity == .error }
        guard faults.isEmpty, let edited = loaded.manifest else {
            throw EditError.invalid(faults.map { planned.fault($0) })
        }
        return edited
    }

    /// The edits as a patch for `git apply`, in the command's working folder.
    package func patch(_ planned: PlannedEdits) -> [UInt8] {
        planned.files.flatMap { file in
            UnifiedDiff(file.editor.original, file.editor.edits, name: Self.patchName(file.name)).bytes
        }
    }

    /// Writes the edits, after their record; returns its id, or `nil` if there is nothing to write.
    ///
    /// Throws ``EditError`` and `FileError`; then no file was written.
    package func write(
        _ planned: PlannedEdits,
        from source: EditSource,
        tool: String,
        in environment: ExecutionEnvironment = .machine
    ) throws -> String? {
        guard !planned.isEmpty else { return nil }
        let files = planned.files
        var record = EditRecord()
        record.id = EditRecords.prefix + RunID.new(in: environment).rawValue
        record.tool = "openmarket \(tool)"
        record.at = environment.wallTime().iso8601ToTheSecond
        record.source = source
        record.isComplete = false
        record.files = files.map { records.file($0.name, before: $0.editor.original, after: $0.editor.bytes) }
        try records.locked {
            try FileSystem.rewriteAll(files.map { ($0.name, $0.editor.bytes) }[...]) {
                for file in files where try InputFile.bytes(of: file.name, as: .manifest) != file.editor.original {
                    throw EditError.changedMeanwhile(file.name)
                }
                try records.begin(&record, before: files.map(\.editor.original))
            }
            try records.finish(record)
        }
        return record.id
    }

    /// A file's name in a patch, which is applied in the command's working folder.
    private static func patchName(_ name: String) -> String {
        var name = name.utf8[...]
        while name.starts(with: "./".utf8) { name = name.dropFirst(2) }
        return String(decoding: name.drop { $0 == UInt8(ascii: "/") }, as: UTF8.self)
    }
}

extension PlannedEdits {
    /// A fault of the edited manifest, with the edit that it comes from in the place of a line that nobody has seen.
    fileprivate func fault(_ fault: Diagnostic) -> Diagnostic {
        guard let location = fault.location, let place = location.position,
            let file = files.first(where: { $0.name.isExactly(location.file) }), let key = file.editor.key(at: place),
            let item = items.first(where: { $0.key == key && $0.refusal == nil })
        else { return fault }
        var fault = fault
        fault.message = "\(item.reason) of '\(key)': \(fault.message)"
        (fault.location, fault.excerpt) = (nil, nil)
        return fault
    }
}

extension ManifestOptions {
    /// Edits are of what the files have: an adjusted value in the catalog would be wrong for every other market.
    fileprivate var withoutAdjustments: ManifestOptions {
        var options = self
        options.adjusts = false
        return options
    }
}
