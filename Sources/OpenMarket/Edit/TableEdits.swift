/// What a table changes in the manifest, as the edits that write it.
package struct TableEdits: Sendable {
    /// In the order of the rows, with products and values that are left alone.
    package var edits: [ProductEdit] = []
    /// By key, the fields whose cell differs from its base, whether or not the manifest has the value already; of a new
    /// or removed product all.
    package var touched: [String: ProductFieldSet] = [:]
    /// Keys of products whose stock in the table may be older than the last applied one.
    package var oldStocks: Set<String> = []
    /// Warnings and errors; with an error the edits must not be written.
    package var diagnostics: [Diagnostic] = []
    /// Slips in keys, mixed up rows, protected products, too many removals; with one the edits must not be written.
    package var refusals: [PlanRefusal] = []
    /// Rows without changes.
    package var unchanged = 0
    /// Whether the filter left edited rows out.
    package var isPartial = false

    /// The side whose value counts if both changed.
    package enum Side: String, Hashable, Sendable, CaseIterable {
        case table, manifest
    }

    package struct Rules: Hashable, Sendable {
        /// `nil` leaves the value alone.
        package var prefers: Side?
        /// The file that lists new products.
        package var destination: String?
        /// Whether products without a row are removed.
        package var isComplete = false
        package var maximumDelete: Policies.Bound?
        package var allowsNamesakes = false

        package init() {}
    }

    package struct Source: Sendable {
        /// The rows, with the market of the manifest.
        package var table: Manifest
        /// The rows of the table as it was exported; `nil` if they are unknown.
        package var copy: Manifest?
        /// The YAML, without the effect of `adjust`.
        package var manifest: Manifest
        package var state: StateSnapshot
        package var origins: Origins
        /// Keys of rows whose products runs have deleted already.
        package var deleted: Set<String> = []
        /// Files that are read only because rows name products of them; their other products may lack a row.
        package var furtherFiles: Set<ExactText> = []

        package init(table: Manifest, manifest: Manifest, state: StateSnapshot, origins: Origins) {
            self.table = table
            self.manifest = manifest
            self.state = state
            self.origins = origins
        }
    }
}

extension TableEdits {
    /// The path of a picture of the table, as this manifest file writes it; `nil` if it cannot name the picture.
    package typealias PicturePath = (Picture, _ file: String) -> String?

    /// Plans a table against the manifest: the rows are the wanted values, the table as it was exported is the base,
    /// and the manifest has the present values.
    package init(
        _ source: Source,
        _ rules: Rules = Rules(),
        filter: KeyFilter = KeyFilter(),
        picturePath: @escaping PicturePath
    ) {
        let base = TableBase(source, filter)
        var options = PlannerOptions(onDrift: .keep, allowsNamesakes: rules.allowsNamesakes)
        options.policies = Policies(
            maximumDelete: rules.maximumDelete,
            allowsZeroPrice: true,
            allowsUnsettledCreates: true
        )
        options.filter = filter
        options.allowsEmptyManifest = rules.maximumDelete != nil
        // The manifest's changes since the export are not losses.
        options.maximumGone = .basisPoints(10_000)
        var capabilities = MarketCapabilities.manifest
        capabilities.fieldsRequiredToCreate = source.manifest.market.profile?.capabilities.fieldsRequiredToCreate ?? []
        let plan = Planner.plan(base.input(isComplete: rules.isComplete), capabilities: capabilities, options: options)
        (diagnostics, refusals, unchanged) = (plan.diagnostics, plan.refusals, plan.unchanged)
        isPartial = base.leavesEdits || rules.isComplete && !filter.takesAll
        let operations = Dictionary(plan.operations.map { ($0.key, $0) }) { first, _ in first }
        let writer = TableEditWriter(base: base, rules: rules, picturePath: picturePath)
        var unknown = 0
        for row in base.rows {
            guard row.row?.action != .ignore else { continue }
            let fields = base.isOthers(row) ? [] : base.touchedFields(row)
            if !fields.isEmpty { touched[row.key] = fields }
            switch base.standing(of: row) {
            case .passed: unchanged += 1
            case .left(let reason):
                let isEdited = !fields.isEmpty || base.isUnknown(row)
                if isEdited { edits.append(row.edit(.leave(because: reason))) } else { unchanged += 1 }
            case .tombstone:
                if let id = base.id(of: row) {
                    edits.append(
                        row.edit(.add(AddedProduct(id: id, isAbsent: true), file: nil))
                    )
                }
            case .planned:
                guard let operation = operations[row.key] else { continue }
                if case .update(let update) = operation.work {
                    for change in update.changes where base.isConflict(change, of: row) {
                        if rules.prefers == .manifest { touched[row.key]?.remove(change.field) }
                        if rules.prefers == nil, change.field == .stock { oldStocks.insert(row.key) }
                    }
                }
                guard let edit = writer.edit(operation, row) else { continue }
                if base.isWithoutBase(row) { unknown += 1 }
                edits.append(edit)
            }
        }
        if rules.isComplete { removeWithoutRow(base, operations, filter) }
        if source.copy == nil, unknown > 0 { diagnostics.append(.withoutBase(unknown, table: source.table.files.last)) }
        diagnostics += base.uselessCells()
    }

    private mutating func removeWithoutRow(
        _ base: TableBase,
        _ operations: [String: PlannedOperation],
        _ filter: KeyFilter
    ) {
        let reason = "its row is missing from the table"
        let listings = base.source.manifest.listings
        for index in listings.indices {
            let key = listings.key(at: index)
            guard operations[key]?.action == .delete, !base.hasRow(key) else { continue }
            edits.append(ProductEdit(key: key, .remove(base: nil), reason: reason))
            touched[key] = .all
        }
        // An earlier edit removed these, and the market may still have them.
        for entry in base.source.state.entries.values where !base.hasRow(entry.key) && base.listing(entry.key) == nil {
            guard filter.takes(entry.key) else { continue }
            if case .listedBefore = base.source.origins.standing(of: entry.origin) { touched[entry.key] = .all }
        }
    }
}

extension ProductFieldSet {
    static let all = ProductFieldSet(ProductField.allCases)
}

extension Listing {
    /// An edit that this row asks for.
    fileprivate func edit(_ action: ProductEdit.Action) -> ProductEdit {
        let verb =
            switch action {
            case .add(let added, _): added.isAbsent ? "deleted" : "new"
            case .remove: "deleted"
            case .change, .leave: "edited"
            }
        return ProductEdit(key: key, action, reason: "\(verb) in the table, \(location())", source: location())
    }
}

/// Turns planned operations into edits.
private struct TableEditWriter {
    let base: TableBase
    let rules: TableEdits.Rules
    let picturePath: TableEdits.PicturePath

    /// `nil` without remaining edits.
    func edit(_ operation: PlannedOperation, _ row: Listing) -> ProductEdit? {
        let listing = base.listing(row.key)
        switch operation.work {
        case .create: return added(row, fields: .all, id: nil)
        case .delete: return listing == nil ? nil : row.edit(.remove(base: nil))
        case .update(let update):
            guard let listing else {
                // The market has a product that no file lists.
                let isKnown = base.state(row.key) != nil
                let fields = isKnown ? ProductFieldSet.all : ProductFieldSet(update.changes.map(\.field))
                return added(row, fields: fields, id: base.id(of: row))
            }
            let fields = update.changes.compactMap { self.field($0, row, listing) }
            guard let first = fields.first else { return nil }
            let place = first.source ?? row.location()
            return ProductEdit(
                key: row.key,
                .change(fields + thumbnailThatGoes(fields, row, listing)),
                reason: "edited in the table, \(place)",
                source: place
            )
        case .adopt, .replace, .forget, .rename: return nil
        }
    }

    private func field(_ change: FieldChange, _ row: Listing, _ listing: Listing) -> FieldEdit? {
        let field = change.field
        if rules.prefers == .manifest, base.isConflict(change, of: row) { return nil }
        var edit = FieldEdit(.value(field), wanted(change, row, in: listing.file), source: row.location(of: field))
        if let place = base.source.manifest.adjustedFields[row.key]?.location(of: field) {
            edit.refusal = "'\(field.rawValue)' is adjusted by \(place)"
        } else if listing.ignoreChanges.contains(field) {
            edit.refusal = "'ignore_changes' or 'initial' leaves '\(field.rawValue)' to the market"
        } else if change.kind == .conflict, rules.prefers == nil {
            var move = ""
            if let old = change.base, let new = change.live, field != .images, field != .thumbnail {
                move = ": from \(old.summary(of: field, beside: new)) to \(new.summary(of: field, beside: old))"
            }
            edit.refusal = "the manifest was also changed\(move); --prefer table takes the cell"
        } else if edit.wanted == nil, field != .salePrice {
            edit.refusal = "the picture is outside the folder of \(listing.file)"
        }
        return edit
    }

    /// A sale that ends takes its line out.
    private func wanted(_ change: FieldChange, _ row: Listing, in file: String) -> FieldEdit.Value? {
        switch change.manifest {
        case .sale(.fullPrice), nil: nil
        case .images: paths(row.pictures, file).map { .paths($0) }
        case .image(let image):
            row.pictures.first { .digest($0.digest) == image }.flatMap { paths([$0], file) }.map { .paths($0) }
        case let value?: .value(value)
        }
    }

    /// A thumbnail has to be one of the pictures.
    private func thumbnailThatGoes(_ fields: [FieldEdit], _ row: Listing, _ listing: Listing) -> [FieldEdit] {
        guard let thumbnail = listing.values.thumbnail, row.values.thumbnail == nil,
            let images = row.values.images, !images.contains(thumbnail),
            fields.contains(where: { $0.field == .value(.images) && $0.refusal == nil })
        else { return [] }
        return [FieldEdit(.value(.thumbnail), nil, source: row.location(of: .images))]
    }

    private func paths(_ pictures: [Picture], _ file: String?) -> [String]? {
        let paths = pictures.compactMap { picture in
            file.map { picturePath(picture, $0) } ?? picture.path
        }
        return paths.count == pictures.count ? paths : nil
    }

    private func added(_ row: Listing, fields: ProductFieldSet, id: MarketID?) -> ProductEdit {
        var values = ProductValues()
        let wanted = base.completed(row)?.values ?? row.values
        for field in ProductField.allCases where fields.contains(field) && row.values[field] != nil {
            values[field] = wanted[field]
        }
        // A sale is written together with its price.
        if values.sale?.salePrice != nil { values.price = values.price ?? row.values.price }
        let pictures = fields.contains(.images) && row.values.images != nil ? row.pictures : []
        let place = row.pictures.firstIndex { row.values.thumbnail == .digest($0.digest) } ?? 0
        guard let paths = paths(pictures, rules.destination) else {
            let file = rules.destination ?? "the manifest"
            return row.edit(.leave(because: "a picture is outside the folder of \(file)"))
        }
        return row.edit(
            .add(
                AddedProduct(
                    values: values,
                    images: pictures.isEmpty ? nil : paths,
                    thumbnail: place > 0 && place < paths.count ? paths[place] : nil,
                    id: id
                ),
                file: nil
            )
        )
    }
}

extension MarketCapabilities {
    /// What a manifest takes: every field can be written and removed.
    static let manifest = {
        var capabilities = MarketCapabilities()
        capabilities.writableFields = Set(ProductField.allCases)
        capabilities.fieldsOfCreate = capabilities.writableFields
        capabilities.fieldsOfUpdate = capabilities.writableFields
        capabilities.clearableFields = capabilities.writableFields
        capabilities.pictureStyle = .parts
        capabilities.picturesChangeInPlace = true
        capabilities.thumbnailIsChosen = true
        capabilities.keepsPictureBytes = true
        return capabilities
    }()
}

extension Diagnostic {
    fileprivate static func withoutBase(_ count: Int, table: String?) -> Diagnostic {
        Diagnostic(
            .warning,
            .rowAction,
            "the copy of the export is missing, and the state lacks \(counted(count, "product")): each cell that "
                + "differs from the manifest counts as edited",
            location: table.map { SourceLocation(file: $0) },
            count: count
        )
    }
}
