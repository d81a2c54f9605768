/// The rows of a table, and for each product what its cells are compared with: the table as it was exported, else the
/// values last applied, else the manifest's.
struct TableBase {
    /// What becomes of a row.
    enum Standing {
        /// The planner compares it.
        case planned
        /// Another vendor's product, or one that is gone already.
        case passed
        /// An edited row is left alone.
        case left(because: String)
        /// It deletes a product that no file lists.
        case tombstone
    }

    let source: TableEdits.Source
    /// Under the keys of the manifest and of the state.
    private(set) var rows: [Listing]
    /// Rows of products that the filter does not take.
    private var others: [Listing] = []
    private var rowKeys: Set<String> = []
    private var listed: [String: Int] = [:]
    private var copies: [String: Listing] = [:]
    /// The product of each row and each listing.
    private var entries = StateEntries()
    private var products: [MarketID: LiveProduct] = [:]
    private var digests: [ExactText: ContentDigest] = [:]
    private let vendor: Int64?
    /// Former keys, with the listings that replace them.
    private var renamed: [String: String] = [:]
    /// The keys of products in the state or pinned in the manifest.
    private var owners: [MarketID: String] = [:]
    /// The keys that the export wrote.
    private var exportedKeys: [MarketID: String] = [:]

    init(_ source: TableEdits.Source, _ filter: KeyFilter) {
        self.source = source
        vendor = source.manifest.market.vendorID ?? source.state.vendorID
        let listings = source.manifest.listings
        for index in listings.indices { listed[listings.key(at: index)] = index }
        for index in listings.indices {
            for former in listings.previously(at: index) where listed[former] == nil {
                renamed[former] = listings.key(at: index)
            }
        }
        var known = source.state.entries
        for index in listings.indices {
            let key = listings.key(at: index)
            guard known[key] == nil, let id = listings.pinnedID(at: index) else { continue }
            known[key] = StateEntry(key: key, id: id, applied: ProductValues())
        }
        for (id, key) in zip(known.ids, known.keys) { owners[id] = renamed[key] ?? key }
        rows = []
        if let copy = source.copy {
            for row in copy.listings where row.row?.hasMadeKey == false {
                if let id = row.pinnedID { exportedKeys[id] = row.key }
            }
            for row in settled(copy, known) { copies[row.key] = row }
            for row in copies.values where row.row?.hasMadeKey == false && known[row.key] == nil {
                known[row.key] = row.pinnedID.map { StateEntry(key: row.key, id: $0, applied: ProductValues()) }
            }
        }
        rows = settled(source.table, known)
        // A key was written into a row that had only an id.
        var copied: [MarketID: Listing] = [:]
        for row in copies.values where row.row?.hasMadeKey == true {
            if let id = row.pinnedID, owners[id] == nil { copied[id] = row }
        }
        for row in rows where copies[row.key] == nil { copies[row.key] = row.pinnedID.flatMap { copied[$0] } }
        rowKeys = Set(rows.map(\.key)).union(rows.compactMap { $0.pinnedID.flatMap { owners[$0] } })
        others = rows.filter { !filter.takes($0.key) }
        rows.removeAll { !filter.takes($0.key) }
        var ids: Set<MarketID> = []
        let rowIDs = Dictionary(rows.compactMap { row in row.pinnedID.map { (row.key, $0) } }) { first, _ in first }
        let needed = listings.filter {
            rowKeys.contains($0.key) || !source.furtherFiles.contains(ExactText($0.file))
        }.map(\.key)
        for key in needed + rows.map(\.key).filter({ listed[$0] == nil && isKnown($0) }) {
            if let listing = listing(key), listing.isAbsent { continue }
            let candidates = [copies[key]?.pinnedID, known[key]?.id, state(key)?.id, rowIDs[key]]
            // A product without a number still needs an identity of its own.
            let id = candidates.lazy.compactMap(\.self).first { !ids.contains($0) } ?? .text("'\(key)'")
            ids.insert(id)
            add(key, id)
        }
    }

    /// The rows under the keys of their products in state and manifest.
    private func settled(_ table: Manifest, _ known: StateEntries) -> [Listing] {
        let input = Planner.Input(manifest: table, state: StateSnapshot(entries: known), live: LiveCatalog())
        let keys = Set(input.manifest.listings.map(\.key))
        return input.manifest.listings.map { row in
            var key = renamed[row.key]
            // The export wrote this key, and the product has another one by now.
            if let id = row.pinnedID, known[row.key] == nil, listed[row.key] == nil, exportedKeys[id] == row.key {
                key = key ?? owners[id]
            }
            guard let key, !keys.contains(key) else { return row }
            var row = row
            row.key = key
            return row
        }
    }

    private mutating func add(_ key: String, _ id: MarketID) {
        let (listing, state) = (listing(key), state(key))
        let base = base(of: key)
        entries[key] = StateEntry(
            key: key,
            id: id,
            applied: base,
            shown: state?.shown ?? ProductValues(),
            isProtected: listing?.isProtected ?? state?.isProtected ?? false
        )
        var present = base
        if let listing {
            // A value that the manifest has had since it was applied is no edit, whatever the export showed.
            let applied = state?.applied ?? ProductValues()
            for field in ProductField.allCases {
                if let value = listing.values[field], value != applied[field] { present[field] = value }
            }
            let sale = listing.values.sale ?? .fullPrice
            if listing.values.price != nil, applied.price == nil || applied.sale ?? .fullPrice != sale {
                present.sale = sale
            }
        }
        var product = LiveProduct(id: id, values: present.withoutPictures)
        product.images = present.images.map { images in
            images.enumerated().map { index, image in
                guard case .digest(let digest) = image else { return LiveProduct.Image(url: "") }
                digests[ExactText(digest.hexadecimal)] = digest
                let isThumbnail = image == present.thumbnail
                return LiveProduct.Image(
                    id: .number(Int64(index)),
                    url: digest.hexadecimal,
                    thumbnailURL: isThumbnail ? digest.hexadecimal : nil
                )
            }
        }
        product.thumbnailURL = product.images?.lazy.compactMap(\.thumbnailURL).first
        products[id] = product
    }

    /// What the cells of a product are compared with.
    private func base(of key: String) -> ProductValues {
        let state = state(key)
        var values = state?.applied ?? ProductValues()
        if var copy = copies[key]?.values {
            state?.recognize(in: &copy)
            for field in ProductField.allCases where copy[field] != nil { values[field] = copy[field] }
        } else if state == nil, let listing = listing(key) {
            values = listing.values
        }
        if values.price != nil, values.sale == nil { values.sale = .fullPrice }
        return values
    }

    // MARK: Products

    func listing(_ key: String) -> Listing? { listed[key].map { source.manifest.listings[$0] } }

    /// The state's entry of a product, under its present key or a former one.
    func state(_ key: String) -> StateEntry? {
        if let entry = source.state.entries[key] { return entry }
        guard let former = listing(key)?.previously.first(where: { source.state.entries[$0] != nil }) else {
            return nil
        }
        return source.state.entries[former]
    }

    /// Whether a row that the filter does not take was edited.
    var leavesEdits: Bool { others.contains { !touchedFields($0).isEmpty } }

    func hasRow(_ key: String) -> Bool { rowKeys.contains(key) }

    private func isKnown(_ key: String) -> Bool { copies[key] != nil || state(key) != nil }

    /// Whether only the manifest gives the earlier values of a row.
    func isWithoutBase(_ row: Listing) -> Bool { listed[row.key] != nil && !isKnown(row.key) }

    /// Whether a cell may be older than the value that it replaces: the manifest was changed since the export, or the
    /// stock of an exported row has only the last applied one to compare with.
    func isConflict(_ change: FieldChange, of row: Listing) -> Bool {
        if change.kind == .conflict { return true }
        return change.field == .stock && copies[row.key] == nil && row.pinnedID != nil && state(row.key) != nil
    }

    /// Whether only the market may have the product of a row.
    func isUnknown(_ row: Listing) -> Bool { listed[row.key] == nil && !isKnown(row.key) && row.pinnedID != nil }

    /// The market's number of a row's product.
    func id(of row: Listing) -> MarketID? { row.pinnedID ?? state(row.key)?.id ?? copies[row.key]?.pinnedID }

    // MARK: Rows

    /// Whether a run has deleted the product of a row, and the key has a newer product by now.
    private func isReplaced(_ row: Listing) -> Bool {
        guard let id = row.pinnedID, let present = state(row.key)?.id else { return false }
        return row.isAbsent && source.deleted.contains(row.key) && id != present
    }

    func standing(of row: Listing) -> Standing {
        if isReplaced(row) { return .passed }
        if let listing = listing(row.key) {
            guard listing.isAbsent else { return .planned }
            return row.isAbsent ? .passed : .left(because: "the manifest has 'state: absent' for it")
        }
        let isDeleted = row.isAbsent
        guard let entry = state(row.key) else {
            if isOthers(row) || isDeleted && source.deleted.contains(row.key) { return .passed }
            if let id = row.pinnedID, let owner = owners[id], owner != row.key {
                return .left(because: "product \(id) is '\(owner)' here; write that key")
            }
            if copies[row.key] != nil { return isDeleted ? .tombstone : .planned }
            guard let id = row.pinnedID else { return .planned }
            return isDeleted ? .tombstone : .left(because: "no file lists it; 'openmarket pull --id \(id)' takes it in")
        }
        switch source.origins.standing(of: entry.origin) {
        case .listedBefore where isDeleted: return .passed
        case .listedBefore: return .left(because: "\(entry.origin ?? "the manifest") does not list it any more")
        case .gone(let file), .unread(let file): return .left(because: "\(file) lists it, and is not read")
        case .unknown: return isDeleted ? .tombstone : .planned
        }
    }

    /// Whether the row is about another vendor's product.
    func isOthers(_ row: Listing) -> Bool {
        listed[row.key] == nil && state(row.key) == nil
            && Ownership(showing: row.row?.shown.vendorID, ours: vendor) == .foreign
    }

    /// The fields whose cells differ from their base; all of a row that deletes its product or lacks a base.
    func touchedFields(_ row: Listing) -> ProductFieldSet {
        if isReplaced(row) { return [] }
        if row.isAbsent { return listed[row.key] != nil || isKnown(row.key) || row.pinnedID != nil ? .all : [] }
        guard let completed = completed(row) else {
            return row.pinnedID == nil || listed[row.key] != nil ? .all : []
        }
        let base = base(of: row.key)
        let comparison = FieldComparison(listing: completed, base: base, live: base, capabilities: .manifest)
        return ProductFieldSet(comparison.changes.map(\.field))
    }

    /// The row without a spreadsheet's own changes, and with base values in empty cells; `nil` without a base.
    func completed(_ row: Listing) -> Listing? {
        guard isKnown(row.key) else { return nil }
        let base = base(of: row.key)
        let shown = state(row.key)?.shown ?? ProductValues()
        let entry = StateEntry(key: row.key, id: .number(0), applied: base, shown: shown)
        return row.completed(by: entry, as: LiveProduct(id: entry.id, values: base.withoutPictures))
    }

    /// The input for a plan of the rows that it can compare.
    func input(isComplete: Bool) -> Planner.Input {
        var table = source.table
        table.listings = Listings(
            rows.filter { row in
                if row.row?.action == .ignore { return true }
                if case .planned = standing(of: row) { return true }
                // The row of a product that stays out does not count as new.
                if case .tombstone = standing(of: row) { return entries[row.key] != nil }
                return false
            }
        )
        table.isComplete = isComplete
        var input = Planner.Input(
            manifest: table,
            state: StateSnapshot(entries: entries, vendorID: source.state.vendorID),
            live: LiveCatalog(products: LiveProducts(products))
        )
        input.pictureDigests = digests
        input.origins = nil
        input.rewrittenKeys = rewrittenKeys(isComplete: isComplete)
        return input
    }

    /// By the key of a row without an id: the key without a row that a spreadsheet may have turned into it.
    ///
    /// Rows that change nothing do no harm, and the present name of its product confirms a row's key.
    private func rewrittenKeys(isComplete: Bool) -> [String: String] {
        let known = [Array(listed.keys), Array(source.state.entries.keys), Array(copies.keys)].joined()
        let missing = known.filter { !hasRow(renamed[$0] ?? $0) }
        var made: [SpreadsheetForm.Value: [Listing]] = [:]
        for row in rows where row.pinnedID == nil && !missing.isEmpty {
            for value in SpreadsheetForm.valuesMade(row.key) { made[value, default: []].append(row) }
        }
        guard !made.isEmpty else { return [:] }
        var keys: [String: String] = [:]
        // Of several keys the first in order is named.
        for key in missing.sorted(by: >) {
            for row in SpreadsheetForm.values(of: key).flatMap({ made[$0] ?? [] })
            where SpreadsheetForm.mayMake(row.key, of: key) {
                let isIdle = row.row?.action == .ignore || !row.isAbsent && touchedFields(row).isEmpty
                let name = row.values.name
                let isNamed = name != nil && name == base(of: row.key).name && name != base(of: key).name
                if isComplete || !isIdle, !isNamed { keys[row.key] = key }
            }
        }
        return keys
    }

    // MARK: Cells that nothing writes

    /// One warning for each column of which cells were edited that nothing writes.
    func uselessCells() -> [Diagnostic] {
        var found: [CatalogColumn: (count: Int, first: SourceLocation)] = [:]
        var foreign: (count: Int, first: SourceLocation)?
        for row in rows where row.row?.action.changes == true {
            guard let cells = row.row?.shown, let copy = copies[row.key], let before = copy.row?.shown else { continue }
            if isOthers(row) {
                guard !touchedFields(row).isEmpty else { continue }
                foreign = (1 + (foreign?.count ?? 0), foreign?.first ?? row.location())
                continue
            }
            for column in cells.columns(otherThan: before) {
                found[column, default: (0, row.location(ofCell: column))].count += 1
            }
            let ofRow = row.values.price.flatMap { $0.subtracting(row.values.sale?.salePrice ?? $0) }
            if let discount = cells.discount, discount != before.discount, discount != ofRow {
                found[.discount, default: (0, row.location(ofCell: .discount))].count += 1
            }
        }
        var diagnostics = CatalogColumn.allCases.compactMap { column in
            found[column].map { Diagnostic.useless(column, $0.count, at: $0.first) }
        }
        if let foreign { diagnostics.append(.foreignRows(foreign.count, at: foreign.first)) }
        return diagnostics
    }
}

extension Diagnostic {
    fileprivate static func useless(_ column: CatalogColumn, _ count: Int, at place: SourceLocation) -> Diagnostic {
        let (reason, help): (String, String?) =
            switch column {
            case .images, .thumbnail: ("a URL cannot change a picture", "name files in 'images'")
            case .discount: ("'sale_price' counts", "write the buyers' price into 'sale_price'")
            default: ("only the market changes the column", nil)
            }
        return Diagnostic(
            .warning,
            .readOnlyCell,
            "\(counted(count, "cell")) of '\(column.rawValue)' \(count == 1 ? "was" : "were") edited, and \(reason)",
            location: place,
            help: help,
            count: count
        )
    }

    fileprivate static func foreignRows(_ count: Int, at place: SourceLocation) -> Diagnostic {
        Diagnostic(
            .warning,
            .pinnedID,
            "\(counted(count, "edited row")) \(count == 1 ? "is" : "are") of other vendors' products, which stay as they are",
            location: place,
            count: count
        )
    }
}
