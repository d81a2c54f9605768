package import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import SystemPackage

/// Kept pictures that an undo of runs gives back as files.
package struct ReturningPictures: Sendable {
    fileprivate var files: [(path: String, picture: FetchedPicture)] = []

    /// Writes the files, and takes them away again if `body` throws an error after which nothing needs them.
    package func written<Value>(
        keptAfter isNeeded: (any Error) -> Bool,
        _ body: () async throws -> Value
    ) async throws -> Value {
        var new: [String] = []
        do {
            for file in files where FileSystem.isMissing(file.path) {
                try FileSystem.createFolder(
                    FileSystem.folder(of: file.path),
                    permissions: [.ownerReadWriteExecute, .groupReadExecute, .otherReadExecute]
                )
                try AtomicFile.write(file.picture.bytes, to: file.path, permissions: AtomicFile.readableByAll)
                new.append(file.path)
            }
            return try await body()
        } catch {
            if !isNeeded(error) { for path in new { try? FileSystem.remove(path) } }
            throw error
        }
    }
}

extension RunUndo {
    /// Undoes a run, or with `isAfter` all runs after it.
    ///
    /// Pictures are those that files of the manifest still have, else those that runs kept on this machine. Throws
    /// ``RunHistory/Unknown`` if the journal does not have the operations, errors of the state, and `FileError`.
    package static func planned(
        of run: RunID,
        isAfter: Bool,
        _ state: any StateReader,
        in manifest: Manifest,
        filter: KeyFilter,
        keptIn store: RunPictures
    ) async throws -> (undo: RunUndo, pictures: ReturningPictures) {
        // The newest first; of old runs the journal has no operations.
        let runs = try await state.runs()
        guard let place = runs.firstIndex(where: { $0.record.id == run }) else { throw RunHistory.Unknown.run(run) }
        var undone: [JournalledOperation] = []
        var later: [JournalledOperation] = []
        var kept: [ExactText: ContentDigest] = [:]
        let lists = try store.lists()
        for summary in runs[...place].reversed() where !isAfter || summary.record.id != run {
            guard summary.operations > 0 else { throw RunHistory.Unknown.operations(of: summary.record.id) }
            let operations = try await state.operations(of: summary.record.id)
            guard isAfter || summary.record.id == run else {
                later += operations
                continue
            }
            undone += operations
            // Of several runs the first one saw what is to come back.
            for list in lists where list.run.isExactly(summary.record.id.rawValue) {
                for item in list.pictures {
                    guard let url = item.url.map({ ExactText($0) }), kept[url] == nil else { continue }
                    kept[url] = item.digest
                }
            }
        }
        var search = PictureSearch(manifest, store: store, kept: kept)
        for key in Set(undone.filter { $0.operation.takesPictures }.map(\.operation.key)) where filter.takes(key) {
            search.take(try await state.history(of: key), of: key)
        }
        let origins = search.origins
        let undo = RunUndo(undone, before: later, in: manifest, filter: filter, file: { origins[$0] }) {
            search.path($0, $1, $2)
        }
        return (undo, search.returning)
    }
}

/// The files of the pictures of products that come back.
private struct PictureSearch {
    private let manifest: Manifest
    private let store: RunPictures
    private let kept: [ExactText: ContentDigest]
    private let folder: String?
    /// The file that listed a product last, of those that are read.
    private(set) var origins: [String: String] = [:]
    private var known: [String: [ContentDigest: String]] = [:]
    private var listed: [String: String] = [:]
    private(set) var returning = ReturningPictures()

    init(_ manifest: Manifest, store: RunPictures, kept: [ExactText: ContentDigest]) {
        (self.manifest, self.store, self.kept) = (manifest, store, kept)
        let folders = Set(manifest.files.map(FileSystem.folder))
        folder = folders.count == 1 ? folders.first : nil
        for listing in manifest.listings { listed[listing.key] = listing.file }
    }

    /// The folder that the paths of a product's pictures are relative to; `nil` if it is not known.
    private func folder(of key: String) -> String? {
        (listed[key] ?? origins[key]).map(FileSystem.folder) ?? folder
    }

    /// Takes what the journal has about a product, the newest first or last.
    mutating func take(_ history: [JournalledOperation], of key: String) {
        let newest = history.sorted { $0.startedAt > $1.startedAt }
        let files = newest.compactMap { $0.operation.source?.file }.map(FileSystem.absolute)
        for file in files where origins[key] == nil {
            origins[key] = manifest.files.first { FileSystem.absolute($0).isExactly(file) }
        }
        guard let folder = folder(of: key) else { return }
        for picture in newest.flatMap(\.operation.pictures) where known[key]?[picture.digest] == nil {
            let file = FetchedPicture(file: "\(folder)/\(picture.path)", as: .named)
            if file?.digest == picture.digest { known[key, default: [:]][picture.digest] = picture.path }
        }
    }

    mutating func path(_ key: String, _ identity: PictureIdentity, _ image: LiveProduct.Image?) -> String? {
        var url = image?.url
        switch identity {
        case .digest(let digest):
            if let path = known[key]?[digest] ?? returned(store.picture(digest), of: key) { return path }
        case .unknown(let reference): url = url ?? reference
        }
        return url.flatMap { kept[ExactText($0)] }.flatMap { returned(store.picture($0), of: key) }
    }

    /// The path of a kept picture beside the product's other ones.
    private mutating func returned(_ picture: FetchedPicture?, of key: String) -> String? {
        guard let picture, let format = PictureFormat(head: picture.bytes.prefix(24)), let folder = folder(of: key)
        else { return nil }
        if let path = known[key]?[picture.digest] { return path }
        let slug = KeyMaker.slug(key)
        let stem = "images/\(slug.isEmpty ? "product" : slug)-\((known[key]?.count ?? 0) + 1)"
        let names = [stem, "\(stem)-\(picture.digest.hexadecimal.prefix(8))"].map { "\($0).\(format.fileExtension)" }
        for name in names {
            let path = FileSystem.path(of: name, in: folder)
            let isTaken = returning.files.contains { $0.path.isExactly(path) }
            guard !isTaken,
                FileSystem.isMissing(path) || FetchedPicture(file: path, as: .named)?.digest == picture.digest
            else { continue }
            known[key, default: [:]][picture.digest] = name
            returning.files.append((path, picture))
            return name
        }
        return nil
    }
}
