import OpenMarket
import OpenMarketDescription

/// Checks what requires all files: the market, each product with its defaults, and products against each other.
///
/// It works on listings and their positions, whatever the file format.
struct ManifestChecker {
    let options: ManifestOptions
    var market: MarketSettings
    let sections: ManifestSections
    /// The position of each setting, by its path.
    let places: [String: ManifestSections.Place]
    var products: ListingDrafts
    var log: DiagnosticLog
    var capabilities = MarketProfile.standard.capabilities
    /// The fields that the market requires of a new product.
    var requiredFields = ProductFieldSet()
    /// Whether the market takes the currencies that nearly all products have.
    var takesKnownCurrencies = true
    /// The fields that no request of the market can express.
    var unsayableFields = ProductFieldSet()
    /// Set if the market fetches pictures itself.
    var pictureAddresses: PictureAddresses?
    /// Whether a missing `market.pictures_url` is still to be reported; it is reported once.
    var reportsNoPicturesURL = true
    let ignoredByDefault: ProductFieldSet
    /// The entries of `adjust` that leave products out, by their keys.
    var leftOut: [String: SourceLocation] = [:]
    var adjustedFields: [String: AdjustedFields] = [:]
    /// Whether some defaults could not be read, so that the missing fields are unknown.
    var lostDefaults = false
    /// Whether the market's description file cannot be read.
    var isMarketUnreadable = false
    /// The market's description, if it comes from a file.
    var description: DescriptionFile?
    /// The values that no product may contain.
    var credentials = SecretMask([])
    /// The pictures whose paths contain a credential.
    var picturesWithCredentials: Set<Int32> = []
    var credentialVariables: Set<String> = []
    /// The positions of reported credentials, by file and path.
    var reportedCredentials: Set<String> = []
    /// The picture lists already checked, by their first picture: the range of mentions, and the list's number.
    var pictureLists: [Int32: (mentions: Range<Int>, number: Int32)] = [:]

    init(
        options: ManifestOptions,
        sections: ManifestSections,
        places: [String: ManifestSections.Place],
        products: consuming ListingDrafts,
        log: consuming DiagnosticLog
    ) {
        self.options = options
        self.sections = sections
        self.places = places
        self.products = products
        self.log = log
        market = sections.market
        ignoredByDefault = ProductFieldSet(sections.defaults.ignoreChanges)
    }

    /// Checks everything, and creates the manifest with all diagnostics.
    ///
    /// `digest` covers the bytes of all files.
    mutating func check(digest: ContentDigest, fetched: [FetchedText]) -> LoadedManifest {
        settleMarket()
        adjust()
        settleIDs()
        settleCredentials(fetched)
        if !options.readsPictures { products.pictures.noteFiles(sources: log.sources, options: options) }
        var repeatedNames = products.repeatedNames[...]
        // If the market's description cannot be read, the rules for its products are unknown.
        if !isMarketUnreadable { for index in products.listings.indices { check(index, &repeatedNames) } }
        checkFormerKeys()
        checkPinnedIDs()
        noteComments()
        if products.drafts.contains(where: { $0.isFaulty || $0.isLeftOut }) {
            products.listings.removeAll(at: { [drafts = products.drafts] in
                drafts[$0].isFaulty || drafts[$0].isLeftOut
            })
        }
        var manifest = Manifest(
            market: market,
            policies: sections.policies,
            listings: products.listings,
            files: log.sources.map(\.name),
            digest: digest
        )
        manifest.isComplete = log.sources.allSatisfy { $0.header == nil }
        manifest.rowDefaults = (sections.defaults.currency, sections.defaults.stock)
        manifest.leftOut = leftOut
        manifest.isAdjusted = !sections.adjustments.isEmpty
        manifest.adjustedFields = adjustedFields
        manifest.doubts = products.doubts
        manifest.openCells = products.openCells
        manifest.exports = log.sources.compactMap { $0.header == nil ? nil : $0.export }
        manifest.credentialVariables = credentialVariables
        return LoadedManifest(manifest: log.sources.isEmpty ? nil : manifest, diagnostics: log.finished())
    }

    /// Reports a setting at its position.
    mutating func report(
        setting path: String,
        _ code: Diagnostic.Code,
        _ message: String,
        as severity: Diagnostic.Severity = .error,
        help: String? = nil
    ) {
        let place = places[path]
        log.add(severity, code, message, file: place?.file ?? -1, span: place?.value, path: path, help: help)
    }

    // MARK: Market

    /// Overrides win over the environment, the environment over the file.
    private mutating func settleMarket() {
        if let url = options.urlOverride ?? options.variable("OPENMARKET_URL") {
            do throws(MarketURL.Fault) {
                market.url = try MarketURL(url).description
            } catch {
                let name = options.urlOverride == nil ? "OPENMARKET_URL" : "--url"
                log.add(.error, .url, "\(name) \(error.message)", help: error.help)
            }
        }
        settleProfile()
        market.identifier = market.identifier ?? fallback("OPENMARKET_IDENTIFIER")
        market.secret = market.secret ?? fallback("OPENMARKET_SECRET")
        if market.secret == nil, options.toleratesUnset == .secrets {
            // A saved plan without the secret states its source.
            market.secret = ResolvedSecret(unset: .environment("OPENMARKET_SECRET"))
        }
        capabilities = (market.profile ?? .standard).capabilities
        requiredFields = ProductFieldSet(capabilities.fieldsRequiredToCreate)
        unsayableFields = capabilities.unsayableFields
        if capabilities.vendorsAreTexts, market.vendorID != nil {
            report(
                setting: "market.vendor_id",
                .unsupportedByMarket,
                "\(marketName) shows owners as texts, which are not compared with numbers",
                help: "remove the line: the vendor's products cannot be recognised by it"
            )
        }
        settleLimits()
        settleExpression()
    }

    private func fallback(_ variable: String) -> ResolvedSecret? {
        options.variable(variable).map { ResolvedSecret(reference: .environment(variable), value: Secret($0)) }
    }

    private mutating func settleLimits() {
        var limits = (market.profile ?? .standard).limits
        limits.nameLength = changed(limits.nameLength, .minName, .maxName)
        limits.descriptionLength = changed(limits.descriptionLength, .minDescription, .maxDescription)
        let most = sections.limitChanges[.maxImages] ?? limits.imageCount.upperBound
        limits.imageCount = min(limits.imageCount.lowerBound, most)...most
        limits.imageByteLimit = sections.limitChanges[.maxImageBytes] ?? limits.imageByteLimit
        for currency in sections.currencies where capabilities.fixedCurrency == nil { limits.add(currency) }
        market.limits = limits
        takesKnownCurrencies = Currency.known.allSatisfy(limits.takes)
        checkDefaultCurrency()
    }

    /// Reports an unsupported currency of `defaults` once, at its own position.
    private mutating func checkDefaultCurrency() {
        guard let currency = sections.defaults.currency, !market.limits.takes(currency) else { return }
        report(
            setting: "defaults.currency",
            .currency,
            fixedCurrencyFault(currency)
                ?? "'currency' must be \((market.limits.currencies ?? []).map(\.rawValue).listed("or")), and not '\(currency)'",
            help: capabilities.fixedCurrency == nil ? Self.otherCurrencyHelp : nil
        )
    }

    /// Advice about a currency that the market may not support.
    static let otherCurrencyHelp = "for a market that takes it name it in 'market.limits.currencies'"

    private mutating func changed(
        _ range: ClosedRange<Int>,
        _ lower: ManifestSchema.LimitKey,
        _ upper: ManifestSchema.LimitKey
    ) -> ClosedRange<Int> {
        let least = sections.limitChanges[lower] ?? range.lowerBound
        let most = sections.limitChanges[upper] ?? range.upperBound
        guard least <= most else {
            let key = sections.limitChanges[upper] == nil ? lower : upper
            report(
                setting: "market.limits.\(key.rawValue)",
                .limits,
                "the smallest length \(least) is above the largest \(most)"
            )
            return range
        }
        return least...most
    }

    // MARK: Texts

    /// Warns about names and descriptions that a comment cuts short.
    private mutating func noteComments() {
        for (file, ends) in products.textEnds.sorted(by: { $0.key < $1.key }) {
            var comments = TextComments(behind: ends)
            log.sources[file].reread { chunk in
                comments.consume(chunk)
                return !comments.isDone
            }
            comments.finish()
            for (end, comment) in comments.found {
                guard log.counts(.commentInText) else { continue }
                let index = Int(end.listing)
                let field: ProductField = end.isName ? .name : .description
                let text = end.isName ? products.listings.name(at: index) : products.listings[index].values.description
                log.add(
                    .warning,
                    .commentInText,
                    "a comment begins here, and the \(field.rawValue) ends before it"
                        + (text.map { ": '\($0.excerpt)'" } ?? ""),
                    file: file,
                    span: SourceSpan(start: comment, length: 1),
                    path: "products[\(products.drafts[index].index)].\(field.rawValue)",
                    help: "put the text in quotes if the '#' belongs to it; "
                        + "a comment follows two blanks and begins with '# '"
                )
            }
        }
    }

    // MARK: Between products

    private mutating func checkFormerKeys() {
        var claimed: [String: Int] = [:]
        for former in products.formerKeys {
            let present = products.listing(withKey: former.name)
            let other = present ?? claimed[former.name]
            claimed[former.name] = claimed[former.name] ?? former.listing
            // A key written twice in one list is harmless.
            guard let other, present != nil || other != former.listing else { continue }
            products.drafts[former.listing].isFaulty = true
            let name = former.name.excerpt
            log.add(
                .error,
                .formerKey,
                present == nil ? "another product had the key '\(name)' before" : "the key '\(name)' is still in use",
                file: products.drafts[former.listing].file,
                span: former.span,
                path: "products[\(products.drafts[former.listing].index)].previously",
                notes: [Diagnostic.Note("by this product", location: products.listings.location(at: other))]
            )
        }
    }

    private mutating func checkPinnedIDs() {
        var first: [MarketID: Int] = [:]
        for index in products.listings.indices {
            guard let id = products.listings.pinnedID(at: index), !products.drafts[index].isLeftOut else { continue }
            guard let other = first.updateValue(index, forKey: id) else { continue }
            first[id] = other
            products.drafts[index].isFaulty = true
            let isRow = products.listings.row(at: index) != nil
            // A repeated row is one fault.
            if isRow, products.listings.key(at: index) == products.listings.key(at: other),
                products.listings.row(at: index)?.hasMadeKey == false
            {
                continue
            }
            log.add(
                .error,
                .pinnedID,
                isRow ? "the id \(id) is in another row" : "the id \(id) is pinned by another product",
                file: products.drafts[index].file,
                span: SourceSpan(start: products.listings.position(at: index), length: 1),
                path: isRow ? "" : "products[\(products.drafts[index].index)].id",
                notes: [
                    Diagnostic.Note(
                        isRow ? "it is first here" : "it was pinned first here",
                        location: products.listings.location(at: other)
                    )
                ]
            )
        }
    }
}
