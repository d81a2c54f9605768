public import OpenMarket

/// Makes a manifest of another shop's table.
public struct TableConverter: Sendable {
    /// What became of a picture that a table names.
    public enum Picture: Hashable, Sendable {
        /// It has this path in the manifest.
        case file(String)
        /// It is left out, for this reason.
        case missing(String)

        /// Nobody has it.
        public static let unknown = Picture.missing("not there as files")
    }

    /// What a product gets that its row says nothing of.
    public struct Options: Sendable {
        /// The currency.
        public var currency: Currency?
        /// The path of a picture for products without one.
        public var placeholder: String?
        /// Finds a picture by its address or name.
        public var picture: @Sendable (String) -> Picture
        /// The limits of the market.
        public var limits: ProductLimits

        /// Options; by default none.
        public init(
            currency: Currency? = nil,
            placeholder: String? = nil,
            limits: ProductLimits = ProductLimits(wholePrices: false),
            picture: @escaping @Sendable (String) -> Picture = { _ in .unknown }
        ) {
            self.currency = currency
            self.placeholder = placeholder
            self.limits = limits
            self.picture = picture
        }
    }

    private struct Row {
        var number: Int
        var cells: [String]
    }

    private let options: Options
    private var mapping: ConversionMapping
    private var places: [String: Int] = [:]
    private var header: [String] = []
    private var rows: [Row] = []
    private var keys: Set<String> = []
    /// What was left out so far.
    private(set) var report = ConversionReport()

    /// Converts a table.
    ///
    /// - Parameters:
    ///   - table: the bytes.
    ///   - mapping: what its columns mean; `nil` finds out whether it is Shopify's or WooCommerce's.
    ///   - name: the table's name for messages.
    ///   - options: what the table does not say.
    /// - Returns: the products, and what was left out.
    /// - Throws: ``ConversionError``.
    public static func convert(
        _ table: [UInt8],
        mapping: ConversionMapping?,
        name: String,
        options: Options
    ) throws(ConversionError) -> (products: [ManifestProduct], report: ConversionReport) {
        var converter = TableConverter(options: options, mapping: mapping ?? ConversionMapping())
        try converter.read(table, name, isKnown: mapping != nil)
        let products = converter.products()
        converter.report.productCount = products.count
        converter.noteUnused()
        return (products, converter.report)
    }

    private init(options: Options, mapping: ConversionMapping) {
        self.options = options
        self.mapping = mapping
    }

    // MARK: Reading

    private mutating func read(_ table: [UInt8], _ name: String, isKnown: Bool) throws(ConversionError) {
        var reader = CSVReader(delimiter: mapping.delimiter)
        reader.feed(table)
        reader.finish()
        do throws(CSVFault) {
            while try reader.next() {
                let cells = (0..<reader.row.count).map { reader.row.text(at: $0) }
                if header.isEmpty, mapping.hasHeader {
                    header = cells
                } else {
                    rows.append(Row(number: reader.row.number, cells: cells))
                }
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
        if !mapping.hasHeader {
            header = (0..<(rows.map(\.cells.count).max() ?? 0)).map { String($0 + 1) }
        } else if !isKnown {
            guard let known = ConversionMapping.known(for: header) else {
                throw ConversionError(
                    "the columns are neither Shopify's nor WooCommerce's",
                    location: SourceLocation(file: name),
                    help: "say in a mapping file which columns are meant: name, price and the rest"
                )
            }
            mapping = known
        }
        for (place, column) in header.enumerated() where places[column] == nil { places[column] = place }
        for column in mapping.columns where places[column] == nil && !mapping.isOptional(column) {
            throw ConversionError(
                "the table has no column '\(column)', which the mapping names",
                location: SourceLocation(file: name),
                help: Suggestion.nearest(to: column, in: header).map { "did you mean '\($0)'?" }
            )
        }
    }

    private func cell(_ column: String, _ row: Row) -> String {
        guard let place = places[column], row.cells.indices.contains(place) else { return "" }
        return row.cells[place].trimmed
    }

    /// The first text of a template of which a row has something; what it lacks comes from another row.
    private func value(_ template: ConversionMapping.Template?, _ row: Row, _ parent: Row? = nil) -> String {
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
        // What Shopify calls the only variant of a product.
        mapping.options.map { cell($0, row) }.filter { !$0.isEmpty && $0 != "Default Title" }
    }

    // MARK: Products

    private mutating func products() -> [ManifestProduct] {
        let parents = parentRows()
        var products: [ManifestProduct] = []
        for group in groups() {
            let hasOptions = group.contains { !optionValues($0).isEmpty }
            let first = group[0]
            if let reason = skipReason(first), group.count > 1 {
                report.leaveOut(first.number, value(mapping.name, first), because: reason)
                continue
            }
            let variants = group.filter { row in
                !value(mapping.price, row).isEmpty && (!hasOptions || !optionValues(row).isEmpty)
            }
            let pictures = group.flatMap { pictureNames($0) }
            for row in group where !variants.contains(where: { $0.number == row.number }) {
                guard row.number != first.number || variants.isEmpty else { continue }
                // A row of a product that has nothing but one more picture.
                if row.number != first.number, value(mapping.price, row).isEmpty { continue }
                let currency = value(mapping.currency, row)
                let isKnown = currency.isEmpty || Currency.known.contains(Currency(rawValue: currency.uppercased()))
                let reason =
                    variants.isEmpty
                    ? skipReason(row) ?? "no price"
                    : isKnown ? "no variant of its product" : "a price in \(currency.excerpt)"
                report.leaveOut(row.number, value(mapping.name, row, first), because: reason)
            }
            for row in variants {
                let parent = group.count > 1 ? first : parents[cell(mapping.parent ?? "", row)]
                if let product = product(row, parent, isVariant: variants.count > 1, others: pictures) {
                    products.append(product)
                }
            }
        }
        return products
    }

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

    /// The rows that others may name as their parents.
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

    private func skipReason(_ row: Row) -> String? {
        mapping.skips.first { $0.values.contains(cell($0.column, row).lowercased()) }?.reason
    }

    private func pictureNames(_ row: Row) -> [String] {
        let text = value(mapping.images, row)
        let separator = mapping.imageSeparator
        let parts = separator.isEmpty ? [text[...]] : text.split(separator: separator)
        return parts.map { String($0).trimmed }.filter { !$0.isEmpty }
    }

    /// The product of a row; `nil` where none can be made of it, which is reported.
    private mutating func product(
        _ row: Row,
        _ parent: Row?,
        isVariant: Bool,
        others: [String]
    ) -> ManifestProduct? {
        var name = plain(value(mapping.name, row, parent)).split(whereSeparator: \.isNewline).joined(separator: " ")
        func leaveOut(_ reason: String) -> ManifestProduct? {
            report.leaveOut(row.number, name, because: reason)
            return nil
        }
        if let reason = skipReason(row) { return leaveOut(reason) }
        let variant = isVariant ? optionValues(row) : []
        if !variant.isEmpty { name += " – " + variant.joined(separator: ", ") }
        let currencyCode = value(mapping.currency, row, parent)
        guard let currency = currencyCode.isEmpty ? options.currency : Currency(rawValue: currencyCode.uppercased()),
            Currency.known.contains(currency)
        else {
            return leaveOut(currencyCode.isEmpty ? "no currency" : "a price in \(currencyCode.excerpt)")
        }
        let price: ExactDecimal
        let reduction: ManifestProduct.Reduction?
        switch prices(row, currency) {
        case .failure(let fault): return leaveOut(fault.reason)
        case .success(let found): (price, reduction) = found
        }
        guard name.count >= options.limits.nameLength.lowerBound else { return leaveOut("a name that is too short") }
        let description = plain(value(mapping.description, row, parent))
        guard description.count >= options.limits.descriptionLength.lowerBound else {
            return leaveOut(description.isEmpty ? "no description" : "a description that is too short")
        }
        var product = ManifestProduct(key: "")
        product.key = key(row, name: name, variant: variant)
        product.name = cut(name, to: options.limits.nameLength.upperBound, "name", product.key)
        product.description = cut(
            description,
            to: options.limits.descriptionLength.upperBound,
            "description",
            product.key
        )
        product.price = price
        product.reduction = reduction
        product.currency = currency == options.currency ? nil : currency
        product.stock = stock(row, product.key)
        product.images = images(row, parent, others, product.key)
        return product
    }

    private func plain(_ text: String) -> String {
        mapping.isHTML ? PlainText.text(ofHTML: text) : PlainText.tidied(text)
    }

    private mutating func cut(_ text: String, to length: Int, _ what: String, _ key: String) -> String {
        guard text.count > length else { return text }
        report.change(key, "the \(what) is cut to \(length) characters")
        return String(text.prefix(length - 1)).trimmed + "…"
    }

    /// A key of the mapping, or of the name; each once.
    private mutating func key(_ row: Row, name: String, variant: [String]) -> String {
        // The parent's key is the parent's.
        var key = value(mapping.key, row)
        let hasOwn = variant.isEmpty || mapping.group.map { value($0, row) } != key
        if !hasOwn { key += "-" + KeyMaker.slug(variant.joined(separator: " ")) }
        if key.isEmpty || ProductDecoder.fault(ofKey: key) != nil { key = KeyMaker.slug(name) }
        if key.isEmpty { key = "row-\(row.number)" }
        key = key.composed
        guard !keys.insert(key).inserted else { return key }
        var number = 2
        while !keys.insert("\(key)-\(number)").inserted { number += 1 }
        report.change("\(key)-\(number)", "the key of the row is another product's already")
        return "\(key)-\(number)"
    }

    private struct PriceFault: Error { var reason: String }

    private func prices(
        _ row: Row,
        _ currency: Currency
    ) -> Result<(ExactDecimal, ManifestProduct.Reduction?), PriceFault> {
        func amount(_ template: ConversionMapping.Template?) -> Result<ExactDecimal?, PriceFault> {
            let text = value(template, row)
            guard !text.isEmpty else { return .success(nil) }
            let plain = text.hasPrefix(".") ? "0" + text : text
            let number = NumberSpelling.isDecimal(plain) ? plain : NumberSpelling.plain(plain) ?? ""
            guard let amount = ExactDecimal(number), !amount.isNegative else {
                return .failure(PriceFault(reason: "a price that is no number"))
            }
            guard Int(amount.scale) <= (options.limits.wholePrices ? 0 : currency.fractionDigits) else {
                return .failure(PriceFault(reason: "a price with more digits after the point than \(currency) has"))
            }
            return .success(amount)
        }
        do {
            guard let price = try amount(mapping.price).get() else { return .failure(PriceFault(reason: "no price")) }
            if let before = try amount(mapping.comparePrice).get(), before > price {
                return .success((before, .salePrice(price)))
            }
            guard let sale = try amount(mapping.salePrice).get(), sale < price else { return .success((price, nil)) }
            return .success((price, .salePrice(sale)))
        } catch {
            return .failure(error)
        }
    }

    private mutating func stock(_ row: Row, _ key: String) -> ManifestProduct.Stock? {
        let text = value(mapping.stock, row)
        guard !text.isEmpty else { return nil }
        guard NumberSpelling.isDecimal(text), let units = ExactDecimal(text)?.wholeValue else {
            report.change(key, "the stock is no whole number, and left out")
            return nil
        }
        guard units >= 0 else {
            report.change(key, "the stock is below 0, and written as 0")
            return .units(0)
        }
        return .units(units)
    }

    private mutating func images(_ row: Row, _ parent: Row?, _ others: [String], _ key: String) -> [String]? {
        var names: [String] = []
        for name in pictureNames(row) + others + (parent.map { pictureNames($0) } ?? []) where !names.contains(name) {
            names.append(name)
        }
        var images: [String] = []
        for name in names {
            switch options.picture(name) {
            case .file(let path): if !images.contains(path) { images.append(path) }
            case .missing(let reason): report.miss(name, because: reason)
            }
        }
        let most = options.limits.imageCount.upperBound
        if images.count > most {
            report.change(key, "more than \(most) pictures")
            images.removeLast(images.count - most)
        }
        guard images.isEmpty else { return images }
        guard let placeholder = options.placeholder else {
            report.change(key, "no picture: the market takes no product without one")
            return nil
        }
        report.change(key, "the placeholder in the place of a picture")
        return [placeholder]
    }

    /// Notes the columns that hold something and that nothing was taken from.
    private mutating func noteUnused() {
        let used = Set(mapping.columns)
        report.unusedColumns = header.enumerated().filter { place, name in
            !used.contains(name) && rows.contains { $0.cells.indices.contains(place) && !$0.cells[place].isEmpty }
        }.map { $0.element.isEmpty ? "column \($0.offset + 1)" : $0.element }
    }
}

extension ConversionMapping {
    /// All columns that it names.
    fileprivate var columns: [String] {
        let templates =
            [
                group, key, name, description, price, salePrice, comparePrice, currency, stock, images,
            ].compactMap(\.self) + parentNames
        return templates.flatMap(\.columns) + options + skips.map(\.column) + (parent.map { [$0] } ?? [])
    }

    /// Whether a table may lack a column: other versions of the same shop do not have all.
    fileprivate func isOptional(_ column: String) -> Bool {
        ![key, name, price].contains { $0?.columns.contains(column) == true }
    }
}
