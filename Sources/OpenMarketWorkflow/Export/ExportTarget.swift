package import OpenMarket
package import OpenMarketFiles

package struct ExportTarget: Sendable {
    /// The path as stated, perhaps with a placeholder for the day.
    let template: String
    /// The file; `-` is standard output.
    package let path: String
    /// Whether an export at the path is replaced even if it was edited since.
    let discardsEdits: Bool
    private let dated: DatedFiles?
    private let keep: Int?

    /// `-` and `nil` are standard output.
    ///
    /// `keep` is the number of exports that stay, this one included; `nil` keeps all. For a path without a day, `keep`
    /// is refused with `needsDate`, and otherwise ignored. `now` determines the day.
    package init(
        _ template: String?,
        keeping keep: Int? = nil,
        needsDate: Bool = true,
        discardingEdits discardsEdits: Bool = false,
        now: Timestamp = .now
    ) throws(CommandFailure) {
        let template = template ?? "-"
        self.template = template
        self.keep = keep
        self.discardsEdits = discardsEdits
        dated = DatedFiles(template)
        let path = dated?.path(at: now) ?? template
        self.path = StandardStreams.isOutput(path) ? "-" : path
        guard dated == nil else { return }
        let date = DatedFiles.placeholder
        guard !DatedFiles.hasPlaceholder(template) else {
            let message = "'\(template)': \(date) may occur once, and in the name of the file"
            throw CommandFailure(.usage, message, help: "name such a file with --out")
        }
        guard keep == nil || !needsDate else {
            throw CommandFailure(
                .usage,
                "the exports of other days cannot be recognised",
                help: "--keep needs \(date) in the file's name: --out 'catalog-\(date).csv.gz'"
            )
        }
    }

    package var isStandardOutput: Bool { path == "-" }

    /// Whether it is or becomes a regular file, not a pipe or a device.
    var isRegular: Bool { !isStandardOutput && FileSystem.mayBecomeRegular(path) }

    func earlier() throws(CommandFailure) -> String { try dated?.newest() ?? path }

    func removeOldest() -> DatedFiles.Removal {
        keep.flatMap { dated?.removeOldest(keeping: $0, with: path) } ?? DatedFiles.Removal()
    }
}

extension ExportTarget {
    /// Declares the export, and the certificate next to it.
    ///
    /// If `format` is stated, the file's name has to fit it. `takenEdits` are tables that may be replaced although they
    /// were edited.
    package func declare(
        as format: ExportFormat?,
        takenEdits: Set<ContentDigest> = []
    ) throws(FileConflict) {
        let written = format ?? ExportFormat(fileName: path)
        try declare(
            written.content,
            checksName: format != nil,
            replacing: .ownExport,
            takenEdits: takenEdits
        )
        guard !isStandardOutput else { return }
        try FileRegister.current.declare(
            ExportCertificate.path(of: path),
            named: "the certificate of --out",
            as: .json,
            replacing: .ownExport
        )
    }

    /// Declares the changes since an earlier export, which is noted with its certificate.
    ///
    /// With `checksName`, the file's name has to fit the format.
    package func declareChanges(
        since earlier: String,
        as format: ExportFormat,
        checksName: Bool
    ) throws(FileConflict) {
        for file in [earlier, ExportCertificate.path(of: earlier)] {
            FileRegister.current.note(file, as: .earlierExport)
        }
        try declare(format.content, checksName: checksName)
    }

    func declareCheckpoint() throws(FileConflict) {
        guard !isStandardOutput else { return }
        try FileRegister.current.declare(
            ExportCheckpoint.path(of: template),
            named: "the replies that --out keeps",
            as: .checkedByReader
        )
    }

    private func declare(
        _ content: OutputContent,
        checksName: Bool,
        replacing replaceable: FileRole = [],
        takenEdits: Set<ContentDigest> = []
    ) throws(FileConflict) {
        try FileRegister.current.declare(
            isStandardOutput ? nil : path,
            named: "--out",
            as: content,
            checksName: checksName,
            mayBeCompressed: true,
            replacing: replaceable,
            discardsEdits: discardsEdits,
            takenEdits: takenEdits
        )
    }

    /// Writes a whole document into the file, compressed if the file's name implies it.
    package func write(_ document: [UInt8], by access: any CatalogFileAccess) throws {
        var bytes = document
        if ExportFormat.isCompressed(fileName: path) {
            let compress = try access.compressor(isFast: false)
            bytes = compress(document) + compress(nil)
        }
        try AtomicFile.write(bytes, to: path, permissions: AtomicFile.readableByAll)
    }
}
