import Crypto
package import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import SystemPackage

/// The source of an edit.
package struct EditSource: Hashable, Sendable {
    package enum Kind: String, DocumentCodable, Sendable {
        case decisions, expression, market, run, table
    }

    package var kind: Kind
    /// The expressions, the market's URL, the run, or the file of the table or the decisions.
    package var name: String
    /// The SHA-256 of a table.
    package var digest: ContentDigest?

    package init(_ kind: Kind, _ name: String, digest: ContentDigest? = nil) {
        self.kind = kind
        self.name = name
        self.digest = digest
    }
}

/// A written edit, which ``EditRecords`` can take back.
package struct EditRecord: Hashable, Sendable {
    package struct File: Hashable, Sendable {
        /// Relative to the folder of the records, or absolute.
        var path = ""
        var before = ContentDigest.zero
        var after = ContentDigest.zero
    }

    package var id = ""
    /// Counts the edits, whatever the clock shows.
    var number = 0
    var tool = ""
    package var at = ""
    package var source = EditSource(.expression, "")
    /// `false` from before the first file is written until after the last.
    var isComplete = true
    /// Whether the edit took in everything that its source asked for.
    package var isWhole = true
    var files: [File] = []
}

/// The edits of a manifest's files, with the bytes before each of them: in `.openmarket/edits` and `.openmarket/kept`.
package struct EditRecords: Sendable {
    private static let limit = (records: 100, bytes: Int64(50_000_000))

    /// `.openmarket`, absolute.
    private let folder: String

    package init(beside files: [String]) {
        self.init(in: FileSystem.folder(of: StateChoice.standardPath(beside: files)))
    }

    /// `folder` is `.openmarket`.
    init(in folder: String) { self.folder = FileSystem.absolute(folder) }

    private var edits: String { folder + "/edits" }

    private func kept(_ digest: ContentDigest) -> String { "\(folder)/kept/\(digest.hexadecimal)" }

    private var paths: DocumentPaths { DocumentPaths(folder: FileSystem.folder(of: folder)) }

    /// What can be taken back, the newest first.
    package func undoable() throws -> [EditRecord] {
        try records().filter { record in
            try !isKnownToState(record) && record.files.contains { try digest(of: $0) == $0.after }
        }
    }

    /// The SHA-256 of tables whose edits are all in the files: none was left alone, and none was taken back.
    package func takenTables() throws -> Set<ContentDigest> {
        let taken = try records().filter { record in
            guard record.isWhole, record.source.digest != nil else { return false }
            return try record.files.isEmpty || record.files.contains { try digest(of: $0) != $0.before }
        }
        return Set(taken.compactMap(\.source.digest))
    }

    package func record(_ id: String) throws -> EditRecord {
        guard let record = try records().first(where: { $0.id.isExactly(id) }) else {
            throw CommandFailure(.failure, "the edit \(id) is unknown here", help: "openmarket undo lists the edits")
        }
        return record
    }

    /// Lets no other command write edits meanwhile.
    func locked<Value>(_ body: () throws -> Value) throws -> Value {
        try FileSystem.createFolder(edits, permissions: .ownerReadWriteExecute)
        let lock = try FileError.explaining(.open, edits) { try FileSystem.lock(folder: edits) }
        defer { try? lock.close() }
        return try body()
    }

    /// Keeps the bytes before an edit, and then its record.
    func begin(_ record: inout EditRecord, before: [[UInt8]]) throws {
        record.number = (try records().first?.number ?? 0) + 1
        try FileSystem.createFolder(folder + "/kept", permissions: .ownerReadWriteExecute)
        for (file, bytes) in zip(record.files, before) where FileSystem.isMissing(kept(file.before)) {
            try write(bytes, to: kept(file.before))
        }
        try write(record)
    }

    func finish(_ record: EditRecord) throws {
        var record = record
        record.isComplete = true
        try write(record)
        try prune()
    }

    /// Throws ``CommandFailure/interruptedEdit(_:)`` if an edit was killed between two files.
    package func requireWhole() throws {
        if let record = try interrupted()?.record { throw CommandFailure.interruptedEdit(record.id) }
    }

    /// Takes back an edit that was killed between two files; returns its id.
    ///
    /// Throws ``CommandFailure/interruptedEdit(_:)`` if a person changed one of them since: the next edit would double the
    /// other.
    func takeBackInterrupted() throws -> String? {
        guard !FileSystem.isMissing(edits) else { return nil }
        return try locked {
            guard let (record, isKnown) = try interrupted() else { return nil }
            guard isKnown else { throw CommandFailure.interruptedEdit(record.id) }
            try restore(record.files[...])
            return record.id
        }
    }

    /// An edit that was killed between two files, and whether both are unchanged since.
    private func interrupted() throws -> (record: EditRecord, isKnown: Bool)? {
        guard let record = try records().first, !record.isComplete else { return nil }
        let digests = try record.files.map(digest)
        let isWritten = zip(record.files, digests).map { $0.after == $1 }
        guard isWritten.contains(true), isWritten.contains(false) else { return nil }
        return (record, zip(record.files, digests).allSatisfy { [$0.before, $0.after].contains($1) })
    }

    /// Whether the state has the values that the edit took from the market.
    private func isKnownToState(_ record: EditRecord) -> Bool { record.source.kind == .market && record.isComplete }

    /// Throws ``CommandFailure`` if, without the edit, the next apply would send or delete unwanted values or products.
    ///
    /// These are the market's earlier values, and products that are managed by now.
    package func requireUndoable(_ id: String, in state: StateSnapshot?) throws {
        let record = try record(id)
        let files = try record.files.filter { try digest(of: $0) == $0.after }
        if let file = files.first, isKnownToState(record) {
            throw left(
                file,
                "the edit of \(path(of: file)) came from the market: without it the next apply would send the earlier "
                    + "values"
            )
        }
        guard let entries = state?.entries, !entries.isEmpty else { return }
        let managed = try files.flatMap { try addedKeys($0).filter { entries[$0] != nil } }.sorted()
        guard let first = managed.first else { return }
        throw CommandFailure(
            .failure,
            managed.count == 1
                ? "'\(first)' is managed by now: without the edit the next apply would delete it"
                : "\(managed.count) products of the edit are managed by now, '\(first)' first: without it the next apply "
                    + "would delete them",
            help:
                "'openmarket undo RUN' takes back the creates of an apply; 'openmarket state forget KEY' leaves a product "
                + "on the market"
        )
    }

    /// Gives the files of an edit their earlier bytes; returns their paths, and the error about a file that has other
    /// bytes by now.
    package func undo(_ id: String) throws -> (restored: [String], fault: CommandFailure?) {
        let record = try record(id)
        return try locked {
            let digests = try record.files.map(digest)
            let restored = zip(record.files, digests).filter { $0.after == $1 }.map(\.0)
            try restore(restored[...])
            let changed = zip(record.files, digests).first { ![$0.before, $0.after].contains($1) }?.0
            let fault = changed.map { left($0, "\(path(of: $0)) was changed since the edit, and was left alone") }
            return (restored.map(path), fault)
        }
    }

    /// The products that an edit listed in a file that it still can be taken out of.
    private func addedKeys(_ file: EditRecord.File) throws -> Set<String> {
        let present = try ManifestEditor(InputFile.bytes(of: paths.absolute(file.path), as: .manifest)).listedKeys
        let earlier = try ManifestEditor(InputFile.bytes(of: kept(file.before), as: .keptPicture)).listedKeys
        return present.subtracting(earlier)
    }

    /// Why an edit of a file stays; it names the bytes before the edit.
    private func left(_ file: EditRecord.File, _ reason: String) -> CommandFailure {
        let earlier = DocumentPaths(folder: DocumentFolder.current).relative(kept(file.before))
        return CommandFailure(.failure, reason, help: "the earlier bytes are kept: diff \(earlier) \(path(of: file))")
    }

    /// The path of a file, for people.
    package func path(of file: EditRecord.File) -> String {
        DocumentPaths(folder: DocumentFolder.current).relative(paths.absolute(file.path))
    }

    func file(_ path: String, before: [UInt8], after: [UInt8]) -> EditRecord.File {
        EditRecord.File(
            path: paths.relative(FileSystem.absolute(path)),
            before: ContentDigest(bytes: SHA256.hash(data: before)),
            after: ContentDigest(bytes: SHA256.hash(data: after))
        )
    }

    /// The digest of a file's present bytes; `nil` if it is missing.
    private func digest(of file: EditRecord.File) throws -> ContentDigest {
        let path = paths.absolute(file.path)
        return FileSystem.isMissing(path) ? Self.nothing : try InputFile.digest(of: path, as: .manifest)
    }

    /// The digest of no bytes: before the edit that created it, a file was missing.
    private static let nothing = ContentDigest(bytes: SHA256.hash(data: [UInt8]()))

    private func restore(_ files: ArraySlice<EditRecord.File>) throws {
        let created = files.filter { $0.before == Self.nothing }
        try FileSystem.rewriteAll(
            files.filter { $0.before != Self.nothing }.map { file in
                let bytes = try InputFile.bytes(of: kept(file.before), as: .keptPicture)
                guard ContentDigest(bytes: SHA256.hash(data: bytes)) == file.before else {
                    throw FileError(.read, kept(file.before), Errno.ioError)
                }
                return (paths.absolute(file.path), bytes)
            }[...]
        ) {
            for file in created { try FileSystem.remove(paths.absolute(file.path)) }
        }
    }

    // MARK: Files

    private func write(_ record: EditRecord) throws {
        try write(record.document.bytes(pretty: true) + Array("\n".utf8), to: "\(edits)/\(record.id).json")
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        try AtomicFile.write(bytes, to: path, permissions: .ownerReadWrite, replacing: .keptPicture)
    }

    /// The records, the newest first; other files are skipped.
    private func records() throws -> [EditRecord] {
        let names = (FileSystem.names(in: edits) ?? []).filter { $0.hasPrefix(Self.prefix) && $0.hasSuffix(".json") }
        let records = try names.compactMap { name in
            let bytes = try InputFile.bytes(of: "\(edits)/\(name)", as: .keptPicture)
            return (try? JSONValue.parse(bytes)).flatMap { try? EditRecord(document: DocumentValue($0, at: "")) }
        }
        return records.sorted { $0.number > $1.number }
    }

    /// The digests of the files that edits can be taken back to.
    func neededBytes() throws -> Set<ContentDigest> { Set(try records().flatMap(\.files).map(\.before)) }

    /// How the names of edits begin.
    package static let prefix = "edit-"

    /// Drops the oldest records, and the bytes that only they name.
    private func prune() throws {
        let records = try records()
        var kept: Set<ContentDigest> = []
        var bytes: Int64 = 0
        var count = 0
        for record in records.prefix(Self.limit.records) {
            for digest in Set(record.files.map(\.before)).subtracting(kept) {
                bytes += (try? Stat(FilePath(self.kept(digest))))?.size ?? 0
            }
            guard count == 0 || bytes <= Self.limit.bytes else { break }
            kept.formUnion(record.files.map(\.before))
            count += 1
        }
        for record in records.dropFirst(count) {
            try FileSystem.remove("\(edits)/\(record.id).json")
            for digest in Set(record.files.map(\.before)).subtracting(kept) {
                try FileSystem.remove(self.kept(digest))
            }
        }
    }
}

extension FileSystem {
    /// Rewrites all files of a user or none, unless the program is killed; `ready` runs before the first change.
    static func rewriteAll(_ files: ArraySlice<(path: String, bytes: [UInt8])>, ready: () throws -> Void) throws {
        guard let first = files.first else { return try ready() }
        let file = try AtomicFile.rewriting(first.path)
        try file.write(first.bytes)
        try rewriteAll(files.dropFirst(), ready: ready)
        try file.commit()
    }
}

// MARK: - Documents

extension EditRecord: DocumentRecord {
    package static var blank: EditRecord { EditRecord() }

    package mutating func describe(_ members: inout DocumentMembers) {
        var version = 1
        members.required("format_version", &version)
        members.required("edit", &id)
        members.required("number", &number)
        members.required("tool", &tool)
        members.required("at", &at)
        members.object("source") {
            $0.required("kind", &source.kind)
            $0.required("name", &source.name)
            $0.optional("sha256", &source.digest)
        }
        members.optional("complete", &isComplete, default: true)
        members.optional("whole", &isWhole, default: true)
        members.required("files", &files)
    }
}

extension EditRecord.File: DocumentRecord {
    package static var blank: EditRecord.File { EditRecord.File() }

    package mutating func describe(_ members: inout DocumentMembers) {
        members.required("path", &path)
        members.required("before", &before)
        members.required("after", &after)
    }
}
