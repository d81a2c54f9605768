import OpenMarket

/// Reads the cells of one row.
struct TableRowDecoder {
    private let row: CSVRow
    private var listing: Listing
    private var draft: ListingDrafts.Draft
    var table = TableRow()
    private var key: (text: String, cell: Int)?
    private var sale: (text: String, cell: Int)?
    private var thumbnail: (text: String, cell: Int)?

    init(_ row: CSVRow, _ values: ValueDecoder, _ products: ListingDrafts) {
        self.row = row
        listing = Listing(
            key: "",
            file: values.log.sources[values.file].name,
            position: SourcePosition(line: UInt32(clamping: row.number), column: 1)
        )
        draft = ListingDrafts.Draft(
            file: values.file,
            index: UInt32(clamping: row.number),
            firstMention: UInt32(truncatingIfNeeded: products.mentions.count)
        )
    }

    /// The place of a cell; what is reported next is about it.
    func span(_ cell: Int, _ values: inout ValueDecoder) -> SourceSpan {
        values.scope = .cell(TableDecoder.address(row.number, cell))
        return TableDecoder.span(row.number, cell)
    }

    // MARK: What the row is about

    /// Reads what the row asks for.
    mutating func readAction(_ cell: Int, _ values: inout ValueDecoder) {
        guard !row.isEmpty(at: cell) else { return }
        let text = row.text(at: cell)
        guard let action = TableRow.Action(rawValue: text.trimmed.uppercased()) else {
            let names = TableRow.Action.allCases.map(\.rawValue)
            values.report(
                .choice,
                "'\(TableDecoder.actionColumn)' must be \(names.listed("or")), and not '\(text.excerpt)'",
                at: span(cell, &values),
                help: Suggestion.nearest(to: text, in: names).map { "did you mean '\($0)'?" }
                    ?? "an empty cell is MERGE"
            )
            draft.needIsUnclear = true
            return
        }
        table.action = action
        listing.isAbsent = action == .delete
    }

    /// Reads which live product is meant.
    mutating func readID(_ cell: Int, _ values: inout ValueDecoder) {
        guard !row.isEmpty(at: cell) else { return }
        let place = span(cell, &values)
        guard let text = number(cell, &values, at: place),
            let id = values.integer(text, at: place, field: "id", in: 1...Int64.max)
        else { return }
        guard table.action != .new else {
            values.report(
                .rowAction,
                "a row that makes a product cannot say which one it is",
                at: place,
                help: "empty this cell, or write MERGE to change product \(id)"
            )
            draft.needIsUnclear = true
            return
        }
        listing.pinnedID = ProductID(id)
    }

    /// Reads a cell that is not empty.
    mutating func read(
        _ column: CatalogColumn,
        _ cell: Int,
        hasSalePrice: Bool,
        _ values: inout ValueDecoder,
        _ products: inout ListingDrafts
    ) {
        if column == .key {
            key = (text(cell), cell)
            return
        }
        // What else stands in the row of a product that is to go, or is left alone, says nothing.
        guard table.action != .delete, table.action != .ignore else { return }
        switch column {
        case .id, .key: break
        case .name: listing.values.name = field(.name, cell, &values)
        case .description: listing.values.description = field(.description, cell, &values)
        case .price:
            let place = note(.price, cell, &values)
            listing.values.price = amount(cell, "price", &values, at: place)
        case .currency:
            _ = note(.currency, cell, &values)
            listing.values.currency = Currency(rawValue: text(cell))
        case .stock:
            let place = note(.stock, cell, &values)
            listing.values.stock = number(cell, &values, at: place).flatMap {
                values.integer($0, at: place, field: "stock", in: ManifestSchema.ValueType.stock.range)
            }
        case .salePrice: sale = (row.text(at: cell), cell)
        case .discount:
            if hasSalePrice {
                table.shown.discount = amount(cell, "discount", &values, at: span(cell, &values))
            } else {
                sale = (row.text(at: cell), cell)
            }
        case .vendorID:
            let place = span(cell, &values)
            table.shown.vendorID = number(cell, &values, at: place).flatMap {
                values.integer($0, at: place, field: column.rawValue, in: Int64.min...Int64.max)
            }
        case .vendor, .createdAt, .issuedAt: table.shown.note(text(cell), in: column)
        case .images: readImages(cell, &values, &products)
        case .thumbnail:
            let path = text(cell)
            if Self.isURL(path) { table.shown.note(path, in: .thumbnail) } else { thumbnail = (path, cell) }
        }
    }

    // MARK: Cells

    /// The text of a cell, the guard against formulas undone.
    private func text(_ cell: Int) -> String { FormulaGuard.unguarded(row.text(at: cell)) }

    /// Notes where a field stands.
    private mutating func note(_ field: ProductField, _ cell: Int, _ values: inout ValueDecoder) -> SourceSpan {
        let place = span(cell, &values)
        draft.written[field] = true
        listing.fieldPositions[field] = place.start
        return place
    }

    /// A text that a product has.
    private mutating func field(_ field: ProductField, _ cell: Int, _ values: inout ValueDecoder) -> String? {
        let place = note(field, cell, &values)
        let text = text(cell)
        guard Self.errorValues.contains(text) else { return text }
        report(errorValue: text, at: place, &values)
        return nil
    }

    /// The text of a number, unless a spreadsheet damaged it.
    private func number(_ cell: Int, _ values: inout ValueDecoder, at place: SourceSpan) -> String? {
        let text = row.text(at: cell).trimmed
        if NumberSpelling.isDecimal(text) { return text }
        if Self.errorValues.contains(text) || text.hasPrefix("##") {
            report(errorValue: text, at: place, &values)
        } else if NumberSpelling.isShortened(text) {
            values.report(
                .number,
                "'\(text.excerpt)' is a number that a spreadsheet shortened: its digits may be lost",
                at: place,
                help: "write it out, in a column that is formatted as text, or as a number without exponent"
            )
        } else if let plain = NumberSpelling.withoutDecimalComma(text) {
            values.report(.number, "'\(text.excerpt)' has a decimal comma", at: place, help: "write \(plain)")
        } else {
            return text
        }
        return nil
    }

    private func amount(
        _ cell: Int,
        _ field: String,
        _ values: inout ValueDecoder,
        at place: SourceSpan
    ) -> ExactDecimal? {
        number(cell, &values, at: place).flatMap { values.amount($0, at: place, field: field) }
    }

    private func report(errorValue text: String, at place: SourceSpan, _ values: inout ValueDecoder) {
        values.report(
            .wrongType,
            "'\(text.excerpt)' is an error of the spreadsheet, not a value",
            at: place,
            help: "repair the formula, or take the value from the export"
        )
    }

    /// What spreadsheets show where a formula fails.
    private static let errorValues: Set<String> = [
        "#NAME?", "#REF!", "#DIV/0!", "#VALUE!", "#N/A", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "Err:502", "Err:508",
        "Err:509", "Err:510",
    ]

    // MARK: Sale

    /// Reads what buyers pay, or what is taken off: an empty cell beside a price says that there is no sale.
    mutating func settleSale(
        _ column: Int?,
        isDiscount: Bool,
        _ values: inout ValueDecoder,
        _ products: inout ListingDrafts
    ) {
        guard let column, table.action != .delete, table.action != .ignore else { return }
        guard let sale else {
            guard listing.values.price != nil else { return }
            _ = note(.salePrice, column, &values)
            listing.values.sale = .fullPrice
            return
        }
        let place = note(.salePrice, sale.cell, &values)
        let name = isDiscount ? "discount" : "sale_price"
        guard let amount = amount(sale.cell, name, &values, at: place) else { return }
        guard let price = listing.values.price else {
            if !draft.written[.price] {
                values.report(.salePrice, "'\(name)' needs 'price' beside it", at: place)
            }
            return
        }
        let salePrice = isDiscount ? price.subtracting(amount) : amount
        draft.hasDiscount = isDiscount
        guard let salePrice else {
            values.report(.salePrice, "'discount' and 'price' have too many digits between them", at: place)
            return
        }
        listing.values.sale = .at(salePrice, insteadOf: price)
        if amount > price {
            report(.salePrice, "'\(name)' is \(amount), and the price only \(price)", .salePrice, &values, &products)
        }
    }

    /// Reports what no product should be given; the market may have it already, so it is only a doubt where the row has
    /// a live product.
    private func report(
        _ code: Diagnostic.Code,
        _ message: String,
        _ field: ProductField,
        _ values: inout ValueDecoder,
        _ products: inout ListingDrafts
    ) {
        guard let id = listing.pinnedID, let place = listing.fieldPositions[field] else {
            values.report(code, message, at: listing.fieldPositions[field].map { SourceSpan(start: $0, length: 1) })
            return
        }
        products.noteDoubt(
            CellDoubt(
                id: id,
                field: field,
                fault: Diagnostic(
                    .error,
                    code,
                    message,
                    location: values.log.location(at: place, file: values.file),
                    path: TableDecoder.address(Int(place.line), Int(place.column) - 1)
                )
            ),
            span: SourceSpan(start: place, length: 1),
            file: values.file,
            &values.log
        )
    }

    // MARK: Pictures

    private static func isURL(_ text: String) -> Bool { text.hasPrefix("http://") || text.hasPrefix("https://") }

    /// Reads the pictures: paths, or the URLs that an export has, which change nothing.
    private mutating func readImages(
        _ cell: Int,
        _ values: inout ValueDecoder,
        _ products: inout ListingDrafts
    ) {
        let text = text(cell)
        let paths = Self.paths(in: text)
        if paths.allSatisfy(Self.isURL) {
            table.shown.note(text, in: .images)
            return
        }
        let place = note(.images, cell, &values)
        guard paths.count <= 1000 else {
            values.report(.pictureCount, "'images' has \(paths.count) items", at: place)
            return
        }
        for path in paths {
            products.mentions.append(
                ListingDrafts.Mention(
                    picture: products.pictures.number(of: path, file: values.file),
                    position: place.start
                )
            )
            draft.mentionCount += 1
        }
    }

    /// The paths in a cell: one a line or between bars where there are any, so that paths can have blanks; else between
    /// blanks.
    private static func paths(in text: String) -> [String] {
        let isSplit: (Character) -> Bool = { $0 == "|" || $0.isNewline }
        let parts = text.contains(where: isSplit) ? text.split(whereSeparator: isSplit) : text.split(separator: " ")
        return parts.map { String($0).trimmed }.filter { !$0.isEmpty }
    }

    private mutating func settleThumbnail(_ values: inout ValueDecoder, _ products: inout ListingDrafts) {
        guard let thumbnail else { return }
        let place = note(.thumbnail, thumbnail.cell, &values)
        let first = Int(draft.firstMention)
        let number = products.pictures.number(of: thumbnail.text, file: values.file)
        let mine = products.mentions[first..<first + Int(draft.mentionCount)]
        guard let index = mine.firstIndex(where: { $0.picture == number }) else {
            values.report(
                .thumbnail,
                draft.written[.images]
                    ? "'thumbnail' must be one of the images, and '\(thumbnail.text.excerpt)' is not"
                    : "'thumbnail' needs 'images' beside it",
                at: place
            )
            return
        }
        draft.thumbnail = UInt16(index - first)
    }

    // MARK: The end

    /// Adds the row to the listings.
    mutating func finish(_ values: inout ValueDecoder, into products: inout ListingDrafts) {
        settleThumbnail(&values, &products)
        settleKey(&values)
        listing.row = table
        if !listing.key.isEmpty, let first = products.noteKey(listing.key) {
            values.scope = .cell("")
            values.report(
                .repeatedKey,
                "the key '\(listing.key.excerpt)' is used by another row",
                at: key.map { span($0.cell, &values) } ?? TableDecoder.span(row.number, nil),
                notes: [Diagnostic.Note("it was used first here", location: products.listings.location(at: first))]
            )
        }
        // A row that is left alone, and says of no product that it is the one.
        if table.action == .ignore, listing.key.isEmpty { return }
        draft.isFaulty = values.isFaulty
        products.append(listing, draft)
    }

    private mutating func settleKey(_ values: inout ValueDecoder) {
        guard let key else {
            if let id = listing.pinnedID {
                listing.key = TableRow.key(madeOf: id)
                table.hasMadeKey = true
            } else if table.action != .ignore, !values.isFaulty {
                values.scope = .cell("")
                values.report(
                    .key,
                    "this row has neither 'key' nor 'id', so nothing says what product it is about",
                    at: TableDecoder.span(row.number, nil),
                    help: "give a product that is to be made a key of your own"
                )
            }
            return
        }
        let place = span(key.cell, &values)
        if NumberSpelling.isShortened(key.text) {
            values.report(
                .key,
                "'\(key.text.excerpt)' is a number that a spreadsheet shortened",
                at: place,
                help: "write the key out, in a column that is formatted as text"
            )
        } else if let fault = ProductDecoder.fault(ofKey: key.text) {
            values.report(.key, fault, at: place)
        } else {
            listing.key = key.text.composed
        }
    }
}
