import OpenMarket
import YAML

/// Reads the nodes of manifest files into listings and sections, and notes every fault.
///
/// What depends on other files (the defaults, the deployment, its limits) is not known while a product is read;
/// ``ManifestChecker`` checks that once all files are.
struct ManifestDecoder {
    let options: ManifestOptions
    var log = DiagnosticLog()
    var sections = ManifestSections()
    var products = ListingDrafts()

    /// Where each section was found.
    private var places: [ManifestSchema.Section: SourceLocation] = [:]
    /// The files read beside the manifest files, by absolute path.
    private(set) var inputs: Set<ExactText> = []
    /// The path of what is being read: `market`, `products[3]`; empty at the top.
    var scope = ""
    /// The product being read; its path is made only when it is needed.
    var productIndex: Int?
    /// Whether something was wrong with what is being read.
    var isFaulty = false

    init(options: ManifestOptions) { self.options = options }

    /// Notes a file that is read beside the manifest files.
    mutating func noteInput(_ path: String) { inputs.insert(ExactText(path)) }

    /// The file being read.
    var file: Int { log.file }

    /// Checks what was read, and puts the manifest together.
    ///
    /// - Parameter digest: of all files' bytes.
    /// - Returns: the manifest with all diagnostics.
    mutating func finish(digest: ContentDigest) -> LoadedManifest {
        // Taken out of here: a second reference would copy all products.
        var products = ListingDrafts()
        var log = DiagnosticLog()
        swap(&products, &self.products)
        swap(&log, &self.log)
        var checker = ManifestChecker(
            options: options,
            sections: sections,
            products: consume products,
            log: consume log
        )
        return checker.check(digest: digest, inputs: inputs)
    }

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
        log.add(
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

    /// Keeps what stands under a name that is close to a secret's out of every code frame.
    mutating func conceal(_ key: YAMLNode.Key, _ value: YAMLNode) {
        if SecretKey.isClose(key.name) { return conceal(value) }
        for node in [value] + (value.items ?? []) { for pair in node.pairs ?? [] { conceal(pair.key, pair.value) } }
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
        case .sequence(let items): for item in items { conceal(item) }
        case .mapping(let pairs):
            for pair in pairs {
                log.secrets.append(Secret(pair.key.name))
                conceal(pair.value)
            }
        }
    }

    /// A place in the file being read.
    func location(_ mark: YAMLMark) -> SourceLocation {
        SourceLocation(file: log.sources[file].name, position: SourcePosition(mark))
    }

    private func path(of field: String) -> String {
        let start = productIndex.map { "products[\($0)]" } ?? scope
        return start.isEmpty || field.isEmpty || field.hasPrefix("[") ? start + field : start + "." + field
    }

    // MARK: Files

    /// Reads a file; what ends the reading early is noted like any other fault.
    mutating func decode(_ source: ManifestSource, onChunk: @escaping ([UInt8]) -> Void) {
        log.begin(source)
        scope = ""
        do throws(YAMLError) {
            let reader = YAMLEventReader { () throws(YAMLError) -> [UInt8] in
                let chunk = try source.nextChunk()
                onChunk(chunk)
                return chunk
            }
            var composer = try YAMLComposer(reader)
            do throws(YAMLError) { try decodeRoot(&composer) } catch {
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
        for pair in merged where here.insert(pair.key.name).inserted { decodeSection(pair.key, pair.value) }
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
                let last = products.drafts.count - 1
                if last >= 0, products.drafts[last].index == index, products.drafts[last].file == file {
                    products.drafts[last].isFaulty = true
                }
            }
            index += 1
            if index == 1024 { reserve(after: index) }
        }
        productIndex = nil
    }

    /// Makes room for as many products as the file seems to have: growing step by step would hold them twice.
    private mutating func reserve(after count: Int) {
        let source = log.sources[file]
        guard let size = source.size, source.bytesRead > 0, size > source.bytesRead else { return }
        let expected = Double(count) * Double(size) / Double(source.bytesRead) * 1.05
        // A file whose products get much larger further down must not ask for the moon.
        products.reserveCapacity(products.listings.count + min(Int(expected), 4_000_000))
    }

    private mutating func decodeSection(_ key: YAMLNode.Key, _ node: YAMLNode) {
        guard let section = ManifestSchema.Section(rawValue: key.name) else {
            guard !key.name.hasPrefix("x-") else { return }
            conceal(key, node)
            report(
                "unknown key '\(key.name.excerpt)'",
                at: key.span,
                field: key.name.excerpt,
                help: ManifestSchema.Section.nearest(to: key.name).map { "did you mean '\($0)'?" }
                    ?? "a manifest has \(ManifestSchema.Section.names.listed("and")); keys of your own begin with 'x-'"
            )
            return
        }
        if section != .products {
            if let first = places[section] {
                report(
                    "'\(section)' is given a second time",
                    at: key.span,
                    field: key.name,
                    help: "it comes from one file of a run",
                    notes: [Diagnostic.Note("it was given first here", location: first)]
                )
                return
            }
            places[section] = location(key.start)
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
        log.sources[file].reread { chunk in
            lines.consume(chunk.prefix(rest))
            rest -= min(rest, chunk.count)
            return rest > 0
        }
        return SourcePosition(line: lines.line, column: lines.column + 1)
    }
}
