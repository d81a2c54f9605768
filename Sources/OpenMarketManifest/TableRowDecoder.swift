import OpenMarket

struct TableRowDecoder {
    private let cells: TableCells
    private var listing: Listing
    private var draft: ListingDrafts.Draft
    var table = TableRow.blank
    private var key: (text: String, cell: Int)?
    private var claim: UnresolvedID?
    /// The column that sets the sale: `sale_price`, else `discount`.
    var saleColumn: Int?

    init(_ cells: TableCells, _ values: ValueDecoder) {
        self.cells = cells
        listing = Listing(
            key: "",
            file: values.log.sources[values.file].name,
            position: SourcePosition(line: UInt32(clamping: cells.rowNumber), column: 1)
        )
        draft = ListingDrafts.Draft(
            file: values.file,
            index: UInt32(clamping: cells.rowNumber),
            firstMention: UInt32(truncatingIfNeeded: values.products.mentions.count)
        )
    }

    /// The position of a cell, which becomes the scope of the next reports.
    func span(_ cell: Int, _ values: inout ValueDecoder) -> SourceSpan {
        values.scope = .cell(TableDecoder.address(cells.rowNumber, cell))
        return TableDecoder.span(cells.rowNumber, cell)
    }

    // MARK: Cells

    /// Reads the cell of any column; no other method gets a cell's text.
    mutating func read(_ column: TableColumn, _ cell: Int, _ values: inout ValueDecoder) {
        // In a deletion, the name shows whether the product with this id is the intended one.
        if table.action == .delete, case .catalog(.name) = column, let content = cells.content(at: cell, of: .text),
            content.damage == nil
        {
            listing.values.name = content.text
        }
        // Other cells in the row of a deleted or ignored product are not read.
        let isIdle = table.action == .delete || table.action == .ignore
        guard let use = column.use, !isIdle || column.identifiesRow,
            let (text, damage) = cells.content(at: cell, of: use)
        else { return }
        if let damage, report(damage, of: text, in: column, cell, &values) { return }
        switch column {
        case .action: readAction(text, cell, &values)
        case .catalog(let column): take(text, of: column, cell, &values)
        case .own, .nameless, .unknown: break
        }
    }

    /// Reports the damage of a cell, and returns whether to skip the cell.
    private mutating func report(
        _ damage: CellDamage,
        of text: String,
        in column: TableColumn,
        _ cell: Int,
        _ values: inout ValueDecoder
    ) -> Bool {
        let place = span(cell, &values)
        let message = damage.message(text)
        if case .catalog(let catalog) = column, let field = ProductField(rawValue: catalog.rawValue) {
            _ = note(field, cell, &values)
            // The market may already have such a text. All manifests are checked for lost characters, and names for
            // control characters.
            if column.use == .text, listing.pinnedID != nil {
                if damage == .error || damage == .nothing {
                    report(damage.code, message, field, at: place, help: damage.help, &values)
                }
                if case .control = damage, field == .description {
                    report(damage.code, message, field, at: place, help: damage.help, &values)
                }
                if case .large = damage { values.report(damage.code, message, at: place, help: damage.help) }
                return false
            }
        }
        values.report(damage.code, message, at: place, help: damage.help)
        if column.identifiesRow { draft.needIsUnclear = true }
        return true
    }

    private mutating func take(_ text: String, of column: CatalogColumn, _ cell: Int, _ values: inout ValueDecoder) {
        switch column {
        case .id: readID(text, cell, &values)
        case .key: key = (text, cell)
        case .name:
            _ = note(.name, cell, &values)
            listing.values.name = text
        case .description:
            _ = note(.description, cell, &values)
            listing.values.description = text
        case .price:
            _ = note(.price, cell, &values)
            listing.values.price = amount(text, "price", .price, cell, &values)
        case .currency:
            _ = note(.currency, cell, &values)
            listing.values.currency = Currency(rawValue: text)
        case .stock: readStock(text, cell, &values)
        case .salePrice: readSale(text, cell, isDiscount: false, &values)
        case .discount where cell == saleColumn: readSale(text, cell, isDiscount: true, &values)
        case .discount: table.shown.discount = amount(text, "discount", .salePrice, cell, &values)
        case .vendorID:
            let place = span(cell, &values)
            table.shown.vendorID = whole(text, column.rawValue, in: Int64.min...Int64.max, &values, at: place)
        case .vendor: table.shown.note(text, in: column)
        case .createdAt, .issuedAt: break
        case .images: readImages(text, cell, &values)
        case .thumbnail:
            guard !Self.isURL(text) else { return table.shown.note(text, in: .thumbnail) }
            let place = note(.thumbnail, cell, &values)
            values.noteThumbnail(.init(value: text, origin: .written), in: &draft, at: place)
        }
    }

    private mutating func note(_ field: ProductField, _ cell: Int, _ values: inout ValueDecoder) -> SourceSpan {
        let place = span(cell, &values)
        draft.written.insert(field)
        listing.fieldPositions[field] = place.start
        return place
    }

    // MARK: Identity

    private mutating func readAction(_ text: String, _ cell: Int, _ values: inout ValueDecoder) {
        guard let action = TableRow.Action(rawValue: text.uppercased()) else {
            let names = TableRow.Action.allCases.map(\.rawValue)
            values.report(
                .choice,
                "'\(TableColumn.actionName)' must be \(names.listed("or")), and not '\(text.excerpt)'",
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

    private mutating func readID(_ text: String, _ cell: Int, _ values: inout ValueDecoder) {
        let place = span(cell, &values)
        guard table.action != .new else {
            values.report(
                .rowAction,
                "a row that creates a product cannot have its number",
                at: place,
                help: "empty this cell, or write MERGE to change product \(text.excerpt)"
            )
            draft.needIsUnclear = true
            return
        }
        (listing.pinnedID, claim) = values.id(.init(value: text, origin: .written), at: place)
    }

    // MARK: Numbers

    private func whole(
        _ text: String,
        _ field: String,
        in range: ClosedRange<Int64>,
        _ values: inout ValueDecoder,
        at place: SourceSpan
    ) -> Int64? {
        values.integer(.init(value: text, origin: .written), isCell: true, at: place, field: field, in: range)
    }

    /// A stock, which is negative on markets that accept orders beyond it; an unchanged value has no effect.
    private mutating func readStock(_ text: String, _ cell: Int, _ values: inout ValueDecoder) {
        let place = note(.stock, cell, &values)
        guard let units = whole(text, "stock", in: Int64.min...Int64.max, &values, at: place) else { return }
        listing.values.stock = units
        if units < 0 {
            report(.numberRange, "'stock' is \(units), and cannot be negative", .stock, at: place, &values)
        }
    }

    /// An amount in the row's currency; it may be negative only if it is on the market.
    private mutating func amount(
        _ text: String,
        _ name: String,
        _ field: ProductField,
        _ cell: Int,
        _ values: inout ValueDecoder
    ) -> ExactDecimal? {
        let written = ValueDecoder.Text(value: text, origin: .written)
        let place = span(cell, &values)
        let measure = ValueDecoder.Measure.money(listing.values.currency)
        guard let amount = values.decimal(written, measure, isCell: true, at: place, field: name) else { return nil }
        guard amount.isNegative else { return amount }
        report(.negativeNumber, ValueDecoder.negative(amount, name), field, at: place, &values)
        return listing.pinnedID == nil ? nil : amount
    }

    // MARK: Sale

    private mutating func readSale(_ text: String, _ cell: Int, isDiscount: Bool, _ values: inout ValueDecoder) {
        let place = note(.salePrice, cell, &values)
        let name = isDiscount ? "discount" : "sale_price"
        guard let amount = amount(text, name, .salePrice, cell, &values) else { return }
        guard let price = listing.values.price else {
            // The live price applies, unless a faulty one is written.
            if draft.written.contains(.price) { return }
            if isDiscount { table.amountOff = amount } else { listing.values.sale = .price(amount) }
            return
        }
        let salePrice = isDiscount ? price.subtracting(amount) : amount
        guard let salePrice else {
            values.report(.salePrice, "'discount' and 'price' have too many digits between them", at: place)
            return
        }
        listing.values.sale = .at(salePrice, insteadOf: price)
        if amount > price {
            let message = "'\(name)' is \(amount), and the price only \(price)"
            report(.salePrice, message, .salePrice, at: place, &values)
        }
    }

    /// Reports a value that no product should have; only as a warning if the row has a live product, because the market
    /// may have the value already.
    private func report(
        _ code: Diagnostic.Code,
        _ message: String,
        _ field: ProductField,
        at place: SourceSpan,
        help: String? = nil,
        _ values: inout ValueDecoder
    ) {
        guard let id = listing.pinnedID else {
            values.report(code, message, at: place, help: help)
            return
        }
        values.products.noteDoubt(
            code,
            message,
            of: field,
            id: id,
            at: place,
            file: values.file,
            path: TableDecoder.address(place),
            help: help,
            &values.log
        )
    }

    // MARK: Pictures

    private static func isURL(_ text: String) -> Bool { text.hasPrefix("http://") || text.hasPrefix("https://") }

    /// Reads the pictures: paths, or the URLs of an export, which have no effect.
    private mutating func readImages(_ text: String, _ cell: Int, _ values: inout ValueDecoder) {
        let paths = Self.paths(in: text)
        if paths.allSatisfy(Self.isURL) {
            table.shown.note(text, in: .images)
            return
        }
        let place = note(.images, cell, &values)
        for path in paths {
            values.products.noteImage(path, in: &draft, at: place.start)
        }
    }

    /// The paths in a cell, separated by line breaks or bars; without either, by blanks.
    ///
    /// A blank belongs to the path if the ending of a picture comes later: phones name `IMG 1.jpg`.
    private static func paths(in text: String) -> [String] {
        let isSplit: (Character) -> Bool = { $0 == "|" || $0.isNewline }
        if text.contains(where: isSplit) {
            return text.split(whereSeparator: isSplit).map { String($0).trimmed }.filter { !$0.isEmpty }
        }
        let words = text.split(separator: " ").map(String.init)
        guard words.contains(where: hasPictureEnding), !words.contains(where: isURL) else { return words }
        var paths: [String] = []
        var isOpen = false
        for word in words {
            paths.append(isOpen ? "\(paths.removeLast()) \(word)" : word)
            isOpen = !hasPictureEnding(word)
        }
        return paths
    }

    private static func hasPictureEnding(_ word: String) -> Bool {
        [".jpg", ".jpeg", ".png"].contains { word.lowercased().hasSuffix($0) }
    }

    // MARK: The end

    mutating func finish(_ values: inout ValueDecoder) {
        // An empty cell next to a price means that there is no sale.
        if let saleColumn, listing.values.price != nil, !draft.written.contains(.salePrice) {
            let place = note(.salePrice, saleColumn, &values)
            listing.values.sale = .fullPrice
            // An exported row keeps its discount when a person ends the sale; a new one means a sale.
            if listing.pinnedID == nil, let discount = table.shown.discount, discount != 0 {
                values.report(
                    .salePrice,
                    "'discount' is \(discount), and 'sale_price' beside it is empty",
                    at: place,
                    help: "write the buyers' price into 'sale_price', or empty 'discount'"
                )
            }
        }
        settleKey(&values)
        let first = listing.key.isEmpty ? nil : values.products.noteKey(listing.key)
        listing.row = table
        // For a key that was derived from the id, the check of ids reports the second use.
        if let first, !table.hasMadeKey {
            values.scope = .cell("")
            values.report(
                .repeatedKey,
                "the key '\(listing.key.excerpt)' is used by another row",
                at: key.map { span($0.cell, &values) } ?? TableDecoder.span(cells.rowNumber, nil),
                notes: [
                    Diagnostic.Note("it was used first here", location: values.products.listings.location(at: first))
                ]
            )
        }
        // An ignored row that refers to no product.
        if table.action == .ignore, listing.key.isEmpty { return }
        draft.isFaulty = values.isFaulty
        values.products.append(listing, draft, id: claim)
    }

    /// Derives the key from the id as written, because +7 and 7 are two texts.
    private mutating func makeKey(of id: MarketID) {
        listing.key = TableRow.key(madeOf: claim.map { .text($0.text.value) } ?? id)
        table.hasMadeKey = true
    }

    private mutating func settleKey(_ values: inout ValueDecoder) {
        guard let key else {
            if let id = listing.pinnedID {
                makeKey(of: id)
            } else if table.action != .ignore, !values.isFaulty {
                values.scope = .cell("")
                values.report(
                    .key,
                    "this row has neither 'key' nor 'id', so it identifies no product",
                    at: TableDecoder.span(cells.rowNumber, nil),
                    help: "give a new product a key of your own"
                )
            }
            return
        }
        let place = span(key.cell, &values)
        let isShortened = WrittenNumber(key.text)?.form == .shortened
        if isShortened, let id = listing.pinnedID, table.action.changes {
            makeKey(of: id)
            table.shortenedKey = key.text
        } else if isShortened {
            let fault = Diagnostic.shortenedKey(key.text, at: nil)
            values.report(fault.code, fault.message, at: place, help: fault.help)
        } else if let fault = KeyRules.fault(of: key.text) {
            values.report(.key, "'key' \(fault)", at: place)
        } else {
            listing.key = key.text.composed
        }
    }
}
