package import OpenMarket
package import OpenMarketFiles
import OpenMarketManifest
import SystemPackage

extension RunUndo {
    /// Undoes a run, or with `isAfter` all runs after it.
    ///
    /// `conditions` choose among the products as they are listed; deleted ones, as the market had them. `destination`
    /// is the file that lists deleted products again; without one it is the file that listed them. Throws
    /// ``CommandFailure`` if the journal does not have the operations, ``CommandFailure/unmatchedKey(_:)``,
    /// `ExpressionError` if no product fits, and errors of the state.
    package static func planned(
        of run: RunID,
        isAfter: Bool,
        _ state: any StateReader,
        in manifest: Manifest,
        into destination: String?,
        filter: KeyFilter,
        where conditions: [ProductCondition] = [],
        keptIn store: ContentStore
    ) async throws -> (undo: RunUndo, pictures: ReturningPictures) {
        // The newest first; the journal lacks the operations of old runs.
        let runs = try await state.runs()
        guard let place = runs.firstIndex(where: { $0.record.id == run }) else {
            throw CommandFailure.notInJournal("run '\(run)' is not in the journal")
        }
        var undone: [JournalledOperation] = []
        var later: [JournalledOperation] = []
        for summary in runs[...place].reversed() where !isAfter || summary.record.id != run {
            guard summary.operations > 0 else {
                let id = summary.record.id
                throw CommandFailure.notInJournal("the journal no longer has the operations of run '\(id)'")
            }
            let operations = try await state.operations(of: summary.record.id)
            if isAfter || summary.record.id == run { undone += operations } else { later += operations }
        }
        let operations = (undone + later).underPresentKeys(in: manifest)
        (undone, later) = (Array(operations.prefix(undone.count)), Array(operations.dropFirst(undone.count)))
        let filter = try filter.narrowed(toUndo: undone.map(\.operation), by: conditions, in: manifest)
        var pictures = ReturningPictures(manifest, into: destination, keptIn: store)
        for key in Set(undone.filter { $0.operation.takesPictures }.map(\.operation.key)) where filter.takes(key) {
            pictures.take(try await state.history(of: key), of: key)
        }
        let files = pictures.files
        let undo = RunUndo(undone, before: later, in: manifest, filter: filter, file: { files[$0] ?? destination }) {
            pictures.path($0, $1, $2)
        }
        pictures.leaveOut(Set(undo.edits.filter(\.isLeft).map(\.key)))
        return (undo, pictures)
    }
}

/// The files of the pictures of products that come back: those that are still there, and those written from kept ones.
package struct ReturningPictures: Sendable {
    private let store: ContentStore
    private let manifest: Manifest
    /// The file for products that were not listed; `nil` if it is undecided.
    private let destination: String?
    private let isNamed: Bool
    /// The file of a product, by key: the one that lists it, or is to list it again.
    fileprivate private(set) var files: [String: String] = [:]
    private var paths: [String: [ContentDigest: String]] = [:]
    private var new: [(key: String, path: String, digest: ContentDigest)] = []
    private var taken: Set<ExactText> = []

    fileprivate init(_ manifest: Manifest, into destination: String?, keptIn store: ContentStore) {
        (self.manifest, self.store) = (manifest, store)
        for listing in manifest.listings { files[listing.key] = listing.file }
        let listing = Set(files.values)
        isNamed = destination != nil
        self.destination = destination ?? (listing.count < 2 ? listing.first ?? manifest.files.first : nil)
    }

    /// Takes the journal's operations on a product, the newest first.
    fileprivate mutating func take(_ history: [JournalledOperation], of key: String) {
        if files[key] == nil {
            let sources = history.compactMap { $0.operation.source?.file }.map(FileSystem.absolute)
            let origins = sources.compactMap { source in
                manifest.files.first { FileSystem.absolute($0).isExactly(source) }
            }
            files[key] = isNamed ? destination : origins.first ?? destination
        }
        guard let folder = files[key].map(FileSystem.folder) else { return }
        for picture in history.flatMap(\.operation.pictures) where paths[key]?[picture.digest] == nil {
            let path = FileSystem.path(of: picture.path, in: folder)
            // A missing file is not an input: the picture may come back under this name.
            guard !FileSystem.isMissing(path) else { continue }
            let file = FetchedPicture(file: path, as: .named)
            if file?.digest == picture.digest { paths[key, default: [:]][picture.digest] = picture.path }
        }
    }

    /// The path of a picture's file as the manifest writes it; `nil` if the picture was not kept.
    fileprivate mutating func path(
        _ key: String,
        _ identity: PictureIdentity,
        _ image: LiveProduct.Image?
    ) -> String? {
        var names: [String] = []
        var url = image?.url
        switch identity {
        case .digest(let digest):
            if let path = paths[key]?[digest] { return path }
            names.append(digest.hexadecimal)
        case .unknown(let reference): url = url ?? reference
        }
        if let name = url.flatMap({ store.name(at: $0) }) { names.append(name) }
        guard let picture = names.compactMap({ store.content(named: $0) }).first else { return nil }
        return path(key, picture)
    }

    private mutating func path(_ key: String, _ picture: FetchedPicture) -> String? {
        guard let folder = files[key].map(FileSystem.folder), let format = PictureFormat(head: picture.bytes.prefix(24))
        else { return nil }
        if let path = paths[key]?[picture.digest] { return path }
        let slug = KeyMaker.slug(key)
        let stem = "images/\(slug.isEmpty ? "product" : slug)-\((paths[key]?.count ?? 0) + 1)"
        let names = [stem, "\(stem)-\(picture.digest.hexadecimal.prefix(8))"].map { "\($0).\(format.fileExtension)" }
        for name in names {
            let path = FileSystem.path(of: name, in: folder)
            let isFree =
                FileSystem.isMissing(path) || FetchedPicture(file: path, as: .named)?.digest == picture.digest
            guard isFree, taken.insert(ExactText(path)).inserted else { continue }
            paths[key, default: [:]][picture.digest] = name
            new.append((key, path, picture.digest))
            return name
        }
        return nil
    }

    fileprivate mutating func leaveOut(_ keys: Set<String>) { new.removeAll { keys.contains($0.key) } }

    /// Writes the files, and takes them away again if `body` throws an error that makes them useless.
    package func written<Value>(
        keptAfter isNeeded: (any Error) -> Bool,
        _ body: () async throws -> Value
    ) async throws -> Value {
        var written: [String] = []
        do {
            for file in new where FileSystem.isMissing(file.path) {
                guard let picture = store.content(named: file.digest.hexadecimal) else { continue }
                let folder = FileSystem.folder(of: file.path)
                try FileSystem.createFolder(folder, permissions: FilePermissions(rawValue: 0o777))
                try AtomicFile.write(picture.bytes, to: file.path, permissions: AtomicFile.readableByAll)
                written.append(file.path)
            }
            return try await body()
        } catch {
            if !isNeeded(error) { for path in written { try? FileSystem.remove(path) } }
            throw error
        }
    }
}

extension KeyFilter {
    /// Checks that each key without wildcards is one of these.
    package func requireMatches(in keys: some Collection<String>) throws(CommandFailure) {
        guard !takesAll else { return }
        let unmatched = unknown(in: keys) + unmatched(in: keys)
        if let key = unmatched.first(where: { !$0.contains("*") && !$0.contains("?") }) { throw .unmatchedKey(key) }
    }

    /// A filter for the products of operations that this one takes and that fit all conditions.
    ///
    /// Throws ``CommandFailure/unmatchedKey(_:)`` and `ExpressionError`.
    package func narrowed(
        toUndo operations: [PlannedOperation],
        by conditions: [ProductCondition],
        in manifest: Manifest
    ) throws -> KeyFilter {
        let keys = Set(operations.map(\.key))
        try requireMatches(in: keys)
        guard !conditions.isEmpty else { return self }
        var listings = manifest.listings.filter { keys.contains($0.key) }
        let listed = Set(listings.map(\.key))
        for operation in operations where !listed.contains(operation.key) {
            guard let deletion = operation.deletion else { continue }
            let place = SourcePosition(line: 1, column: 1)
            var listing = Listing(key: operation.key, file: "", position: place)
            listing.values = deletion.live
            listings.append(listing)
        }
        return try narrowed(by: conditions, in: Listings(listings))
    }
}

extension ProductEdit {
    fileprivate var isLeft: Bool { if case .leave = action { true } else { false } }
}
