import OpenMarket

/// Checks what only all files together tell: the market, each product with its defaults, and products side by side.
///
/// It works on listings and their places, whatever format they were written in.
struct ManifestChecker {
    private let options: ManifestOptions
    private var market: MarketSettings
    private let sections: ManifestSections
    private var products: ListingDrafts
    private var log: DiagnosticLog
    /// The fields without which the market takes no new product.
    private var requiredFields = FieldSet()

    /// A checker of what was read.
    init(
        options: ManifestOptions,
        sections: ManifestSections,
        products: consuming ListingDrafts,
        log: consuming DiagnosticLog
    ) {
        self.options = options
        self.sections = sections
        self.products = products
        self.log = log
        market = sections.market
    }

    /// Checks everything and puts the manifest together.
    ///
    /// - Parameters:
    ///   - digest: of all files' bytes.
    ///   - inputs: the files read beside the manifest files, by absolute path.
    /// - Returns: the manifest with all diagnostics.
    mutating func check(digest: ContentDigest, inputs: Set<ExactText>) -> LoadedManifest {
        settleMarket()
        var inputs = inputs
        if !options.readsPictures {
            let files = products.pictures.files(sources: log.sources, options: options)
            inputs.formUnion(files.map { ExactText($0) })
        }
        var names = ListingIndex()
        for index in products.listings.indices { check(index, names: &names) }
        checkFormerKeys()
        checkPinnedIDs()
        if products.drafts.contains(where: \.isFaulty) {
            var kept: [Listing] = []
            for (listing, draft) in zip(products.listings, products.drafts) where !draft.isFaulty {
                kept.append(listing)
            }
            products.listings = kept
        }
        let manifest = Manifest(
            market: market,
            policies: sections.policies,
            listings: products.listings,
            files: log.sources.map(\.name),
            digest: digest,
            inputs: inputs
        )
        return LoadedManifest(manifest: log.sources.isEmpty ? nil : manifest, diagnostics: log.finished())
    }

    // MARK: Market

    /// Overrides win over the environment, the environment over the file.
    private mutating func settleMarket() {
        if let url = options.urlOverride ?? options.variable("OPENMARKET_URL") {
            do throws(MarketURL.Fault) {
                market.url = try MarketURL(url).description
            } catch {
                let name = options.urlOverride == nil ? "OPENMARKET_URL" : options.names.url
                log.add(.error, "\(name) \(error.message)", file: -1, span: nil, help: error.help)
            }
        }
        if let profile = options.profileOverride {
            market.profile = profile
        } else if let name = options.variable("OPENMARKET_API") {
            market.profile = MarketProfile(name: name)
            if market.profile == nil {
                log.add(.error, "OPENMARKET_API must be v1a, v1b, v2a or v2b", file: -1, span: nil)
            }
        }
        market.identifier = market.identifier ?? fallback("OPENMARKET_IDENTIFIER")
        market.secret = market.secret ?? fallback("OPENMARKET_SECRET")
        requiredFields = FieldSet((market.profile ?? .v2b).capabilities.fieldsRequiredToCreate)
        settleLimits()
    }

    private func fallback(_ variable: String) -> ResolvedSecret? {
        options.variable(variable).map { ResolvedSecret(reference: .environment(variable), value: Secret($0)) }
    }

    private mutating func settleLimits() {
        var limits = (market.profile ?? .v2b).limits
        limits.nameLength = changed(limits.nameLength, .minName, .maxName)
        limits.descriptionLength = changed(limits.descriptionLength, .minDescription, .maxDescription)
        limits.imageCount =
            limits.imageCount.lowerBound...(sections.limitChanges[.maxImages]?.value ?? limits.imageCount.upperBound)
        limits.imageByteLimit = sections.limitChanges[.maxImageBytes]?.value ?? limits.imageByteLimit
        market.limits = limits
    }

    private mutating func changed(
        _ range: ClosedRange<Int>,
        _ lower: ManifestSchema.LimitKey,
        _ upper: ManifestSchema.LimitKey
    ) -> ClosedRange<Int> {
        let least = sections.limitChanges[lower]?.value ?? range.lowerBound
        let most = sections.limitChanges[upper]?.value ?? range.upperBound
        guard least <= most else {
            let key = sections.limitChanges[upper] == nil ? lower : upper
            let change = sections.limitChanges[key]
            log.add(
                .error,
                "the smallest length \(least) is above the largest \(most)",
                file: change?.file ?? -1,
                span: change?.span,
                path: "market.limits.\(key.rawValue)"
            )
            return range
        }
        return least...most
    }

    // MARK: Products

    /// Notes a fault of a product and marks it.
    private mutating func report(
        _ message: String,
        of index: Int,
        field: ProductField? = nil,
        position: SourcePosition? = nil,
        path: String? = nil,
        help: String? = nil
    ) {
        products.drafts[index].isFaulty = true
        let place = position ?? field.flatMap { products.listings[index].fieldPositions[$0] }
        let suffix = path ?? field?.rawValue
        log.add(
            .error,
            message,
            file: products.drafts[index].file,
            span: SourceSpan(start: place ?? products.listings[index].position, length: place == nil ? 1 : nil),
            path: "products[\(products.drafts[index].index)]" + (suffix.map { "." + $0 } ?? ""),
            help: help
        )
    }

    private mutating func check(_ index: Int, names: inout ListingIndex) {
        guard !products.listings[index].isAbsent else { return }
        applyDefaults(index)
        let limits = market.limits
        if let name = products.listings[index].values.name {
            checkLength(of: name, field: .name, limits.nameLength, index)
            checkVisible(name, index)
            noteName(name, index, &names)
        }
        if let description = products.listings[index].values.description {
            checkLength(of: description, field: .description, limits.descriptionLength, index)
        }
        checkPrices(index)
        checkPictures(index)
        checkRequired(index)
    }

    private mutating func applyDefaults(_ index: Int) {
        let written = products.drafts[index].written
        if !written[.currency], let currency = sections.defaults.currency {
            products.listings[index].values.currency = currency
        }
        if !written[.stock], let stock = sections.defaults.stock {
            products.listings[index].values.stock = stock
            if sections.defaults.isStockInitial { products.listings[index].ignoreChanges.insert(.stock) }
        }
        if products.listings[index].ignoreChanges.isEmpty {
            products.listings[index].ignoreChanges = sections.defaults.ignoreChanges
        } else if !sections.defaults.ignoreChanges.isEmpty {
            products.listings[index].ignoreChanges.formUnion(sections.defaults.ignoreChanges)
        }
        if !products.drafts[index].setsProtected, sections.defaults.isProtected {
            products.listings[index].isProtected = true
        }
    }

    private mutating func checkLength(of text: String, field: ProductField, _ range: ClosedRange<Int>, _ index: Int) {
        guard !ProductLimits.allows(text, length: range) else { return }
        let count = ProductLimits.length(of: text)
        report(
            "the \(field.rawValue) has \(counted(count, "character")), and \(range.lowerBound) to \(range.upperBound) are allowed",
            of: index,
            field: field
        )
    }

    /// A name is one line that people can see.
    private mutating func checkVisible(_ name: String, _ index: Int) {
        let scalars = name.unicodeScalars
        if scalars.contains(where: \.isControlOrLineBreak) {
            report(
                "the name has a line break or another control character",
                of: index,
                field: .name,
                help: "write it on one line; a name of several lines in YAML is '>-' or in quotes"
            )
        } else if !scalars.contains(where: \.isVisible) {
            report("the name has no visible character", of: index, field: .name)
        }
    }

    /// A repeated name is allowed by the market, and seldom meant; names are equal here as people see them.
    private mutating func noteName(_ name: String, _ index: Int, _ names: inout ListingIndex) {
        let first = names.find(name, orInsert: index) { products.listings[$0].values.name ?? "" }
        guard let first, log.counts(.repeatedName) else { return }
        log.add(
            .warning,
            "the name '\(name.excerpt)' is used by another product",
            file: products.drafts[index].file,
            span: SourceSpan(
                start: products.listings[index].fieldPositions[.name] ?? products.listings[index].position
            ),
            path: "products[\(products.drafts[index].index)].name",
            notes: [Diagnostic.Note("it was used first here", location: products.listings[first].location(of: .name))]
        )
    }

    private mutating func checkPrices(_ index: Int) {
        let currency = products.listings[index].values.currency
        let price = products.listings[index].values.price
        var isPriceWrong = false
        if let price, let reason = fractionFault(price, currency) {
            isPriceWrong = true
            report("the price \(price) \(reason)", of: index, field: .price)
        }
        if let sale = products.listings[index].values.sale?.salePrice, let reason = fractionFault(sale, currency) {
            // An amount off that is whole cannot be to blame.
            if isPriceWrong, products.drafts[index].hasDiscount, let price, price.subtracting(sale)?.scale == 0 {
                return
            }
            report("the sale price \(sale) \(reason)", of: index, field: .salePrice)
        }
    }

    private func fractionFault(_ amount: ExactDecimal, _ currency: Currency?) -> String? {
        guard amount.scale > 0 else { return nil }
        if market.limits.wholePrices {
            return "has a fraction, and \(market.profile?.rawValue ?? "v1") carries integer prices only"
        }
        guard let currency, Int(amount.scale) > currency.fractionDigits else { return nil }
        return currency.fractionDigits == 0
            ? "has a fraction, and there are none of a won"
            : "has \(amount.scale) digits after the point, and \(currency) has \(currency.fractionDigits)"
    }

    private mutating func checkPictures(_ index: Int) {
        let draft = products.drafts[index]
        guard draft.written[.images], options.readsPictures else { return }
        let count = Int(draft.mentionCount)
        let range = market.limits.imageCount
        guard range.contains(count) else {
            // Items that are no texts were reported on their own.
            if count > 0 || !draft.isFaulty {
                report(
                    "this product has \(counted(count, "picture")), and \(range.lowerBound) to \(range.upperBound) are allowed",
                    of: index,
                    field: .images
                )
            }
            return
        }
        var found: [Picture] = []
        found.reserveCapacity(count)
        for offset in 0..<count {
            let mention = products.mentions[Int(draft.firstMention) + offset]
            let outcome = products.pictures.check(
                mention.picture,
                sources: log.sources,
                limit: market.limits.imageByteLimit,
                options: options
            )
            switch outcome {
            case .picture(let picture, let isRespelt):
                found.append(picture)
                if isRespelt {
                    log.noteRespelt(picture.path, file: draft.file, span: SourceSpan(start: mention.position))
                }
            case .fault(let message, let help):
                report(message, of: index, position: mention.position, path: "images[\(offset)]", help: help)
            }
        }
        if let thumbnail = draft.thumbnail, thumbnail != 0, market.profile?.capabilities.thumbnailIsChosen == false {
            report(
                "\(market.profile?.rawValue ?? "v1") shows the first picture in lists, and this is number \(thumbnail + 1)",
                of: index,
                field: .thumbnail,
                help: "put it first in 'images', and leave 'thumbnail' out"
            )
        }
        guard found.count == count else { return }
        products.listings[index].values.images = found.map { .digest($0.digest) }
        products.listings[index].pictures = found
        if let thumbnail = draft.thumbnail {
            products.listings[index].values.thumbnail = .digest(found[Int(thumbnail)].digest)
        }
    }

    private mutating func checkRequired(_ index: Int) {
        guard products.listings[index].pinnedID == nil, !products.drafts[index].needIsUnclear else { return }
        var written = products.drafts[index].written
        if products.listings[index].values.currency != nil { written[.currency] = true }
        if products.listings[index].values.stock != nil { written[.stock] = true }
        guard !written.contains(requiredFields) else { return }
        for field in ProductField.allCases where requiredFields[field] && !written[field] {
            let profile = market.profile?.rawValue ?? "v2b"
            report(
                "this product has no '\(field.rawValue)'",
                of: index,
                path: field.rawValue,
                help: field == .currency
                    ? "add it here or in 'defaults'" : field == .stock ? "\(profile) takes no product without it" : nil
            )
        }
    }

    // MARK: Between products

    private mutating func checkFormerKeys() {
        var claimed: [String: Int] = [:]
        for former in products.formerKeys {
            let present = products.listing(withKey: former.name)
            let other = present ?? claimed[former.name]
            claimed[former.name] = claimed[former.name] ?? former.listing
            guard let other else { continue }
            products.drafts[former.listing].isFaulty = true
            let name = former.name.excerpt
            log.add(
                .error,
                present == nil ? "another product had the key '\(name)' before" : "the key '\(name)' is still in use",
                file: products.drafts[former.listing].file,
                span: former.span,
                path: "products[\(products.drafts[former.listing].index)].previously",
                notes: [Diagnostic.Note("by this product", location: products.listings[other].location())]
            )
        }
    }

    private mutating func checkPinnedIDs() {
        var first: [ProductID: Int] = [:]
        for index in products.listings.indices {
            guard let id = products.listings[index].pinnedID else { continue }
            guard let other = first.updateValue(index, forKey: id) else { continue }
            first[id] = other
            products.drafts[index].isFaulty = true
            log.add(
                .error,
                "the id \(id) is pinned by another product",
                file: products.drafts[index].file,
                span: SourceSpan(start: products.listings[index].position, length: 1),
                path: "products[\(products.drafts[index].index)].id",
                notes: [Diagnostic.Note("it was pinned first here", location: products.listings[other].location())]
            )
        }
    }
}
