import OpenMarket
import OpenMarketFiles

extension Session {
    /// Exports the catalog: the file whole or not at all, with its certificate; then removes older exports.
    ///
    /// `images` is the folder for pictures; with `nil` they are not kept. With `allowsEmpty`, an empty list is exported
    /// without a confirmation.
    func export(
        to target: ExportTarget,
        as form: ExportForm,
        images: String? = nil,
        allowsEmpty: Bool = false,
        allowsMissing: Set<CatalogColumn> = [],
        checkpoint: ExportCheckpoint? = nil,
        access: any CatalogFileAccess,
        standardOutput: @escaping ([UInt8]) throws -> Void = { _ in }
    ) async throws -> ExportOutcome {
        // A pipe would block.
        guard form.request.format != .sqlite || target.isRegular else {
            throw ExportError.databaseNeedsRegularFile(target.path)
        }
        let keepsPictures = images != nil
        guard !keepsPictures || capabilities.showsPictures else { throw SessionError.noPictures(market.profile.name) }
        if form.request.details {
            try requireDetails(for: keepsPictures && !capabilities.listShowsPictures ? .pictures : .export)
        }
        try form.requireReplaceable(target, access)
        let earlier = try target.earlier()
        // A manifest may be edited by hand, also one that appears meanwhile; tables are overwritten every night.
        var file = try ExportFile(
            path: target.path,
            compress: form.isCompressed ? access.compressor() : nil,
            replaces: form.manifest == nil || FileSystem.isRegular(target.path),
            standardOutput: standardOutput
        )
        let encoding = try form.encoding {
            try access.database(at: file.databasePlace(), columns: $0, ids: capabilities.idKind)
        }
        var pictures: PictureExport?
        var certificate: ExportCertificate
        do {
            let keys = try await state.keys()
            if let manifest = form.manifest { manifest.know(try await state.snapshot()) }
            pictures = try images.map { folder in
                try PictureExport(folder: folder, session: self, keys: keys)
            }
            certificate = try await export(
                form.request,
                as: encoding,
                keys: keys,
                takesProducts: keepsPictures,
                eachProduct: { try await pictures?.add($0) },
                into: &file
            ) {
                if !allowsEmpty { try await confirmEmpty(keys, earlier: earlier, as: .ownExport, access) }
            }
            try requireMembers(
                certificate.summary,
                form.request,
                allowing: keys.newest(1).isEmpty ? allowsMissing : allowsMissing.union([.key]),
                earlier: earlier,
                as: .ownExport,
                access
            )
            if !allowsEmpty { try form.manifest?.requireOwnProducts(inPlaceOf: earlier) }
            try await pictures?.finish()
        } catch {
            checkpoint?.end(after: error)
            throw error
        }
        if let manifest = form.manifest { certificate.summary.rows = manifest.count }
        if let start = checkpoint?.resumedStart { certificate.startedAt = start }
        // It may have been edited since.
        try form.requireReplaceable(target, access)
        try file.commit(certificate: certificate)
        checkpoint?.remove()
        return ExportOutcome(
            certificate: certificate,
            foreignProducts: form.manifest?.foreign ?? 0,
            otherKinds: form.manifest?.otherKinds ?? [],
            omittedValues: form.manifest?.omissions ?? 0,
            pictures: pictures?.kept,
            removal: target.removeOldest()
        )
    }

    /// Compares the market's current catalog with an earlier export in a file.
    ///
    /// With `allowsEmpty`, an empty list is compared without a confirmation.
    func compare(
        _ request: ExportRequest,
        with earlier: String,
        allowsEmpty: Bool = false,
        allowsMissing: Set<CatalogColumn> = [],
        access: any CatalogFileAccess
    ) async throws -> CatalogDifference {
        let keys = try await state.keys()
        let difference = try await compare(
            request,
            keys: keys,
            with: { try access.earlierRows(of: earlier, ids: capabilities.idKind, $0) }
        ) {
            if !allowsEmpty { try await confirmEmpty(keys, earlier: earlier, as: .earlierExport, access) }
        }
        // The key is not compared.
        let allowed = allowsMissing.union([.key])
        let summary = difference.reading.summary
        try requireMembers(summary, request, allowing: allowed, earlier: earlier, as: .earlierExport, access)
        return difference
    }

    /// Checks that no member that fills a column in every row of the earlier export is gone from every row.
    ///
    /// It would pass for unset in all products. A sale that ends may take the only value of its column along.
    private func requireMembers(
        _ summary: CatalogSummary,
        _ request: ExportRequest,
        allowing allowed: Set<CatalogColumn>,
        earlier path: String,
        as role: FileRole,
        _ access: any CatalogFileAccess
    ) throws {
        let missing = summary.missing.intersection(request.columns).subtracting(allowed)
            .subtracting(columnsWithoutDetails(request))
        guard summary.rows > 0, !missing.isEmpty, path != "-", !FileSystem.isMissing(path) else { return }
        let filled = access.filled(missing, of: path, as: role)
        guard filled.isEmpty else {
            throw ExportError.missingMembers(CatalogColumn.allCases.filter(filled.contains), earlier: path)
        }
    }

    private func confirmEmpty(
        _ keys: ProductKeys,
        earlier path: String,
        as role: FileRole,
        _ access: any CatalogFileAccess
    ) async throws {
        let size = EmptyCatalogGuard.sampleSize
        var earlier: [MarketID]?
        if path != "-", !FileSystem.isMissing(path) {
            do {
                let isManifest = CertifiedExport.format(of: path, as: role) == .manifest
                earlier = try access.newestProducts(
                    of: path,
                    as: role,
                    ids: capabilities.idKind,
                    atMost: size,
                    isManifest: isManifest
                )
            } catch {
                throw ExportError.unreadable(path, error)
            }
        }
        do {
            try await EmptyCatalogGuard(managed: keys.newest(size), earlier: earlier).confirm(by: market)
        } catch let refusal as EmptyCatalogGuard.Refusal {
            throw ExportError.emptyList(refusal, earlier: path)
        }
    }
}

extension ExportForm {
    /// Checks that a manifest to replace is an unchanged export, or one whose edits are discarded.
    fileprivate func requireReplaceable(_ target: ExportTarget, _ access: any CatalogFileAccess) throws {
        let path = target.path
        guard manifest != nil, FileSystem.isRegular(path) else { return }
        let certified = try? CertifiedExport(path: path, as: .ownExport)
        guard (try? certified?.isWhole()) != true, try !ExportSeal.isIntact(path, by: access) else { return }
        guard certified == nil || !target.discardsEdits else { return }
        throw ExportError.notAnExport(path, isEdited: certified != nil)
    }
}
