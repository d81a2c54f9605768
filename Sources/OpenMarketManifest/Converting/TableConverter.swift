package import OpenMarket
import OpenMarketFiles

package struct TableConverter: Sendable {
    /// The result for a picture that a table refers to.
    package enum Picture: Hashable, Sendable {
        /// The path in the manifest.
        case file(String)
        /// Left out, for this reason.
        case missing(String)

        package static let unknown = Picture.missing("not found as files")
    }

    /// Settings, and values for products whose rows do not state them.
    package struct Options: Sendable {
        package var currency: Currency?
        /// The path of a picture for products without one.
        package var placeholder: String?
        /// The description of products without one; `{name}` stands for the name.
        package var description: String?
        /// Finds a picture by its address or name.
        package var picture: @Sendable (String) -> Picture = { _ in .unknown }
        /// The day of the conversion, such as `2026-11-27`; without it, sales with dates are left out.
        package var today: String?
        package var limits = ProductLimits.documented
        package var needsStock = false
        package var needsPicture = false

        package init() {}
    }

    struct Row {
        var number: Int
        var cells: [String]
    }

    package var options: Options
    var mapping: ConversionMapping
    private var places: [String: Int] = [:]
    private var header: [String] = []
    /// The table's name in messages.
    private let name: String
    private(set) var rows: [Row] = []
    private var keys: Set<String> = []
    /// The next number to append to a key that several rows have.
    private var nextNumbers: [String: Int] = [:]
    var report = ConversionReport()

    /// Reads a table; without a mapping, Shopify's and WooCommerce's tables are detected.
    ///
    /// `name` is the table's name in messages.
    package init(
        _ table: [UInt8],
        mapping: ConversionMapping?,
        name: String,
        options: Options
    ) throws(ConversionError) {
        self.options = options
        self.mapping = mapping ?? ConversionMapping()
        self.name = name
        try read(table, isKnown: mapping != nil)
    }

    private func error(_ message: String, help: String? = nil) -> ConversionError {
        ConversionError(message, location: SourceLocation(file: name), help: help)
    }

    /// The products, and a report of everything that was left out.
    package func converted() -> (products: [ManifestProduct], report: ConversionReport) {
        var converter = self
        let products = converter.products()
        converter.report.productCount = products.count
        converter.noteUnused()
        return (products, converter.report)
    }

    // MARK: Reading

    private mutating func read(_ table: [UInt8], isKnown: Bool) throws(ConversionError) {
        if let kind = FileKind(head: table) { throw error("this is \(kind.name), and no table", help: kind.help) }
        var reader = CSVReader(delimiter: mapping.delimiter, headerRow: mapping.headerRow)
        reader.feed(table)
        reader.finish()
        var width: Int?
        do throws(CSVFault) {
            while try reader.next() {
                if width == nil, mapping.hasHeader, reader.row.number < mapping.headerRow { continue }
                if let width, let fault = reader.row.fault(columns: width) { throw fault }
                let cells = (0..<reader.row.count).map { reader.row.text(at: $0) }
                if width == nil, mapping.hasHeader {
                    header = cells
                } else if cells.contains(where: { !$0.trimmed.isEmpty }) {
                    rows.append(Row(number: reader.row.number, cells: cells))
                }
                width = cells.count
            }
        } catch {
            let column = header.indices.contains(error.cell - 1) ? header[error.cell - 1] : nil
            throw ConversionError(
                error.message,
                location: SourceLocation(
                    file: name,
                    position: SourcePosition(line: UInt32(clamping: error.row), column: UInt32(clamping: error.cell)),
                    table: column.map { .cell(column: $0) } ?? .row
                ),
                help: error.help
            )
        }
        if !mapping.hasHeader { header = (0..<(width ?? 0)).map { String($0 + 1) } }
        let columns = HeaderColumns(header)
        guard width != nil else { throw error("the table is empty") }
        if mapping.hasHeader, !isKnown {
            guard let known = ConversionMapping.known(for: columns) else {
                throw error(
                    "the columns are neither Shopify's nor WooCommerce's",
                    help: "name the shop with --from, or map the columns in a mapping file: name, price and the rest"
                )
            }
            mapping = known
        }
        for column in mapping.columns { places[column] = mapping.place(of: column, in: columns) }
        try checkColumns()
    }

    /// Checks that the table has the columns without which no row yields a product.
    private mutating func checkColumns() throws(ConversionError) {
        let absent = mapping.columns.filter { places[$0] == nil }
        let ownKey = mapping.shop == nil ? mapping.key : nil
        for (field, template) in [("names", mapping.name), ("prices", mapping.price), ("keys", ownKey)] {
            // One complete text of a template suffices.
            guard let template, !template.texts.contains(where: { text in hasAll(text) }) else { continue }
            throw lack(template.columns.first { places[$0] == nil } ?? "", of: field)
        }
        guard mapping.shop == nil else { return }
        var seen: Set<String> = []
        report.absentColumns = absent.filter { seen.insert($0).inserted }
    }

    private func hasAll(_ text: [ConversionMapping.Template.Piece]) -> Bool {
        text.allSatisfy { if case .column(let name) = $0 { places[name] != nil } else { true } }
    }

    private func lack(_ column: String, of field: String) -> ConversionError {
        guard let shop = mapping.shop else {
            return error(
                "the mapping names the column '\(column)', which the table lacks",
                help: Suggestion.nearest(to: column, in: header).map { "did you mean '\($0)'?" }
            )
        }
        let names = ([column] + (mapping.synonyms[column] ?? []).prefix(1)).map { "'\($0)'" }
        return error(
            "the columns are \(shop)'s, but the one of \(field) is missing: \(names.listed("or"))",
            help: "export the products with all their columns, or map the column in a mapping file"
        )
    }

    func cell(_ column: String, _ row: Row) -> String {
        guard let place = places[column], row.cells.indices.contains(place) else { return "" }
        let trimmed = row.cells[place].trimmed
        let text = mapping.isEscaped ? FormulaGuard.unguarded(trimmed) : trimmed
        return CellDamage.isNothing(text) ? "" : text
    }

    /// The damage in a product's texts, such as `#REF!` and `CafÃ©`, which should not reach the market.
    private func damage(_ row: Row, _ parent: Row?) -> String? {
        for column in [mapping.key, mapping.name, mapping.description].flatMap({ $0?.columns ?? [] }) {
            for row in [row, parent].compactMap(\.self) {
                let text = cell(column, row)
                if SpreadsheetError.isOne(text) { return "an error of the spreadsheet in '\(column)'" }
                if text.withUTF8Span({ $0.hasLostText }) { return "lost characters in '\(column)'" }
                if let found = EvidentMisreading(text) { return "a text in '\(column)' that \(found.set.fault)" }
            }
        }
        return nil
    }

    /// The first text of a template that a row has a value for; missing parts come from the parent.
    func value(_ template: ConversionMapping.Template?, _ row: Row, _ parent: Row? = nil) -> String {
        for text in template?.texts ?? [] {
            var value = ""
            var isEmpty = true
            for piece in text {
                switch piece {
                case .text(let text): value += text
                case .column(let name):
                    var cell = cell(name, row)
                    if cell.isEmpty, let parent { cell = self.cell(name, parent) }
                    if !cell.isEmpty { isEmpty = false }
                    value += cell
                }
            }
            if !isEmpty { return value.trimmed }
        }
        return ""
    }

    private func optionValues(_ row: Row) -> [String] {
        // Shopify gives this name to a product's only variant.
        mapping.options.map { cell($0, row) }.filter { !$0.isEmpty && $0 != "Default Title" }
    }

    // MARK: Products

    private mutating func products() -> [ManifestProduct] {
        let parents = parentRows()
        var products: [ManifestProduct] = []
        for group in groups() {
            let hasOptions = group.contains { !optionValues($0).isEmpty }
            // A variant's row may precede its product's.
            let first = group.first { !value(mapping.name, $0).isEmpty } ?? group[0]
            if let reason = skipReason(first), group.count > 1 {
                report.leaveOut(first.number, value(mapping.name, first), because: reason)
                continue
            }
            let variants = group.filter { row in
                !value(mapping.price, row).isEmpty && (!hasOptions || !optionValues(row).isEmpty)
            }
            let numbers = Set(variants.map(\.number))
            for row in group where !numbers.contains(row.number) {
                guard row.number != first.number || variants.isEmpty else { continue }
                // The row only adds a picture to its product.
                if row.number != first.number, value(mapping.price, row).isEmpty { continue }
                let reason = variants.isEmpty ? skipReason(row) ?? "no price" : "no variant of its product"
                report.leaveOut(row.number, value(mapping.name, row, first), because: reason)
            }
            var pictures = GroupPictures(
                common: group.flatMap { pictureNames(mapping.images, $0) },
                own: group.flatMap { pictureNames(mapping.variantImages, $0) }
            )
            for row in variants {
                let parent = group.count > 1 ? first : parents[cell(mapping.parent ?? "", row)]
                if let product = product(row, parent, isVariant: variants.count > 1, &pictures) {
                    products.append(product)
                }
            }
        }
        return products
    }

    /// Whether products may have a currency: if the options have none, the cells' currency is added to the limits.
    func allows(_ currency: Currency) -> Bool {
        options.limits.takes(currency) || currency == options.currency ?? currency
    }

    static func reason(forCurrency code: String) -> String { "a price in \(code.excerpt)" }

    /// The rows of each product, in the table's order.
    private func groups() -> [[Row]] {
        guard let group = mapping.group else { return rows.map { [$0] } }
        var places: [String: Int] = [:]
        var groups: [[Row]] = []
        for row in rows {
            let name = value(group, row)
            if !name.isEmpty, let place = places[name] {
                groups[place].append(row)
            } else {
                if !name.isEmpty { places[name] = groups.count }
                groups.append([row])
            }
        }
        return groups
    }

    /// The rows that others may refer to as their parent.
    private func parentRows() -> [String: Row] {
        guard mapping.parent != nil else { return [:] }
        var parents: [String: Row] = [:]
        for row in rows {
            for template in mapping.parentNames {
                let name = value(template, row)
                if !name.isEmpty, parents[name] == nil { parents[name] = row }
            }
        }
        return parents
    }

    private func skipReason(_ row: Row, _ parent: Row? = nil) -> String? {
        mapping.skips.first { applies($0, row, parent) }?.reason
    }

    /// Whether a row, or its parent, has one of the values.
    private func applies(_ skip: ConversionMapping.Skip, _ row: Row, _ parent: Row?) -> Bool {
        [row, skip.isInherited ? parent : nil].compactMap(\.self).contains { row in
            let text = cell(skip.column, row).lowercased()
            guard !skip.values.isEmpty else { return !text.isEmpty }
            // A shop's own cell may contain several: `simple, virtual`.
            let words = mapping.shop == nil ? [] : text.split(separator: ",").map { String($0).trimmed }
            return skip.values.contains(text) || words.contains(where: skip.values.contains)
        }
    }

    /// Reports the losses of a row's product.
    private mutating func noteLosses(_ row: Row, _ parent: Row?, _ key: String) {
        let description = value(mapping.description, row, parent)
        for loss in mapping.losses where applies(loss, row, parent) {
            // The value may be the whole description.
            if loss.values.isEmpty, [row, parent].contains(where: { $0.map { cell(loss.column, $0) } == description }) {
                continue
            }
            report.change(key, loss.reason)
        }
        // Paragraphs become lines; links and tables are dropped.
        let plain = #/</?(?:p|br|div|span)\b[^>]*>/#.ignoresCase()
        if mapping.isHTML, description.replacing(plain, with: "").contains(#/<[a-zA-Z]/#) {
            report.change(key, "its description is written as plain text, without the HTML")
        }
    }

    /// The product of a row; `nil` if there is none, which is reported.
    private mutating func product(
        _ row: Row,
        _ parent: Row?,
        isVariant: Bool,
        _ pictures: inout GroupPictures
    ) -> ManifestProduct? {
        let title = PlainText.oneLine(plain(value(mapping.name, row, parent)))
        let variant = isVariant ? optionValues(row) : []
        let ending = variant.isEmpty ? "" : " – " + variant.joined(separator: ", ")
        let name = title + ending
        func leaveOut(_ reason: String, help: String? = nil) -> ManifestProduct? {
            report.leaveOut(row.number, name, because: reason, help: help)
            return nil
        }
        if let reason = skipReason(row, parent) ?? damage(row, parent) { return leaveOut(reason) }
        guard !title.isEmpty else { return leaveOut("no name") }
        var changes = Changes()
        let currency: Currency
        let stock: Int64?
        let prices: Prices
        do throws(PriceFault) {
            currency = try self.currency(row, parent)
            stock = try self.stock(row, &changes)
            prices = try self.prices(row, currency, &changes)
        } catch {
            return leaveOut(error.reason, help: error.help)
        }
        guard name.count >= options.limits.nameLength.lowerBound else { return leaveOut("a name that is too short") }
        var description = description(row, parent)
        // An HTML character reference may decode to a replacement character.
        guard !(name + description).withUTF8Span({ $0.hasLostText }) else { return leaveOut("lost characters") }
        let isGiven = description.isEmpty && options.description != nil
        if isGiven, let text = options.description {
            description = text.split(separator: "{name}", omittingEmptySubsequences: false).joined(separator: name)
        }
        guard description.count >= options.limits.descriptionLength.lowerBound else {
            guard description.isEmpty else { return leaveOut("a description that is too short") }
            let help = "give products a description: --default-description '{name}, as shown'"
            return leaveOut("no description", help: help)
        }
        var product = ManifestProduct(key: key(row, name: name, variant: variant))
        if isGiven { report.change(product.key, "the given description, because the table lacks one") }
        product.added.values.name = cut(
            title,
            keeping: ending,
            to: options.limits.nameLength.upperBound,
            "name",
            product.key
        )
        product.added.values.description = cut(
            description,
            to: options.limits.descriptionLength.upperBound,
            "description",
            product.key
        )
        product.added.values.price = prices.price
        product.added.values.sale = prices.sale
        for change in changes.reasons { report.change(product.key, change) }
        if !changes.respelt.isEmpty {
            report.change(product.key, "a number is read without its separators and units", changes.respelt)
        }
        if !options.limits.takes(currency), options.currency == nil {
            report.change(product.key, "\(currency) joins `limits.currencies`, as with --currency \(currency)")
        }
        noteLosses(row, parent, product.key)
        product.added.values.currency = currency == options.currency ? nil : currency
        product.added.values.stock = stock
        product.added.images = images(row, parent, &pictures, product.key)
        return product
    }

    /// A unique key, from the mapping or from the name.
    private mutating func key(_ row: Row, name: String, variant: [String]) -> String {
        // The parent's key belongs to the parent.
        var key = value(mapping.key, row)
        let hasOwn = variant.isEmpty || mapping.group.map { value($0, row) } != key
        if !hasOwn { key += "-" + KeyMaker.slug(variant.joined(separator: " ")) }
        if key.isEmpty || KeyRules.fault(of: key) != nil { key = KeyMaker.slug(name) }
        if key.isEmpty { key = "row-\(row.number)" }
        key = key.composed
        if key.firstInvisible != nil {
            key.unicodeScalars.removeAll { !$0.isVisible && !$0.properties.isWhitespace }
            report.change(key, "invisible characters of its key are left out")
        }
        guard !keys.insert(key).inserted else { return key }
        var number = nextNumbers[key] ?? 2
        while !keys.insert("\(key)-\(number)").inserted { number += 1 }
        nextNumbers[key] = number + 1
        report.change("\(key)-\(number)", "the key of the row is another product's already")
        return "\(key)-\(number)"
    }

    /// Records the columns with content that was not used.
    private mutating func noteUnused() {
        let used = Set(places.values)
        for (place, name) in header.enumerated() where !used.contains(place) {
            guard rows.contains(where: { !$0.cells[place].isEmpty }) else { continue }
            report.unusedColumns.append(name.isEmpty ? "column \(place + 1)" : name)
        }
    }
}

extension ConversionMapping {
    fileprivate var columns: [String] {
        (Self.templates.compactMap { self[keyPath: $0.path] } + parentNames).flatMap(\.columns) + options
            + (skips + losses).map(\.column) + [parent, inStock].compactMap(\.self)
    }
}
