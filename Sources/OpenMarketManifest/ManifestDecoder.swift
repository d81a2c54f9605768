import OpenMarket
import YAML

/// A path in an `include` section, and its position.
struct ManifestInclude {
    /// Relative to the working directory.
    var path: String
    var span: SourceSpan
    var file: Int
}

/// Passes the sections and products of manifest files to their decoders.
///
/// Facts from other files (the defaults, the profile, its limits) are unknown while a product is read;
/// ``ManifestChecker`` checks them after all files.
struct ManifestDecoder {
    private var values: ValueDecoder
    private var sections = ManifestSections()
    private var sectionPlaces: [ManifestSchema.Section: SourceLocation] = [:]
    private var productCount = 0
    private var isReserved = false
    /// Whether the rows of tables are the products, and those in YAML are passed over.
    var takesTablesOnly = false
    private var reader = CSVReader()
    private var table = TableDecoder()
    private var hasHeader = false
    /// The includes of the present file.
    private var includes: [ManifestInclude] = []
    /// Whether the file's products continue after a key with too little indentation.
    private var isProductCut = false

    init(options: ManifestOptions) { values = ValueDecoder(options: options) }

    /// Checks the sections and products, and creates the manifest with all diagnostics.
    ///
    /// `digest` covers the bytes of all files.
    mutating func finish(digest: ContentDigest) -> LoadedManifest {
        // Moved out: a second reference would copy all products.
        var products = ListingDrafts()
        var log = DiagnosticLog()
        swap(&products, &values.products)
        swap(&log, &values.log)
        var checker = ManifestChecker(
            options: values.options,
            sections: sections,
            places: values.places,
            products: consume products,
            log: consume log
        )
        checker.lostDefaults = values.lostDefaults
        return checker.check(digest: digest, fetched: values.fetched)
    }

    mutating func begin(_ source: ManifestSource) {
        values.begin(source)
        (reader, table, hasHeader) = (CSVReader(), TableDecoder(), false)
        productCount = 0
        values.products.notesTextEnds = false
        isProductCut = false
    }

    /// Marks the last product of the file as faulty, and perhaps as incomplete.
    private mutating func doubtLastProduct(isCut: Bool) {
        let last = values.products.drafts.count - 1
        guard last >= 0, values.products.drafts[last].file == values.file,
            values.products.drafts[last].index == productCount - 1
        else { return }
        if isCut { values.products.drafts[last].needIsUnclear = true }
        values.products.drafts[last].isFaulty = true
    }

    /// Whether a top-level key belongs to the section before it, but has too little indentation; reported once.
    private mutating func isMisplaced(_ key: YAMLNode.Key) -> Bool {
        if values.strayKeys.contains(key.name) { return true }
        guard productCount > 0, ProductKey(rawValue: key.name) != nil else { return false }
        guard !isProductCut else { return true }
        isProductCut = true
        doubtLastProduct(isCut: true)
        values.report(
            .unknownKey,
            "'\(key.name)' is a key of products, and is outside of them",
            at: key.span,
            field: key.name,
            help: "indent it like the other keys of its product"
        )
        return true
    }

    /// Whether `state` here is the key of a product with too little indentation.
    private func isTombstone(_ section: ManifestSchema.Section, _ node: YAMLNode) -> Bool {
        section == .state && productCount > 0 && node.text.map(ProductKey.state.entry.type.choices.contains) == true
    }

    mutating func decodeTable(_ chunk: [UInt8], isLast: Bool) {
        reader.feed(chunk)
        if isLast { reader.finish() }
        do throws(CSVFault) {
            while try reader.next() {
                if hasHeader {
                    table.decode(reader.row, &values)
                    if reader.endsInRow, let cell = table.noteOpenEnd(of: reader.row, &values) {
                        values.products.openCells.append(cell)
                    }
                } else {
                    hasHeader = true
                    table.isGuarded = reader.hasMark
                    table.decodeHeader(reader.row, &values)
                }
            }
        } catch {
            table.report(error, &values)
            // An unreadable header is not an empty table.
            if !hasHeader { values.log.sources[values.file].header = [] }
        }
        guard isLast, !hasHeader, values.log.sources[values.file].header == nil else { return }
        values.log.sources[values.file].header = []
        values.log.add(
            .error,
            .tableColumn,
            "the table is empty: it has not even a header",
            file: values.file,
            help: "the first row names the columns, as `openmarket export` does"
        )
    }

    /// Reports that a file could not be read completely.
    mutating func report(_ error: YAMLError) { values.report([error]) }

    mutating func decode(_ batch: ManifestBatch) {
        values.log.sources[values.file].keep(batch.chunks)
        if !values.products.notesTextEnds {
            // libyaml reads ahead: it reads a comment before it returns the text that the comment ends.
            values.products.notesTextEnds = batch.chunks.contains { $0.withUnsafeBytes(TextComments.mayBegin) }
        }
        for piece in batch.pieces { decode(piece) }
        if productCount >= 1024, !isReserved {
            isReserved = true
            reserve(for: batch)
        }
    }

    private mutating func decode(_ piece: ManifestPiece) {
        switch piece {
        case .root(let node):
            guard !node.isNull else { return }
            values.report(
                .wrongType,
                "a manifest is a mapping, and this is \(ValueDecoder.describe(node))",
                at: node.span,
                help: "it begins with a line such as 'products:'"
            )
        case .section(let key, let node): decodeSection(key, node)
        case .products where takesTablesOnly: break
        case .products(let items):
            for item in items {
                values.scope = .product(productCount)
                ProductDecoder.decode(item, index: productCount, &values)
                productCount += 1
            }
        case .productFaults(let faults):
            values.report(values.hasStrayProduct ? faults.filter { $0.kind != .duplicateKey } : faults)
            values.hasStrayProduct = false
            // A repeated key: the intended value is unknown.
            doubtLastProduct(isCut: false)
        case .endOfProducts: values.scope = .root
        case .faults(let faults): values.report(faults)
        case .failure(let error):
            values.scope = .root
            values.report([error])
            // Missing keys may follow the point that reading ended at.
            doubtLastProduct(isCut: true)
        }
    }

    /// Reserves memory for the estimated number of products: growing step by step would need twice as much.
    private mutating func reserve(for batch: ManifestBatch) {
        let source = values.log.sources[values.file]
        guard let size = source.size, batch.bytesRead > 0, size > batch.bytesRead else { return }
        // The reader is ahead of the decoder, and unused memory costs nothing.
        let expected = Double(productCount) * Double(size) / Double(batch.bytesRead) * 1.2
        // A file whose later products are much larger must not reserve too much.
        values.products.reserveCapacity(values.products.listings.count + min(Int(expected), 4_000_000))
    }

    private mutating func decodeIncludes(_ node: YAMLNode) {
        let field = ManifestSchema.Section.include.rawValue
        guard let items = node.items, !items.isEmpty else {
            values.report(
                .wrongType,
                "'include' must be a list of files or folders, and this is \(ValueDecoder.describe(node))",
                at: node.span,
                field: field,
                help: "write 'include: [catalog]'"
            )
            return
        }
        for item in items {
            guard let text = values.text(item, field: field) else { continue }
            let path = values.log.sources[values.file].path(text.value)
            includes.append(ManifestInclude(path: path, span: item.span, file: values.file))
        }
    }

    /// The files and folders that the file read last includes.
    mutating func takeIncludes() -> [ManifestInclude] {
        defer { includes = [] }
        return includes
    }

    /// The resolved folder of the present file.
    var folder: String { values.log.sources[values.file].resolvedFolder }

    mutating func report(_ message: String, at include: ManifestInclude, help: String? = nil) {
        values.log.add(.error, .unreadableFile, message, file: include.file, span: include.span, help: help)
    }

    private mutating func decodeSection(_ key: YAMLNode.Key, _ node: YAMLNode) {
        guard let section = ManifestSchema.Section(rawValue: key.name), !isTombstone(section, node) else {
            guard !key.name.hasPrefix("x-") else { return }
            values.conceal(key, node)
            if isMisplaced(key) { return }
            values.report(
                .unknownKey,
                "unknown key '\(key.name.excerpt)'",
                at: key.span,
                field: key.name.excerpt,
                help: ManifestSchema.Section.nearest(to: key.name).map { "did you mean '\($0)'?" }
                    ?? "a manifest has \(ManifestSchema.Section.names.listed("and")); keys of your own begin with 'x-'"
            )
            return
        }
        if section != .products, section != .include, let first = sectionPlaces[section] {
            values.report(
                .repeatedSection,
                "'\(section)' is given a second time",
                at: key.span,
                field: key.name,
                help: "it may be set in only one file",
                notes: [Diagnostic.Note("it was given first here", location: first)]
            )
            return
        }
        sectionPlaces[section] = values.location(key.start)
        guard !node.isNull else {
            let empty =
                switch section {
                case .products: "write 'products: []' for none"
                case .state: "name a file or a postgresql:// address, or leave it out"
                default: "indent its content below it, or leave it out"
                }
            values.expectStray(ManifestSchema.keyNames(of: section))
            values.report(.noValue, "'\(section)' has no value", at: key.span, field: key.name, help: empty)
            return
        }
        if ![.products, .state, .include].contains(section) { values.scope = .section(section) }
        defer { values.scope = .root }
        switch section {
        case .market:
            sections.market.file = values.log.sources[values.file].name
            values.read(node, as: ManifestSchema.MarketKey.self, into: &sections)
        case .state: sections.market.state = values.state(node)
        case .defaults: values.read(node, as: ManifestSchema.DefaultsKey.self, into: &sections)
        case .policies: values.read(node, as: ManifestSchema.PoliciesKey.self, into: &sections)
        case .include: decodeIncludes(node)
        case .adjust: values.adjustments(node, into: &sections)
        case .products:
            let items = values.items(node, "products", help: "begin each product with '- key: …'")
            guard !takesTablesOnly else { return }
            for (index, item) in (items ?? []).enumerated() {
                values.scope = .product(index)
                ProductDecoder.decode(item, index: index, &values)
            }
        }
    }
}
