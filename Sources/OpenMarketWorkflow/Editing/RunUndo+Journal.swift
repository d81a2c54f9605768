package import OpenMarket
import OpenMarketFiles

extension RunUndo {
    /// Undoes a run, or with `isAfter` all runs after it.
    ///
    /// `destination` is the file that lists deleted products again, if the user names one. Pictures are those that files
    /// of the manifest still have. Throws ``RunHistory/Unknown`` if the journal does not
    /// have the operations, and errors of the state.
    package init(
        of run: RunID,
        isAfter: Bool,
        _ state: any StateReader,
        in manifest: Manifest,
        into destination: String?,
        filter: KeyFilter
    ) async throws {
        // The newest first; of old runs the journal has no operations.
        let runs = try await state.runs()
        guard let place = runs.firstIndex(where: { $0.record.id == run }) else { throw RunHistory.Unknown.run(run) }
        var undone: [JournalledOperation] = []
        var later: [JournalledOperation] = []
        for summary in runs[...place].reversed() where !isAfter || summary.record.id != run {
            guard summary.operations > 0 else { throw RunHistory.Unknown.operations(of: summary.record.id) }
            let operations = try await state.operations(of: summary.record.id)
            if isAfter || summary.record.id == run { undone += operations } else { later += operations }
        }
        // A path is relative to the folder of the file that lists the product.
        let listing = Set(manifest.listings.map(\.file) + (destination.map { [$0] } ?? []))
        let folders = Set((listing.isEmpty ? Set(manifest.files.prefix(1)) : listing).map(FileSystem.folder))
        let (paths, given) = try await Self.pictures(
            undone.filter { $0.operation.takesPictures },
            state,
            in: folders.count == 1 ? folders.first : nil
        )
        self.init(undone, before: later, in: manifest, filter: filter, given: given) { identity, _ in
            if case .digest(let digest) = identity { paths[digest] } else { nil }
        }
    }

    /// The pictures that the products had at any time and that are still in files, as the manifest writes their paths,
    /// and the last pictures of each product.
    private static func pictures(
        _ operations: [JournalledOperation],
        _ state: any StateReader,
        in folder: String?
    ) async throws -> (paths: [ContentDigest: String], given: [String: ProductValues]) {
        var paths: [ContentDigest: String] = [:]
        var given: [String: ProductValues] = [:]
        for key in Set(operations.map(\.operation.key)) {
            // The newest first.
            for journalled in try await state.history(of: key) {
                for change in journalled.operation.changes where journalled.status == .succeeded {
                    guard change.field == .images || change.field == .thumbnail,
                        given[key]?[change.field] == nil
                    else { continue }
                    given[key, default: ProductValues()][change.field] = change.manifest
                }
                guard let folder else { continue }
                for picture in journalled.operation.pictures where paths[picture.digest] == nil {
                    let file = FetchedPicture(file: "\(folder)/\(picture.path)", as: .named)
                    if file?.digest == picture.digest { paths[picture.digest] = picture.path }
                }
            }
        }
        return (paths, given)
    }
}
