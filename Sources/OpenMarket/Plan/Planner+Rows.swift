/// Plans the rows of tables against the manifest: a row requests only the values in its filled cells.
///
/// Each product in the state has a live one; the market is not read.
extension Planner {
    /// Findings about rows, for the checks of the whole plan.
    struct RowFindings {
        /// Keys of products that ignored rows with another key keep.
        var kept: Set<String> = []
        /// Rows whose keys probably mean other ones that are managed.
        var respelled: [(row: Listing, known: String)] = []
        /// Ignored rows without an id whose key is not in the state.
        var unknown: [Listing] = []
    }

    /// Plans a row of a table, unless it is a tombstone.
    mutating func planRow(_ listing: Listing, _ row: TableRow, entry: StateEntry?) {
        guard row.action != .ignore else {
            plan.unselected += 1
            if entry == nil, input.manifest.isComplete { keepIgnored(listing, row) }
            return
        }
        if let text = row.shortenedKey, !(entry.map { SpreadsheetForm.mayMake(text, of: $0.key) } ?? false) {
            plan.diagnostics.append(.shortenedKey(text, at: listing.location(ofCell: .key)))
            return
        }
        if let entry {
            planManagedRow(listing, row, entry: entry)
        } else {
            planNewRow(listing, row)
        }
    }

    /// Keeps the product of an ignored row by its id, if the row's key is not in the state.
    ///
    /// In a table that lists all products, a product without a row would be deleted.
    private mutating func keepIgnored(_ listing: Listing, _ row: TableRow) {
        if let id = listing.pinnedID, let known = entries.values.first(where: { $0.id == id }) {
            rows.kept.insert(known.key)
        } else if let known = respelledKey(of: listing.key) {
            plan.diagnostics.append(.missing(listing, "left alone", respelled: known))
        } else if let id = listing.pinnedID, input.live.products[id] == nil,
            Ownership(showing: row.shown.vendorID, ours: identity.presumed) != .foreign
        {
            report(
                .error,
                .pinnedID,
                "product \(id) of this row is not managed",
                at: listing.location(ofCell: .id),
                help: "write the product's number into 'id', or take the row out"
            )
        } else if listing.pinnedID == nil {
            rows.unknown.append(listing)
        }
    }

    private mutating func planManagedRow(_ listing: Listing, _ row: TableRow, entry: StateEntry) {
        guard checkPin(of: listing, entry: entry), let live = input.product(of: entry) else { return }
        let planned = plan.operations.count
        planDifference(listing.completed(by: entry, as: live), row, entry: entry, live: live)
        // After a replace, a table that was applied still has the old id, and its row is ignored.
        if let pinned = listing.pinnedID, pinned != entry.id, plan.operations.count > planned {
            plan.operations.removeSubrange(planned...)
            plan.diagnostics.append(.pinnedElsewhere(listing, pinned: pinned, bound: entry.id))
        }
    }

    private mutating func planNewRow(_ listing: Listing, _ row: TableRow) {
        let known = respelledKey(of: listing.key)
        guard row.action != .update else {
            let help = "MERGE creates it if it is missing"
            plan.diagnostics.append(.missing(listing, "updated", respelled: known, help: help))
            return
        }
        // A typing error in the key explains the missing values.
        if !options.allowsNamesakes, let known {
            rows.respelled.append((listing, known))
            return
        }
        let whole = listing.withDefaults(input.manifest.rowDefaults)
        let currency = whole.values.currency
        guard canBePaid(whole.values.price, in: currency, as: .price, of: whole),
            canBePaid(whole.values.sale?.salePrice, in: currency, as: .salePrice, of: whole)
        else { return }
        planCreate(whole, at: nil, reason: "new in the table")
    }

    /// Compares a row with its product; a row that requests a create may only find the product already created.
    private mutating func planDifference(_ listing: Listing, _ row: TableRow, entry: StateEntry, live: LiveProduct) {
        guard row.action == .new else { return planDifference(listing, entry: entry, live: live) }
        guard input.comparison(of: listing, entry, live, capabilities).changes.isEmpty else {
            return report(
                .error,
                .rowAction,
                "'\(listing.key)' is to be created, but exists already with other values",
                at: listing.location(),
                help: "MERGE changes it"
            )
        }
        plan.unchanged += 1
    }
}

extension String {
    /// The intended text of a cell, given the product's text: changes that spreadsheets cause are not edits.
    fileprivate func asWritten(by old: String, isOneLine: Bool) -> String {
        // A spreadsheet may compose or decompose an accent or a syllable.
        if self == old { return old }
        // A spreadsheet changes the line ends in a cell.
        if !isOneLine, hasSameLines(as: old) { return old }
        // A spreadsheet may lose or set the table's mark for guarded texts. Neither a kept guard nor a missing one is
        // an edit.
        let (guarded, unguarded) = (FormulaGuard.guarded(self), FormulaGuard.unguarded(self))
        if guarded.isExactly(old) || unguarded.isExactly(old) { return old }
        // A guarded text was edited: the product's text is without an apostrophe, and needs a guard.
        return FormulaGuard.guarded(old).hasPrefix("'") && !old.hasPrefix("'") ? unguarded : self
    }

    /// Whether the bytes are equal except for CRLF, CR or LF at the ends of lines.
    fileprivate func hasSameLines(as other: String) -> Bool {
        let texts = [self, other].map { ["\r\r\n", "\r\n", "\r"].reduce($0) { $0.replacing($1, with: "\n") } }
        return texts[0].isExactly(texts[1])
    }
}

extension Listing {
    /// The row's cell in a column; for a listing in YAML, its start.
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
    /// Empty cells, and cells that repeat fields that are not in the manifest, do not change the product.
    func completed(by entry: StateEntry, as live: LiveProduct) -> Listing {
        var listing = self
        if values.price == nil, let price = live.price ?? entry.applied.price {
            let sale = row?.amountOff.flatMap { price.subtracting($0) }.map(Sale.price) ?? values.sale
            listing.values.sale = sale?.normalized(price: price)
        }
        for field in ProductField.allCases {
            let applied = entry.applied[field]
            if let text = values[field]?.text {
                // The last one is written over.
                for old in [applied, live.values[field]].compactMap({ $0?.text }) {
                    let written = text.asWritten(by: old, isOneLine: field != .description)
                    listing.values[field] = .text(written)
                    if written.isExactly(old) { break }
                }
            }
            // The cell repeats the market's form of the value last applied.
            if let echo = entry.shown[field], listing.values[field] == echo { listing.values[field] = applied }
            if let wanted = listing.values[field], applied != nil || live.values[field] != wanted { continue }
            listing.values[field] = applied
            listing.ignoreChanges.insert(field)
        }
        return listing
    }

    /// The row as a new product, with defaults for values that it omits.
    fileprivate func withDefaults(_ defaults: (currency: Currency?, stock: Int64?)) -> Listing {
        var listing = self
        listing.values.currency = values.currency ?? defaults.currency
        listing.values.stock = values.stock ?? defaults.stock
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

    static func missing(
        _ listing: Listing,
        _ what: String,
        respelled known: String?,
        as severity: Severity = .error,
        help: String = "write the product's number into 'id'"
    ) -> Diagnostic {
        Diagnostic(
            severity,
            .rowAction,
            "product '\(listing.key)' does not exist and cannot be \(what)",
            location: listing.location(),
            help: known.map { "write '\($0)' if it is that product" } ?? help
        )
    }
}
