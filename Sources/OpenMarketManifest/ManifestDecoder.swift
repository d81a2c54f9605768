import OpenMarket
import YAML

/// Reads manifest files from end to end, and hands their sections and products on to their decoders.
///
/// What depends on other files (the defaults, the deployment, its limits) is not known while a product is read;
/// ``ManifestChecker`` checks that once all files are.
struct ManifestDecoder {
    private var values: ValueDecoder
    private var sections = SectionDecoder()
    private var products = ListingDrafts()

    init(options: ManifestOptions) { values = ValueDecoder(options: options) }

    /// Checks what was read, and puts the manifest together.
    ///
    /// - Parameter digest: of all files' bytes.
    /// - Returns: the manifest with all diagnostics.
    mutating func finish(digest: ContentDigest) -> LoadedManifest {
        // Taken out of here: a second reference would copy all products.
        var products = ListingDrafts()
        var log = DiagnosticLog()
        swap(&products, &self.products)
        swap(&log, &values.log)
        var checker = ManifestChecker(
            options: values.options,
            sections: sections.sections,
            products: consume products,
            log: consume log
        )
        return checker.check(digest: digest, inputs: values.inputs)
    }

    /// Reads a file; what ends the reading early is noted like any other fault.
    mutating func decode(_ source: ManifestSource, onChunk: @escaping ([UInt8]) -> Void) {
        values.log.begin(source)
        values.scope = .root
        do throws(YAMLError) {
            let reader = YAMLEventReader { () throws(YAMLError) -> [UInt8] in
                let chunk = try source.nextChunk()
                onChunk(chunk)
                return chunk
            }
            var composer = try YAMLComposer(reader)
            do throws(YAMLError) { try decodeRoot(&composer) } catch {
                values.report(composer.takeFaults())
                throw error
            }
            values.report(composer.takeFaults())
        } catch {
            values.scope = .root
            values.report([error])
        }
        source.close()
    }

    private mutating func decodeRoot(_ composer: inout YAMLComposer) throws(YAMLError) {
        guard try composer.start() else { return }
        guard composer.isAtMapping else {
            let node = try composer.compose()
            if !node.isNull {
                values.report(
                    "a manifest is a mapping, and this is \(ValueDecoder.describe(node))",
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
            values.report(composer.takeFaults())
        }
        for pair in merged where here.insert(pair.key.name).inserted { decodeSection(pair.key, pair.value) }
        try composer.finish()
    }

    private mutating func decodeProducts(_ composer: inout YAMLComposer) throws(YAMLError) {
        try composer.enterSequence()
        var index = 0
        while try composer.hasNextItem() {
            let node = try composer.compose()
            values.scope = .product(index)
            ProductDecoder.decode(node, index: index, &values, into: &products)
            let faults = composer.takeFaults()
            if !faults.isEmpty {
                values.report(faults)
                // A key that stands twice: nobody knows which value was meant.
                let last = products.drafts.count - 1
                if last >= 0, products.drafts[last].index == index, products.drafts[last].file == values.file {
                    products.drafts[last].isFaulty = true
                }
            }
            index += 1
            if index == 1024 { reserve(after: index) }
        }
        values.scope = .root
    }

    /// Makes room for as many products as the file seems to have: growing step by step would hold them twice.
    private mutating func reserve(after count: Int) {
        let source = values.log.sources[values.file]
        guard let size = source.size, source.bytesRead > 0, size > source.bytesRead else { return }
        let expected = Double(count) * Double(size) / Double(source.bytesRead) * 1.05
        // A file whose products get much larger further down must not reserve too much.
        products.reserveCapacity(products.listings.count + min(Int(expected), 4_000_000))
    }

    private mutating func decodeSection(_ key: YAMLNode.Key, _ node: YAMLNode) {
        guard let section = ManifestSchema.Section(rawValue: key.name) else {
            guard !key.name.hasPrefix("x-") else { return }
            values.conceal(key, node)
            values.report(
                "unknown key '\(key.name.excerpt)'",
                at: key.span,
                field: key.name.excerpt,
                help: ManifestSchema.Section.nearest(to: key.name).map { "did you mean '\($0)'?" }
                    ?? "a manifest has \(ManifestSchema.Section.names.listed("and")); keys of your own begin with 'x-'"
            )
            return
        }
        if section != .products, let first = sections.note(section, at: values.location(key.start)) {
            values.report(
                "'\(section)' is given a second time",
                at: key.span,
                field: key.name,
                help: "it comes from one file of a run",
                notes: [Diagnostic.Note("it was given first here", location: first)]
            )
            return
        }
        guard !node.isNull else {
            let empty = section == .products ? "write 'products: []' for none" : "leave the key out"
            values.report("'\(section)' has no value", at: key.span, field: key.name, help: empty)
            return
        }
        if section != .products { values.scope = .section(section) }
        defer { values.scope = .root }
        switch section {
        case .market: sections.decodeMarket(node, &values)
        case .defaults: sections.decodeDefaults(node, &values)
        case .policies: sections.decodePolicies(node, &values)
        case .products:
            guard let items = node.items else {
                values.report(
                    "'products' must be a list, and this is \(ValueDecoder.describe(node))",
                    at: node.span,
                    field: "products",
                    help: "begin each product with '- key: …'"
                )
                return
            }
            for (index, item) in items.enumerated() {
                values.scope = .product(index)
                ProductDecoder.decode(item, index: index, &values, into: &products)
            }
        }
    }
}
