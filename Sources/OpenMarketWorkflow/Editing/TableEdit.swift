package import OpenMarket
package import OpenMarketFiles
package import OpenMarketManifest

/// A table as an edit of the manifest's files.
package struct TableEdit: Sendable {
    package let table: String
    package let edits: TableEdits
    /// The files that are edited: those that were named, and those that list products of the table.
    package let manifest: Manifest
    package let run: EditRun
    package let source: EditSource

    /// Reads the table, its export and the manifest, without a market.
    ///
    /// If the standard manifest is the only one and is missing, it counts as an empty one, which the edit creates.
    /// `valid` reports the faults of the read files, and throws if they are errors; `opened` opens the state of a
    /// manifest. `filter` chooses among its products. Throws ``CommandFailure``, `FileError`, and errors of the state.
    package init(
        _ table: String,
        of paths: [String],
        _ options: ManifestOptions,
        _ rules: TableEdits.Rules,
        copies access: any CatalogFileAccess,
        filter: (Manifest) throws -> KeyFilter,
        state opened: (Manifest) async throws -> OpenedState,
        valid: (LoadedManifest) throws -> Manifest,
        onTakenBack: (String) -> Void
    ) async throws {
        self.table = table
        let digest = try FileError.explaining(.read, table) { try InputFile.digest(of: table, as: .manifest) }
        source = EditSource(.table, table, digest: digest)
        let isNew = paths == [ManifestSelection.standard] && FileSystem.isMissing(ManifestSelection.standard)
        let reading = TableReading(options: options, created: isNew ? ManifestSelection.standard : nil)
        var loaded = try await EditRun.load(paths, options, created: reading.created, onTakenBack: onTakenBack)
        var manifest = try valid(loaded)
        let place = try await opened(manifest)
        let state = try await place.known(for: manifest.market) ?? StateSnapshot()
        var rows = try valid(await reading.rows(of: table, manifest))
        let others = place.files(listing: rows, besides: manifest, in: state)
        if !others.isEmpty {
            let files = manifest.files + others
            loaded = try await EditRun.load(files, options, created: reading.created, onTakenBack: onTakenBack)
            manifest = try valid(loaded)
            rows = try valid(await reading.rows(of: table, manifest))
        }
        var source = TableEdits.Source(
            table: rows,
            manifest: manifest,
            state: state,
            origins: place.origins.origins(of: manifest.files, in: state.entries)
        )
        if rules.isComplete { source.furtherFiles = Set(others.map { ExactText($0) }) }
        source.deleted = try await place.keys(ofDeleted: rows, on: manifest.market)
        if let bytes = ExportCopies(beside: manifest.files, access: access).copy(for: table) {
            source.copy = await reading.rows(of: table, manifest, as: bytes).manifest
        }
        var rules = rules
        rules.destination = try? PlannedEdits.destination(rules.destination, of: manifest)
        edits = try TableEdits(source, rules, filter: filter(manifest)) { picture, file in
            let folder = FileSystem.absolute(FileSystem.folder(of: file))
            let named = DocumentPaths(folder: FileSystem.absolute(FileSystem.folder(of: table))).absolute(picture.path)
            // A picture that is a link keeps its name.
            return [named, picture.file].filter { FileSystem.contains(folder: folder, path: $0) }
                .map { DocumentPaths(folder: folder).relative($0) }
                .first { FileSystem.resolved(FileSystem.path(of: $0, in: folder)).isExactly(picture.file) }
        }
        var run = try EditRun(manifest, options: options)
        run.destination = rules.destination
        if isNew, manifest.market.url != nil { run.head = ManifestHead(creating: manifest.market) }
        self.run = run
        self.manifest = manifest
    }
}

extension TableEdit {
    /// The line about the table and its export.
    package var heading: String {
        let certificate = ExportCertificate(of: table, as: .earlierExport)
        var line = "table:    \(table)"
        if let at = certificate?.endedAt, let url = certificate?.market?.url {
            line += ", exported \(at) from \(url)"
        }
        return line.terminalSafe
    }
}

extension ManifestHead {
    /// The head of a standard manifest that does not exist yet.
    fileprivate init(creating market: MarketSettings) {
        self.init(market)
        let folder = FileSystem.absolute(".")
        if let file = descriptionFile, FileSystem.contains(folder: folder, path: file) {
            descriptionFile = "./" + DocumentPaths(folder: folder).relative(file)
        }
    }
}

/// Reads the rows of tables with the market and the defaults of a manifest.
private struct TableReading {
    let options: ManifestOptions
    /// A manifest that does not exist yet.
    let created: String?

    func rows(of table: String, _ manifest: Manifest, as copy: [UInt8]? = nil) async -> LoadedManifest {
        var options = options.withoutAdjustments
        if copy != nil { options.readsPictures = false }
        var edited: [ExactText: [UInt8]] = [:]
        if let created { edited[ExactText(created)] = [] }
        if let copy { edited[ExactText(table)] = copy }
        return await ManifestLoader(options: options, edited: edited).load(manifest.files + [table])
    }
}

extension OpenedState {
    /// The state's snapshot of the market that a manifest names; `nil` without a state, or if it lacks the
    /// market.
    package func known(for market: MarketSettings) async throws -> StateSnapshot? {
        guard let scope = try await backend.market(fitting: market) else { return nil }
        return try await backend.reading(scope) { state in
            try await state.exists ? state.snapshot() : nil
        }
    }

    /// The keys of rows that delete products which runs have deleted already.
    fileprivate func keys(ofDeleted table: Manifest, on market: MarketSettings) async throws -> Set<String> {
        let rows = table.listings.filter(\.isAbsent)
        guard !rows.isEmpty, let scope = try await backend.market(fitting: market) else { return [] }
        return try await backend.reading(scope) { state in
            guard try await state.exists else { return [] }
            var keys: Set<String> = []
            for row in rows {
                let isDeleted = try await state.history(of: row.key).contains { done in
                    done.status == .succeeded && done.operation.action == .delete
                        && (row.pinnedID == nil || row.pinnedID == done.operation.id)
                }
                if isDeleted { keys.insert(row.key) }
            }
            return keys
        }
    }

    /// The files that list products of a table and are not read, by the origins of the products.
    fileprivate func files(listing table: Manifest, besides manifest: Manifest, in state: StateSnapshot) -> [String] {
        guard !state.entries.isEmpty else { return [] }
        let listed = Set(manifest.listings.map(\.key))
        let keys = Dictionary(state.entries.values.map { ($0.id, $0.key) }, uniquingKeysWith: min)
        let read = origins.origins(of: manifest.files, in: state.entries).read
        var files: [String] = []
        for row in table.listings where !listed.contains(row.key) {
            guard
                let entry = state.entries[row.key] ?? row.pinnedID.flatMap({ keys[$0] }).flatMap({ state.entries[$0] }),
                !listed.contains(entry.key), let origin = entry.origin, !read.contains(origin),
                let file = origins.file(of: origin), !files.contains(where: { $0.isExactly(file) })
            else { continue }
            files.append(file)
        }
        return files
    }
}
