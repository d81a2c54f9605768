/// Cells of tables that differ from the market and that nothing writes.
extension PlanCheck {
    /// Reports differing cells in columns that only the market changes or `ignore_changes` excludes, and rows of other
    /// vendors' products.
    static func editedCells(_ context: Context) -> [Diagnostic] {
        guard !context.rows.products.isEmpty else { return [] }
        let changed = Set(context.plan.operations.map(\.key))
        var found: [Diagnostic] = []
        var counts: [String: Int] = [:]
        var ignored: [ProductField: (count: Int, first: SourceLocation)] = [:]
        for (index, id, isForeign) in context.rows.products {
            let listing = context.input.manifest.listings[index]
            guard let live = context.input.live.products[id] else { continue }
            let cells =
                isForeign
                ? foreignRow(listing, live)
                : marketsOwnCells(of: listing, live, isChanged: changed.contains(listing.key))
            for (kind, diagnostic) in cells {
                guard diagnostic.severity != .error else {
                    found.append(diagnostic)
                    continue
                }
                counts[kind, default: 0] += 1
                if counts[kind, default: 0] <= shown { found.append(diagnostic) }
            }
            for field in listing.ignoreChanges where !isForeign {
                guard let wanted = listing.values[field], let shown = live.values[field], wanted != shown else {
                    continue
                }
                ignored[field, default: (0, listing.location(of: field))].count += 1
            }
        }
        for (kind, count) in counts.sorted(by: { $0.key < $1.key }) where count > shown {
            found.append(.moreCells(count - shown, kind))
        }
        return found
            + ignored.sorted { $0.key < $1.key }.map { .ignoredCells($0.key, $0.value.count, at: $0.value.first) }
    }

    private static func foreignRow(_ listing: Listing, _ live: LiveProduct) -> [(kind: String, Diagnostic)] {
        listing.adopting(live).listing.hasWish ? [("foreign", .foreignRow(listing, id: live.id))] : []
    }

    /// Faults of cells in columns that only the market can change.
    private static func marketsOwnCells(
        of listing: Listing,
        _ live: LiveProduct,
        isChanged: Bool
    ) -> [(kind: String, Diagnostic)] {
        guard let cells = listing.row?.shown else { return [] }
        var found: [(kind: String, Diagnostic)] = []
        func note(_ column: CatalogColumn, _ diagnostic: (SourceLocation) -> Diagnostic) {
            found.append((column.rawValue, diagnostic(listing.location(ofCell: column))))
        }
        func differs(_ cell: CellTime?, _ shown: String?) -> Bool {
            guard let cell, let shown = shown.flatMap({ CellTime($0) }) else { return false }
            return !cell.mayBe(shown)
        }
        if let said = cells.vendorID, let shown = live.vendorID, said != shown {
            note(.vendorID) { .marketsOwn(.vendorID, "\(shown)", at: $0) }
        }
        if cells.differs(live.vendorName, in: .vendor) {
            note(.vendor) { .marketsOwn(.vendor, live.vendorName ?? "", at: $0) }
        }
        let images = live.images.map { $0.map(\.url).joined(separator: " ") }
        for (column, shown) in [(CatalogColumn.thumbnail, live.thumbnailURL), (.images, images)]
        where cells.differs(shown, in: column) {
            note(column) { .otherPictures(listing, at: $0) }
        }
        if isChanged, differs(cells.issuedAt, live.issuedAt) {
            note(.issuedAt) { .changedSinceExport(listing, at: $0) }
        }
        if differs(cells.createdAt, live.createdAt) {
            note(.createdAt) { .marketsOwn(.createdAt, live.createdAt ?? "", at: $0) }
        }
        guard let discount = cells.discount else { return found }
        let ofMarket = live.price.flatMap { $0.subtracting(live.sale?.salePrice ?? $0) }
        let ofRow = listing.values.price.flatMap { $0.subtracting(listing.values.sale?.salePrice ?? $0) }
        guard discount != ofMarket, discount != ofRow else { return found }
        // If the sale is as the row states, the cell may be older than the sale and has no effect. So an applied table
        // can be applied again without a fault.
        let isSettled = ofRow == nil || ofMarket == ofRow
        note(.discount) {
            isSettled
                ? .unusedDiscount(listing, discount: discount, at: $0) : .twoSales(listing, discount: discount, at: $0)
        }
        return found
    }

    /// Reports keys that a spreadsheet shortened, in one diagnostic.
    static func shortenedKeys(_ context: Context) -> [Diagnostic] {
        let rows = context.rows.shortenedKeys
        guard let first = rows.first, let text = first.row?.shortenedKey else { return [] }
        return [
            Diagnostic(
                .warning,
                .key,
                "a spreadsheet shortened \(counted(rows.count, "key")), '\(text.excerpt)' of '\(first.key)' first; the ids "
                    + "name the products",
                location: first.location(ofCell: .key),
                help: "format the column 'key' as text before the table is opened",
                count: rows.count
            )
        ]
    }
}

extension Diagnostic {
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
            "'\(listing.key)' has other pictures on the market than this cell, and keeps them",
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
        let sale = listing.values.sale?.salePrice.map { "'sale_price' is \($0)" } ?? "'sale_price' is empty"
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
        let sale = listing.values.sale?.salePrice.map { "'sale_price' is \($0)" } ?? "'sale_price' is empty"
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
            help: "'ignore_changes' names the field",
            count: count
        )
    }

    fileprivate static func moreCells(_ count: Int, _ kind: String) -> Diagnostic {
        let what =
            kind == "foreign"
            ? "rows are of other vendors' products" : "cells in '\(kind)' differ from the market"
        return Diagnostic(
            .warning,
            kind == "foreign" ? .pinnedID : .readOnlyCell,
            "\(count) more \(what)",
            count: count
        )
    }
}
