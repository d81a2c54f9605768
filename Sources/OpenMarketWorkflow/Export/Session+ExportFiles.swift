import OpenMarket
import OpenMarketFiles

extension Session {
    /// Exports the catalog atomically, with its certificate; then removes older exports.
    ///
    /// `settings` are for the head of a manifest.
    func export(
        to target: ExportTarget,
        _ options: ExportOptions,
        market settings: MarketSettings,
        checkpoint: ExportCheckpoint? = nil,
        access: any CatalogFileAccess,
        standardOutput: @escaping ([UInt8]) throws -> Void = { _ in }
    ) async throws -> ExportOutcome {
        let keepsPictures = options.images != nil
        guard !keepsPictures || capabilities.showsPictures else {
            throw CommandFailure(
                .refused,
                "\(market.profile.name) does not describe how products show their pictures ('pictures.read')",
                help: "describe it; or export without --images"
            )
        }
        if keepsPictures, !capabilities.listShowsPictures {
            try requireDetails(", and its list does not show pictures", help: "describe it; or export without --images")
        } else if options.details {
            try requireDetails()
        }
        let manifest = options.format == .manifest ? ManifestEncoder(settings) : nil
        if manifest != nil { try target.requireReplaceableManifest() }
        let earlier = EarlierExport(path: try target.earlier(), role: .ownExport, access: access)
        // People may edit a manifest, even one that appears meanwhile; tables are overwritten every night.
        var file = try ExportFile(
            path: target.path,
            compress: options.isCompressed ? access.compressor(isFast: false) : nil,
            replaces: manifest == nil || FileSystem.isRegular(target.path),
            standardOutput: standardOutput
        )
        let encoding = try options.encoding(manifest) {
            try access.database(at: file.databasePlace(), columns: $0, ids: capabilities.idKind)
        }
        var pictures: PictureExport?
        var reading: CatalogReading
        do {
            let keys = try await state.keys()
            if let manifest { manifest.know(try await state.snapshot()) }
            pictures = try options.images.map { folder in
                try PictureExport(folder: folder, session: self, keys: keys)
            }
            reading = try await export(
                options,
                as: encoding,
                keys: keys,
                eachProduct: { try await pictures?.add($0) },
                into: &file
            ) {
                if !options.allowsEmpty { try await confirmEmpty(keys, earlier) }
            }
            try requireMembers(reading, options, keys.newest(1).isEmpty ? [] : [.key], of: earlier)
            if !options.allowsEmpty { try manifest?.requireOwnProducts(inPlaceOf: earlier.path) }
            try await pictures?.finish()
        } catch {
            checkpoint?.end(after: error)
            throw error
        }
        if let manifest { reading.summary.rows = manifest.count }
        if let start = checkpoint?.resumedStart { reading.startedAt = start }
        let certificate = ExportCertificate(
            tool: tool,
            market: scope,
            profile: market.profile,
            options: options,
            reading: reading,
            digest: file.digest
        )
        // The manifest may have been edited since.
        if manifest != nil { try target.requireReplaceableManifest() }
        try file.commit(certificate: certificate)
        checkpoint?.remove()
        return ExportOutcome(
            reading: reading,
            certificate: certificate,
            foreignProducts: manifest?.foreign ?? 0,
            otherKinds: manifest?.otherKinds ?? [],
            omittedValues: manifest?.omissions ?? 0,
            pictures: pictures?.kept,
            removal: target.removeOldest()
        )
    }

    /// Compares the market's current catalog with an earlier export in a file.
    func compare(
        _ options: ExportOptions,
        with path: String,
        access: any CatalogFileAccess
    ) async throws -> CatalogDifference {
        let earlier = EarlierExport(path: path, role: .earlierExport, access: access)
        let keys = try await state.keys()
        let difference = try await compare(
            options,
            keys: keys,
            with: { try earlier.rows(ids: capabilities.idKind, $0) }
        ) {
            if !options.allowsEmpty { try await confirmEmpty(keys, earlier) }
        }
        // The key is not compared.
        try requireMembers(difference.reading, options, [.key], of: earlier)
        return difference
    }

    /// Checks that members that fill a column in every row of the earlier export are not missing from all rows.
    ///
    /// Otherwise it would count as unset in all products. A column that is not always filled may become empty: the only
    /// sale may end.
    private func requireMembers(
        _ reading: CatalogReading,
        _ options: ExportOptions,
        _ allowed: Set<CatalogColumn>,
        of earlier: EarlierExport
    ) throws {
        // Rows without a readable id are left out.
        let absent: Set<CatalogColumn> =
            reading.summary.rows > 0 ? reading.summary.missing : reading.problems > 0 ? [.id] : []
        let missing = absent.intersection(options.columns).subtracting(options.allowsMissing)
            .subtracting(allowed).subtracting(columnsWithoutDetails(options))
        guard !missing.isEmpty else { return }
        let filled = earlier.filled(missing)
        guard !filled.isEmpty else { return }
        let names = CatalogColumn.allCases.filter(filled.contains).map(\.rawValue)
        throw CommandFailure(
            .refused,
            "no product of the market's list has \(names.map { "'\($0)'" }.listed("and")) any more, as in "
                + "\(earlier.path); no file was written",
            help:
                "try again; --allow-missing \(names.joined(separator: ",")) writes an export without them all the same"
        )
    }

    private func confirmEmpty(_ keys: ProductKeys, _ earlier: EarlierExport) async throws {
        let size = EmptyCatalogGuard.sampleSize
        let shown = earlier.newestProducts(ids: capabilities.idKind, atMost: size)
        try await EmptyCatalogGuard(managed: keys.newest(size), earlier: shown, path: earlier.path).confirm(by: market)
    }
}

extension ExportTarget {
    /// Checks that a manifest to replace is an unchanged export, or one whose edits are discarded.
    fileprivate func requireReplaceableManifest() throws {
        guard FileSystem.isRegular(path) else { return }
        let certified = try? CertifiedExport(path: path, as: .ownExport)
        guard (try? certified?.isWhole()) != true else { return }
        guard certified == nil || !discardsEdits else { return }
        guard certified == nil else {
            throw CommandFailure(
                .refused,
                "\(path) was edited since it was exported; it was not changed",
                help: "`openmarket pull` keeps edits; --discard-edits writes over them"
            )
        }
        throw CommandFailure(
            .refused,
            "\(path) exists, and differs from an export's file; it was not changed",
            help: "`openmarket pull` updates it; or name another file with --out"
        )
    }
}
