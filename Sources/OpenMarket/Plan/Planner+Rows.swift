/// The rows of tables: a row requests only what it fills in, and nothing that it leaves out.
extension Planner {
    /// Findings about rows, reported after all of them were planned.
    struct RowFindings {
        /// The numbers of cells reported by kind, and of those that were not.
        fileprivate var reported: [String: Int] = [:]
        /// The rows whose cells `ignore_changes` excludes from writing, by field: the number and the first.
        fileprivate var ignored: [ProductField: (count: Int, first: SourceLocation)] = [:]
        /// The keys of products that rows with another key ignore.
        var kept: Set<String> = []

        /// Rows with a key that a spreadsheet shortened, and the id of the product that has it.
        fileprivate var shortenedKeys: [Listing] = []

        /// Rows of products to be created whose keys probably mean known ones.
        var respelled: [(row: Listing, known: String)] = []

        /// Rows that ignore a product, have no id, and have a key that the state does not know.
        var unknown: [Listing] = []

        /// The number of findings of a kind that are reported one by one.
        fileprivate static let reportLimit = 20
    }

    /// Plans a row of a table, unless it is a tombstone.
    mutating func planRow(_ listing: Listing, _ row: TableRow, entry: StateEntry?, adoption: inout Adoption) {
        guard row.action != .ignore else {
            plan.unselected += 1
            if entry == nil, input.manifest.isComplete { keepIgnored(listing, row) }
            return
        }
        if let text = row.shortenedKey {
            guard let entry, SpreadsheetForm.isForm(text, of: entry.key) else {
                plan.diagnostics.append(.shortenedKey(text, at: listing.location(ofCell: .key)))
                return
            }
            rows.shortenedKeys.append(listing)
        }
        let before = plan.operations.count
        let live: LiveProduct?
        if let entry {
            live = planManagedRow(listing, row, entry: entry, adoption: &adoption)
        } else {
            live = planUnmanagedRow(listing, row, adoption: &adoption)
        }
        guard let live else { return }
        noteIgnored(listing, live)
        tellEditedCells(of: listing, row, live: live, isChanged: plan.operations.count > before)
    }

    /// Keeps the product of an ignored row whose key the state does not know, if its id is known.
    ///
    /// In a table that lists all products, a product without a row would be deleted.
    private mutating func keepIgnored(_ listing: Listing, _ row: TableRow) {
        if let id = listing.pinnedID, let known = entries.values.first(where: { $0.id == id }) {
            rows.kept.insert(known.key)
        } else if let known = respelledKey(of: listing.key) {
            plan.diagnostics.append(.nothingToIgnore(listing, respelled: known))
        } else if let id = listing.pinnedID, input.live.products[id] == nil,
            Ownership(showing: row.shown.vendorID, ours: identity.presumed) != .foreign
        {
            plan.diagnostics.append(.rowOfMissing(listing, id: id))
        } else if listing.pinnedID == nil {
            rows.unknown.append(listing)
        }
    }

    /// Plans a row whose product the state knows, and returns the live product.
    private mutating func planManagedRow(
        _ listing: Listing,
        _ row: TableRow,
        entry: StateEntry,
        adoption: inout Adoption
    ) -> LiveProduct? {
        guard checkPin(of: listing, entry: entry) else { return nil }
        let live: LiveProduct
        switch input.standing(of: entry, pairing.unread) {
        case .live(let product): live = product
        case .gone where row.action == .update:
            plan.diagnostics.append(.nothingToUpdate(listing, respelled: nil))
            return nil
        case .gone, .unreadable:
            var whole = listing.withDefaults(input.manifest.rowDefaults)
            whole.isProtected = whole.isProtected || entry.isProtected
            whole.row?.knownSecret = entry.secret
            planManaged(whole, at: nil, entry: entry, adoption: &adoption)
            return nil
        }
        let planned = plan.operations.count
        planDifference(listing.completed(by: entry, as: live), row, entry: entry, live: live)
        // A table that was applied has the old id of a product that was replaced, and changes nothing any more.
        if let pinned = listing.pinnedID, pinned != entry.id, plan.operations.count > planned,
            !input.owedDeletes.contains(where: { $0.id == pinned && $0.key == entry.key })
        {
            plan.operations.removeSubrange(planned...)
            plan.diagnostics.append(.pinnedElsewhere(listing, pinned: pinned, bound: entry.id))
        }
        return live
    }

    /// Plans a row whose product the state does not know, and returns the live product if there is one of ours.
    private mutating func planUnmanagedRow(
        _ listing: Listing,
        _ row: TableRow,
        adoption: inout Adoption
    ) -> LiveProduct? {
        switch adoption.candidate(for: listing) {
        case .product(let live, let reason):
            return planFound(listing, row, live: live, reason: reason)
        case .foreign(let id):
            plan.unselected += 1
            if let live = input.live.products[id], listing.adopting(live).listing.hasWish {
                report(.foreignRow(listing, id: id), as: "foreign")
            }
            return nil
        case .pinnedMissing(let id):
            // Another vendor's product that is gone since the export does not concern us.
            if Ownership(showing: row.shown.vendorID, ours: identity.presumed) == .foreign {
                plan.unselected += 1
            } else {
                plan.diagnostics.append(.rowOfMissing(listing, id: id))
            }
            return nil
        case .ambiguous(let ids) where row.action == .new && !options.allowsNamesakes:
            plan.diagnostics.append(.notNew(listing, id: ids[0]))
            return nil
        case .none where row.action == .update, .namesakes where row.action == .update,
            .contested where row.action == .update:
            plan.diagnostics.append(.nothingToUpdate(listing, respelled: respelledKey(of: listing.key)))
            return nil
        case .unresolved: return nil
        case .none, .namesakes, .contested, .ambiguous, .shared, .bound, .leaving:
            // A slip in the key explains what such a row lacks.
            if !options.allowsNamesakes, listing.pinnedID == nil, !input.begunCreates.contains(listing.key),
                let known = respelledKey(of: listing.key)
            {
                rows.respelled.append((listing, known))
                return nil
            }
            let whole = listing.withDefaults(input.manifest.rowDefaults)
            let currency = whole.values.currency
            guard canBePaid(whole.values.price, in: currency, as: .price, of: whole),
                canBePaid(whole.values.sale?.salePrice, in: currency, as: .salePrice, of: whole)
            else { return nil }
            planNew(whole, at: nil, reason: "new in the table", adoption: &adoption)
            return nil
        }
    }

    /// Plans a row for a live product that is not managed yet: it is adopted only for a change.
    private mutating func planFound(
        _ listing: Listing,
        _ row: TableRow,
        live: LiveProduct,
        reason: String
    ) -> LiveProduct? {
        let (completed, entry) = listing.adopting(live)
        guard completed.hasWish else {
            plan.unchanged += 1
            return live
        }
        // An export lists the products of all vendors, so a row's id alone does not prove that its product is ours.
        guard live.vendorID == nil || identity.ownership(of: live, by: .presumed) == .ours || options.adopts else {
            plan.diagnostics.append(.pinnedForeign(listing, id: live.id))
            return nil
        }
        planDifference(completed, row, entry: entry, live: live, adoption: reason)
        return live
    }

    /// Compares a row with its product; a row that requests a create may only find the product created already.
    private mutating func planDifference(
        _ listing: Listing,
        _ row: TableRow,
        entry: StateEntry,
        live: LiveProduct,
        adoption: String? = nil
    ) {
        guard row.action == .new, live.isManageable else {
            return planDifference(listing, entry: entry, live: live, adoption: adoption)
        }
        guard input.comparison(of: listing, entry, live, capabilities).changes.isEmpty else {
            plan.diagnostics.append(.notNew(listing, id: live.id))
            return
        }
        plan.unchanged += 1
    }

    // MARK: What is reported of cells

    /// Reports cells that differ from the market in columns that only the market can change.
    private mutating func tellEditedCells(
        of listing: Listing,
        _ row: TableRow,
        live: LiveProduct,
        isChanged: Bool
    ) {
        func place(_ column: CatalogColumn) -> SourceLocation { listing.location(ofCell: column) }
        let cells = row.shown
        if let said = cells.vendorID, let shown = live.vendorID, said != shown {
            report(.marketsOwn(.vendorID, "\(shown)", at: place(.vendorID)), as: CatalogColumn.vendorID.rawValue)
        }
        if cells.differs(live.vendorName, in: .vendor) {
            report(.marketsOwn(.vendor, live.vendorName ?? "", at: place(.vendor)), as: CatalogColumn.vendor.rawValue)
        }
        let images = live.images.map { $0.map(\.url).joined(separator: " ") }
        for (column, shown) in [(CatalogColumn.thumbnail, live.thumbnailURL), (.images, images)]
        where cells.differs(shown, in: column) {
            report(.otherPictures(listing, at: place(column)), as: column.rawValue)
        }
        if isChanged, let said = cells.issuedAt, let shown = live.issuedAt.flatMap({ CellTime($0) }), !said.mayBe(shown)
        {
            report(.changedSinceExport(listing, at: place(.issuedAt)), as: CatalogColumn.issuedAt.rawValue)
        }
        if let said = cells.createdAt, let shown = live.createdAt.flatMap({ CellTime($0) }), !said.mayBe(shown) {
            report(
                .marketsOwn(.createdAt, live.createdAt ?? "", at: place(.createdAt)),
                as: CatalogColumn.createdAt.rawValue
            )
        }
        guard let discount = cells.discount else { return }
        let ofMarket = live.price.flatMap { $0.subtracting(live.sale?.salePrice ?? $0) }
        let ofRow = listing.values.price.flatMap { $0.subtracting(listing.values.sale?.salePrice ?? $0) }
        guard discount != ofMarket, discount != ofRow else { return }
        // If the sale is as the row states, the cell may be older than the sale, and nothing depends on it: a table
        // that was applied can be applied again without a fault.
        let isSettled = ofRow == nil || ofMarket == ofRow
        if isSettled {
            report(
                .unusedDiscount(listing, discount: discount, at: place(.discount)),
                as: CatalogColumn.discount.rawValue
            )
        } else {
            plan.diagnostics.append(.twoSales(listing, discount: discount, at: place(.discount)))
        }
    }

    /// Notes the cells of a row that differ from the market and that `ignore_changes` excludes from writing.
    private mutating func noteIgnored(_ listing: Listing, _ live: LiveProduct) {
        for field in listing.ignoreChanges {
            guard let wanted = listing.values[field], let shown = live.values[field], wanted != shown else {
                continue
            }
            rows.ignored[field, default: (0, listing.location(of: field))].count += 1
        }
    }

    private mutating func report(_ diagnostic: Diagnostic, as kind: String) {
        rows.reported[kind, default: 0] += 1
        if rows.reported[kind, default: 0] <= RowFindings.reportLimit { plan.diagnostics.append(diagnostic) }
    }

    /// Reports findings about all rows together.
    mutating func finishRows() {
        for (kind, count) in rows.reported.sorted(by: { $0.key < $1.key }) where count > RowFindings.reportLimit {
            plan.diagnostics.append(.moreCells(count - RowFindings.reportLimit, kind))
        }
        for (field, found) in rows.ignored.sorted(by: { $0.key < $1.key }) {
            plan.diagnostics.append(.ignoredCells(field, found.count, at: found.first))
        }
        if let first = rows.shortenedKeys.first, let text = first.row?.shortenedKey {
            plan.diagnostics.append(
                Diagnostic(
                    .warning,
                    .key,
                    "a spreadsheet shortened \(counted(rows.shortenedKeys.count, "key")), '\(text.excerpt)' of "
                        + "'\(first.key)' first; the ids say which products are meant",
                    location: first.location(ofCell: .key),
                    help: "format the column 'key' as text before the table is opened",
                    count: rows.shortenedKeys.count
                )
            )
        }
    }
}

extension FieldValue {
    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}

extension String {
    /// The text of a cell as intended, given the product's text: what a spreadsheet does to every cell is not an edit.
    fileprivate func asWritten(by old: String, isOneLine: Bool) -> String {
        // A spreadsheet may write an accent or a syllable as one character or as several.
        if self == old { return old }
        // A spreadsheet changes the line ends in a cell.
        if !isOneLine, hasSameLines(as: old) { return old }
        // A spreadsheet may lose or set the mark that tells whether texts are guarded. Neither a guard that is still
        // there nor one that was never there makes the text different.
        let (guarded, unguarded) = (FormulaGuard.guarded(self), FormulaGuard.unguarded(self))
        if guarded.isExactly(old) || unguarded.isExactly(old) { return old }
        // A guarded text was edited: the product's text has no such apostrophe, and needs a guard.
        return FormulaGuard.guarded(old).hasPrefix("'") && !old.hasPrefix("'") ? unguarded : self
    }

    /// Whether the texts are equal byte by byte, except for CRLF, CR or LF at the ends of lines.
    fileprivate func hasSameLines(as other: String) -> Bool {
        func lines(_ text: String) -> [UInt8] {
            var bytes: [UInt8] = []
            var isPastReturn = false
            for byte in text.replacing("\r\r\n", with: "\n").utf8 {
                if byte != UInt8(ascii: "\n") || !isPastReturn {
                    bytes.append(byte == UInt8(ascii: "\r") ? UInt8(ascii: "\n") : byte)
                }
                isPastReturn = byte == UInt8(ascii: "\r")
            }
            return bytes
        }
        return utf8.elementsEqual(other.utf8) || lines(self) == lines(other)
    }
}

extension Listing {
    /// The location of the row's cell in a column; for a listing in YAML, its start.
    func location(ofCell column: CatalogColumn) -> SourceLocation {
        guard let row else { return location() }
        return SourceLocation(
            file: file,
            position: SourcePosition(line: position.line, column: row.number(of: column)),
            table: .cell(column: column.rawValue)
        )
    }

    /// The row as a listing of the whole product.
    ///
    /// Empty cells, and cells that repeat unmanaged fields, leave market and state as they are.
    func completed(by entry: StateEntry, as live: LiveProduct) -> Listing {
        var listing = self
        if values.price == nil, let price = live.price ?? entry.applied.price {
            let sale = row?.amountOff.flatMap { price.subtracting($0) }.map(Sale.price) ?? values.sale
            listing.values.sale = sale?.normalized(price: price)
        }
        for field in ProductField.allCases {
            let applied = entry.applied[field]
            if let text = values[field]?.text, let old = (live.values[field] ?? applied)?.text {
                listing.values[field] = .text(text.asWritten(by: old, isOneLine: field != .description))
            }
            // The cell repeats the market's form of the value that was applied.
            if let echo = entry.shown[field], listing.values[field] == echo, live.values[field] == echo {
                listing.values[field] = applied
            }
            if let wanted = listing.values[field], applied != nil || live.values[field] != wanted { continue }
            listing.values[field] = applied
            listing.ignoreChanges.insert(field)
        }
        listing.isProtected = entry.isProtected
        listing.row?.knownSecret = entry.secret
        return listing
    }

    /// The row as a listing of a product that is not managed yet, and the entry of that product.
    func adopting(_ live: LiveProduct) -> (listing: Listing, entry: StateEntry) {
        let entry = StateEntry(adopting: live, as: self)
        return (completed(by: entry, as: live), entry)
    }

    /// Whether it wants a value for a field that it may write.
    var hasWish: Bool {
        ProductField.allCases.contains(where: manages)
    }

    /// The row as a new product, with defaults for values that it does not state.
    fileprivate func withDefaults(_ defaults: RowDefaults) -> Listing {
        var listing = self
        listing.values.currency = values.currency ?? defaults.currency
        if values.stock == nil, let stock = defaults.stock {
            listing.values.stock = stock
            if defaults.isStockInitial { listing.ignoreChanges.insert(.stock) }
        }
        listing.isProtected = defaults.isProtected
        return listing
    }
}

// MARK: - Messages

extension Diagnostic {
    package static func shortenedKey(_ text: String, at location: SourceLocation?) -> Diagnostic {
        Diagnostic(
            .error,
            .key,
            "'\(text.excerpt)' is a number that a spreadsheet shortened",
            location: location,
            help: "write the key out, in a column that is formatted as text"
        )
    }

    fileprivate static func nothingToUpdate(_ listing: Listing, respelled known: String?) -> Diagnostic {
        Diagnostic(
            .error,
            .rowAction,
            "there is no product '\(listing.key)' to update",
            location: listing.location(),
            help: known.map { "write '\($0)' if it is that product" } ?? "MERGE makes it where there is none"
        )
    }

    static func nothingToIgnore(_ listing: Listing, respelled known: String?) -> Diagnostic {
        Diagnostic(
            .error,
            .rowAction,
            "there is no product '\(listing.key)' to leave alone",
            location: listing.location(),
            help: known.map { "write '\($0)' if it is that product" }
                ?? "the product's number in 'id' says which one is meant"
        )
    }

    static func nothingToDelete(_ listing: Listing, respelled known: String?) -> Diagnostic {
        Diagnostic(
            known == nil ? .warning : .error,
            .rowAction,
            "the state knows no product '\(listing.key)', so nothing is deleted for it",
            location: listing.location(),
            help: known.map { "write '\($0)' if it is that product" }
                ?? "the product's number in 'id' says which one is meant"
        )
    }

    fileprivate static func notNew(_ listing: Listing, id: MarketID) -> Diagnostic {
        Diagnostic(
            .error,
            .rowAction,
            "'\(listing.key)' is to be made, but the market has it as product \(id), with other values",
            location: listing.location(),
            help: "MERGE changes it"
        )
    }

    fileprivate static func rowOfMissing(_ listing: Listing, id: MarketID) -> Diagnostic {
        Diagnostic(
            .error,
            .pinnedID,
            "the market has no product \(id), which this row is about",
            location: listing.location(ofCell: .id),
            help: "take the row out; to make a new product, empty 'id' and give it a key"
        )
    }

    fileprivate static func foreignRow(_ listing: Listing, id: MarketID) -> Diagnostic {
        Diagnostic(
            .warning,
            .pinnedID,
            "product \(id) is another vendor's, and stays as it is",
            location: listing.location()
        )
    }

    fileprivate static func marketsOwn(_ column: CatalogColumn, _ shown: String, at place: SourceLocation) -> Diagnostic
    {
        Diagnostic(
            .warning,
            .readOnlyCell,
            "only the market changes '\(column.rawValue)', and shows '\(shown)' here",
            location: place
        )
    }

    fileprivate static func otherPictures(_ listing: Listing, at place: SourceLocation) -> Diagnostic {
        Diagnostic(
            .warning,
            .readOnlyCell,
            "'\(listing.key)' has other pictures on the market than this cell says, and keeps them",
            location: place,
            help: "a URL changes no picture: name files in 'images'"
        )
    }

    fileprivate static func changedSinceExport(_ listing: Listing, at place: SourceLocation) -> Diagnostic {
        Diagnostic(
            .warning,
            .readOnlyCell,
            "'\(listing.key)' was changed on the market since this file was exported",
            location: place,
            help: "look at what the plan changes of it: the file may put back old values"
        )
    }

    fileprivate static func twoSales(_ listing: Listing, discount: ExactDecimal, at place: SourceLocation) -> Diagnostic
    {
        let sale = listing.values.sale?.salePrice.map { "'sale_price' says \($0)" } ?? "'sale_price' says none"
        return Diagnostic(
            .error,
            .salePrice,
            "'\(listing.key)' has a discount of \(discount) here, and \(sale)",
            location: place,
            help: "write what buyers pay into 'sale_price' and empty this cell, or take one of the columns out"
        )
    }

    fileprivate static func unusedDiscount(
        _ listing: Listing,
        discount: ExactDecimal,
        at place: SourceLocation
    ) -> Diagnostic {
        let sale = listing.values.sale?.salePrice.map { "'sale_price' says \($0)" } ?? "'sale_price' says none"
        return Diagnostic(
            .warning,
            .readOnlyCell,
            "the discount of \(discount) counts for nothing here, for \(sale), and so it is on the market",
            location: place,
            help: "to change what buyers pay, write it into 'sale_price'"
        )
    }

    fileprivate static func ignoredCells(_ field: ProductField, _ count: Int, at place: SourceLocation) -> Diagnostic {
        Diagnostic(
            .warning,
            .readOnlyCell,
            "'\(field.rawValue)' differs from the market in \(counted(count, "row")), and stays as it is there",
            location: place,
            help: "'ignore_changes' says so",
            count: count
        )
    }

    fileprivate static func moreCells(_ count: Int, _ kind: String) -> Diagnostic {
        let what =
            kind == "foreign"
            ? "rows are of other vendors' products" : "cells in '\(kind)' say otherwise than the market"
        return Diagnostic(
            .warning,
            kind == "foreign" ? .pinnedID : .readOnlyCell,
            "\(count) more \(what)",
            count: count
        )
    }
}
