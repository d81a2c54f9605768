package import OpenMarket
package import OpenMarketFiles

/// Where an export goes: standard output, a file, or the file of a day.
package struct ExportTarget: Sendable {
    /// The path as it was named, perhaps with a placeholder for the day.
    let template: String
    /// The file; `-` is standard output.
    package let path: String
    private let dated: DatedFiles?
    private let keep: Int?

    /// - Parameters:
    ///   - template: the path; `-` is standard output, and so is `nil`.
    ///   - keep: how many exports of other days stay, this one included; `nil` keeps all.
    ///   - needsDate: whether a path without a day is refused where some are to stay; otherwise all are kept there.
    ///   - now: the moment whose day it is.
    /// - Throws: ``ExportError``.
    package init(
        _ template: String?,
        keeping keep: Int? = nil,
        needsDate: Bool = true,
        now: Timestamp = .now
    ) throws(ExportError) {
        let template = template ?? "-"
        self.template = template
        self.keep = keep
        dated = DatedFiles(template)
        let path = dated?.path(at: now) ?? template
        self.path = StandardStreams.isOutput(path) ? "-" : path
        guard dated != nil || !DatedFiles.hasPlaceholder(template) else { throw .misplacedDate(template) }
        guard dated != nil || keep == nil || !needsDate else { throw .keepNeedsDate }
    }

    /// Whether it goes to standard output.
    package var isStandardOutput: Bool { path == "-" }

    /// Whether it is or becomes a regular file, and not a pipe or a device.
    var isRegular: Bool { !isStandardOutput && FileSystem.mayBecomeRegular(path) }

    /// The export before this one.
    func earlier() throws(ExportError) -> String { try dated?.newest() ?? path }

    /// Removes the exports of the oldest days.
    func removeOldest() -> DatedFiles.Removal {
        keep.flatMap { dated?.removeOldest(keeping: $0, with: path) } ?? DatedFiles.Removal()
    }
}

extension ExportTarget {
    /// Declares the export, and the certificate beside it.
    ///
    /// - Parameters:
    ///   - format: the format, where it is named: then the file's name has to fit it.
    ///   - name: what the export is called in messages.
    /// - Throws: `FileConflict`.
    package func declare(as format: CatalogOutput?, named name: String) throws(FileConflict) {
        let written = format ?? CatalogOutput(ExportFormat(fileName: path))
        try declare(written.content, named: name, checksName: format != nil, replacing: .ownExport)
        guard !isStandardOutput else { return }
        try FileRegister.current.declare(
            CertifiedExport.certificate(of: path),
            named: "the certificate of \(name)",
            as: .certificate,
            replacing: .ownExport
        )
    }

    /// Declares what changed since an earlier export, which is noted with its certificate.
    ///
    /// - Parameters:
    ///   - earlier: the earlier export.
    ///   - format: the format.
    ///   - checksName: whether the file's name has to fit it.
    ///   - name: what the output is called in messages.
    /// - Throws: `FileConflict`.
    package func declareChanges(
        since earlier: String,
        as format: CatalogOutput,
        checksName: Bool,
        named name: String
    ) throws(FileConflict) {
        for file in [earlier, CertifiedExport.certificate(of: earlier)] {
            FileRegister.current.note(file, as: .earlierExport)
        }
        try declare(format.content, named: name, checksName: checksName)
    }

    /// Declares the replies that are kept while the export is read.
    ///
    /// - Throws: `FileConflict`.
    func declareCheckpoint(named name: String) throws(FileConflict) {
        guard !isStandardOutput else { return }
        try FileRegister.current.declare(
            ExportCheckpoint.path(of: template),
            named: "the replies that \(name) keeps",
            as: .checkedByReader
        )
    }

    private func declare(
        _ content: OutputContent,
        named name: String,
        checksName: Bool,
        replacing replaceable: FileRole = []
    ) throws(FileConflict) {
        try FileRegister.current.declare(
            path,
            named: name,
            as: content,
            checksName: checksName,
            mayBeCompressed: true,
            replacing: replaceable,
            allowsStandardOutput: true
        )
    }

    /// Writes a whole document into the file; compressed where its name says so.
    ///
    /// - Throws: `FileError`, `FileConflict`, and what the library throws.
    package func write(_ document: [UInt8], by access: any CatalogFileAccess) throws {
        var bytes = document
        if ExportFormat.isCompressed(fileName: path) {
            let compress = try access.compressor()
            bytes = compress(document) + compress(nil)
        }
        try AtomicFile.write(bytes, to: path, permissions: AtomicFile.readableByAll)
    }
}
