import OpenMarket
import YAML

/// Reads the nodes of manifest files into listings and sections, and notes every fault.
///
/// What depends on other files (the defaults, the deployment, its limits) is not known while a product is read; that is
/// checked once all files are (``finish()``).
struct ManifestDecoder {
    /// What is known of a listing until everything was read, kept apart so that listings stay what they are.
    struct Draft {
        /// The manifest file.
        var file: Int
        /// Its number among the file's products, from 0.
        var index: UInt32
        /// The first of its pictures in ``ManifestDecoder/mentions``.
        var firstMention: UInt32
        /// How many pictures it names.
        var mentionCount: UInt16 = 0
        /// Which of them is the thumbnail.
        var thumbnail: UInt16?
        /// The fields written, the faulty ones too.
        var written: FieldSet = FieldSet()
        /// Whether something is wrong with it.
        var isFaulty = false
        /// Whether `protected:` is written.
        var setsProtected = false
        /// Whether `state:` or `id:` is faulty, so that nobody knows what else is needed.
        var needIsUnclear = false
        /// Whether the sale is written as an amount off.
        var hasDiscount = false
    }

    /// A picture that a product names.
    struct Mention {
        /// Its number in the ``PictureCatalog``.
        var picture: Int32
        /// Where it is named.
        var position: SourcePosition
    }

    /// The `defaults:` section.
    struct Defaults {
        var currency: Currency?
        var stock: Int64?
        var isStockInitial = false
        var ignoreChanges: Set<ProductField> = []
        var isProtected = false
    }

    /// A key that a product had before.
    struct FormerKey {
        var name: String
        var listing: Int
        var span: SourceSpan
    }

    let options: ManifestOptions
    var sources: [ManifestSource] = []
    var log = DiagnosticLog()
    var pictures = PictureCatalog()

    var market = MarketSettings()
    var limitChanges: [ManifestSchema.LimitKey: (value: Int, span: SourceSpan, file: Int)] = [:]
    var defaults = Defaults()
    var policies = Policies()
    var listings: [Listing] = []
    var drafts: [Draft] = []
    var mentions: [Mention] = []
    var formerKeys: [FormerKey] = []

    /// The paths of each manifest file that were found under another spelling: the first, and how many there are.
    var respelt: [Int: (path: String, span: SourceSpan, count: Int)] = [:]

    /// Where each section was found.
    var sections: [ManifestSchema.Section: SourceLocation] = [:]
    /// The listings by key, to find one that stands twice.
    var keys = ListingIndex()
    /// The files read beside the manifest files, by absolute path.
    private(set) var inputs: Set<ExactText> = []
    /// The path of what is being read: `market`, `products[3]`; empty at the top.
    var scope = ""
    /// The product being read; its path is made only when it is needed.
    var productIndex: Int?
    /// Whether something was wrong with what is being read.
    var isFaulty = false
    /// The fields without which the market takes no new product; settled once all files are read.
    var requiredFields = FieldSet()

    init(options: ManifestOptions) {
        self.options = options
    }

    /// Notes a file that is read beside the manifest files.
    mutating func noteInput(_ path: String) { inputs.insert(ExactText(path)) }

    /// The file being read.
    var file: Int { sources.count - 1 }

    // MARK: Reporting

    /// Notes an error in the file being read.
    mutating func report(
        _ message: String,
        at span: SourceSpan?,
        field: String = "",
        help: String? = nil,
        notes: [Diagnostic.Note] = [],
        quotesSource: Bool = false
    ) {
        isFaulty = true
        add(
            .error,
            message,
            file: file,
            span: span,
            path: path(of: field),
            help: help,
            notes: notes,
            quotesSource: quotesSource
        )
    }

    /// Notes an error or a warning in any file.
    mutating func add(
        _ severity: Diagnostic.Severity,
        _ message: String,
        file: Int,
        span: SourceSpan?,
        path: String = "",
        help: String? = nil,
        notes: [Diagnostic.Note] = [],
        quotesSource: Bool = false
    ) {
        let location =
            sources.indices.contains(file) ? SourceLocation(file: sources[file].name, position: span?.start) : nil
        log.add(
            Diagnostic(severity, message, location: location, path: path, help: help, notes: notes),
            file: file,
            span: span,
            quotesSource: quotesSource
        )
    }

    /// Keeps what stands under a name that is close to a secret's out of every code frame.
    mutating func conceal(_ key: YAMLNode.Key, _ value: YAMLNode) {
        if SecretKey.isClose(key.name) { return conceal(value) }
        for node in [value] + (value.items ?? []) {
            for pair in node.pairs ?? [] { conceal(pair.key, pair.value) }
        }
    }

    /// Keeps every text in a node out of every code frame.
    mutating func conceal(_ node: YAMLNode) {
        switch node.content {
        case .scalar(let text, _):
            guard node.tag != "!env", node.tag != "!file", !node.isNull else { return }
            log.secrets.append(Secret(text))
            // A text of several lines stands in pieces there.
            guard node.start.line != node.end.line else { return }
            for piece in text.split(whereSeparator: \.isWhitespace) { log.secrets.append(Secret(String(piece))) }
        case .sequence(let items):
            for item in items { conceal(item) }
        case .mapping(let pairs):
            for pair in pairs {
                log.secrets.append(Secret(pair.key.name))
                conceal(pair.value)
            }
        }
    }

    /// Notes that a path was found under another spelling; said once for each manifest file, for an archive that a Mac
    /// made has all names so.
    mutating func noteRespelt(_ path: String, file: Int, span: SourceSpan) {
        let first = respelt[file]
        respelt[file] = (first?.path ?? path, first?.span ?? span, (first?.count ?? 0) + 1)
    }

    /// A place in the file being read.
    func location(_ mark: YAMLMark) -> SourceLocation {
        SourceLocation(file: sources[file].name, position: SourcePosition(mark))
    }

    private func path(of field: String) -> String {
        let start = productIndex.map { "products[\($0)]" } ?? scope
        return start.isEmpty || field.isEmpty || field.hasPrefix("[") ? start + field : start + "." + field
    }

    // MARK: Files

    /// Reads a file; what ends the reading early is noted like any other fault.
    mutating func decode(_ source: ManifestSource, onChunk: @escaping ([UInt8]) -> Void) {
        sources.append(source)
        scope = ""
        do throws(YAMLError) {
            let reader = YAMLEventReader { () throws(YAMLError) -> [UInt8] in
                let chunk = try source.nextChunk()
                onChunk(chunk)
                return chunk
            }
            var composer = try YAMLComposer(reader)
            do throws(YAMLError) {
                try decodeRoot(&composer)
            } catch {
                report(composer.takeFaults())
                throw error
            }
            report(composer.takeFaults())
        } catch {
            productIndex = nil
            scope = ""
            report([error])
        }
        source.close()
    }

    private mutating func decodeRoot(_ composer: inout YAMLComposer) throws(YAMLError) {
        guard try composer.start() else { return }
        guard composer.isAtMapping else {
            let node = try composer.compose()
            if !node.isNull {
                report(
                    "a manifest is a mapping, and this is \(Self.describe(node))",
                    at: node.span,
                    help: "it begins with a line such as 'products:'"
                )
            }
            return try composer.finish()
        }
        try composer.enterMapping()
        var merged: [YAMLNode.Pair] = []
        var here: Set<String> = []
        while let key = try composer.nextKey() {
            if key.name == "<<", key.isPlain {
                let node = try composer.compose()
                for mapping in node.items ?? [node] { merged += mapping.pairs ?? [] }
                continue
            }
            here.insert(key.name)
            if key.name == ManifestSchema.Section.products.rawValue, composer.isAtSequence {
                try decodeProducts(&composer)
            } else {
                decodeSection(key, try composer.compose())
            }
            report(composer.takeFaults())
        }
        for pair in merged where here.insert(pair.key.name).inserted {
            decodeSection(pair.key, pair.value)
        }
        try composer.finish()
    }

    private mutating func decodeProducts(_ composer: inout YAMLComposer) throws(YAMLError) {
        try composer.enterSequence()
        var index = 0
        while try composer.hasNextItem() {
            let node = try composer.compose()
            productIndex = index
            decodeProduct(node)
            let faults = composer.takeFaults()
            if !faults.isEmpty {
                report(faults)
                // A key that stands twice: nobody knows which value was meant.
                if listings.count > 0, drafts[listings.count - 1].index == index,
                    drafts[listings.count - 1].file == file
                {
                    drafts[listings.count - 1].isFaulty = true
                }
            }
            index += 1
            if index == 1024 { reserve(after: index) }
        }
        productIndex = nil
    }

    /// Makes room for as many products as the file seems to have: growing step by step would hold them twice.
    private mutating func reserve(after count: Int) {
        let source = sources[file]
        guard let size = source.size, source.bytesRead > 0, size > source.bytesRead else { return }
        let expected = Double(count) * Double(size) / Double(source.bytesRead) * 1.05
        // A file whose products get much larger further down must not ask for the moon.
        let capacity = listings.count + min(Int(expected), 4_000_000)
        listings.reserveCapacity(capacity)
        drafts.reserveCapacity(capacity)
    }

    private mutating func decodeSection(_ key: YAMLNode.Key, _ node: YAMLNode) {
        guard let section = ManifestSchema.Section(rawValue: key.name) else {
            guard !key.name.hasPrefix("x-") else { return }
            conceal(key, node)
            report(
                "unknown key '\(Self.shown(key.name))'",
                at: key.span,
                field: Self.shown(key.name),
                help: ManifestSchema.Section.nearest(to: key.name).map { "did you mean '\($0)'?" }
                    ?? "a manifest has \(ManifestSchema.Section.names.listed("and")); keys of your own begin with 'x-'"
            )
            return
        }
        if section != .products {
            if let first = sections[section] {
                report(
                    "'\(section)' is given a second time",
                    at: key.span,
                    field: key.name,
                    help: "it comes from one file of a run",
                    notes: [Diagnostic.Note("it was given first here", location: first)]
                )
                return
            }
            sections[section] = location(key.start)
        }
        guard !node.isNull else {
            let empty = section == .products ? "write 'products: []' for none" : "leave the key out"
            report("'\(section)' has no value", at: key.span, field: key.name, help: empty)
            return
        }
        switch section {
        case .market: inScope("market") { $0.decodeMarket(node) }
        case .defaults: inScope("defaults") { $0.decodeDefaults(node) }
        case .policies: inScope("policies") { $0.decodePolicies(node) }
        case .products:
            guard let items = node.items else {
                report(
                    "'products' must be a list, and this is \(Self.describe(node))",
                    at: node.span,
                    field: "products",
                    help: "begin each product with '- key: …'"
                )
                return
            }
            for (index, item) in items.enumerated() {
                productIndex = index
                decodeProduct(item)
            }
            productIndex = nil
        }
    }

    private mutating func inScope(_ name: String, _ body: (inout ManifestDecoder) -> Void) {
        scope = name
        body(&self)
        scope = ""
    }

    /// Notes what the YAML reader found.
    private mutating func report(_ errors: [YAMLError]) {
        for error in errors {
            var position = error.mark.map { SourcePosition($0) }
            if position == nil, let offset = error.byteOffset { position = self.position(ofByte: offset) }
            let note = error.context.map { context in
                Diagnostic.Note(context, location: error.contextMark.map { location($0) })
            }
            report(
                error.message,
                at: position.map { SourceSpan(start: $0, length: 1) },
                help: error.help,
                notes: note.map { [$0] } ?? [],
                quotesSource: true
            )
        }
    }

    /// The place of a byte of the file being read.
    private func position(ofByte offset: Int) -> SourcePosition {
        var lines = SourceLines()
        var rest = offset
        sources[file].reread { chunk in
            lines.consume(chunk.prefix(rest))
            rest -= min(rest, chunk.count)
            return rest > 0
        }
        return SourcePosition(line: lines.line, column: lines.column + 1)
    }
}

/// A set of the eight fields of a product, in a byte.
struct FieldSet {
    private var bits: UInt8 = 0

    /// No fields, or some.
    init(_ fields: some Sequence<ProductField> = []) {
        for field in fields { self[field] = true }
    }

    /// Whether all fields of another set are in this one.
    func contains(_ other: FieldSet) -> Bool {
        bits & other.bits == other.bits
    }

    /// Whether a field is in the set.
    subscript(field: ProductField) -> Bool {
        get { bits & Self.bit(field) != 0 }
        set { bits = newValue ? bits | Self.bit(field) : bits & ~Self.bit(field) }
    }

    private static func bit(_ field: ProductField) -> UInt8 {
        switch field {
        case .name: 1
        case .description: 2
        case .price: 4
        case .currency: 8
        case .salePrice: 16
        case .stock: 32
        case .images: 64
        case .thumbnail: 128
        }
    }
}
