import OpenMarket

extension ManifestDecoder {
    /// Checks what only all files together tell, and puts the manifest together.
    ///
    /// - Parameter digest: of all files' bytes.
    /// - Returns: the manifest with all diagnostics.
    mutating func finish(digest: ContentDigest) -> LoadedManifest {
        settleMarket()
        if !options.readsPictures {
            for path in pictures.files(sources: sources, allowOutside: options.allowOutside) { noteInput(path) }
        }
        var names = ListingIndex()
        for index in listings.indices {
            check(index, names: &names)
        }
        checkFormerKeys()
        checkPinnedIDs()
        reportRespelt()
        if drafts.contains(where: \.isFaulty) {
            var kept: [Listing] = []
            for (listing, draft) in zip(listings, drafts) where !draft.isFaulty { kept.append(listing) }
            listings = kept
        }
        let manifest = Manifest(
            market: market,
            policies: policies,
            listings: listings,
            files: sources.map(\.name),
            digest: digest,
            inputs: inputs
        )
        return LoadedManifest(
            manifest: sources.isEmpty ? nil : manifest,
            diagnostics: log.finished(sources: sources)
        )
    }

    // MARK: Market

    /// Flags win over the environment, the environment over the file.
    private mutating func settleMarket() {
        if let url = options.urlOverride ?? options.variable("OPENMARKET_URL") {
            do throws(MarketURL.Fault) {
                market.url = try MarketURL(url).description
            } catch {
                let name = options.urlOverride == nil ? "OPENMARKET_URL" : "--url"
                add(.error, "\(name) \(error.message)", file: -1, span: nil, help: error.help)
            }
        }
        if let profile = options.profileOverride {
            market.profile = profile
        } else if let name = options.variable("OPENMARKET_API") {
            market.profile = MarketProfile(name: name)
            if market.profile == nil {
                add(.error, "OPENMARKET_API must be v1a, v1b, v2a or v2b", file: -1, span: nil)
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
            limits.imageCount.lowerBound...(limitChanges[.maxImages]?.value ?? limits.imageCount.upperBound)
        limits.imageByteLimit = limitChanges[.maxImageBytes]?.value ?? limits.imageByteLimit
        market.limits = limits
    }

    private mutating func changed(
        _ range: ClosedRange<Int>,
        _ lower: ManifestSchema.LimitKey,
        _ upper: ManifestSchema.LimitKey
    ) -> ClosedRange<Int> {
        let least = limitChanges[lower]?.value ?? range.lowerBound
        let most = limitChanges[upper]?.value ?? range.upperBound
        guard least <= most else {
            let key = limitChanges[upper] == nil ? lower : upper
            let change = limitChanges[key]
            add(
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
        drafts[index].isFaulty = true
        let place = position ?? field.flatMap { listings[index].fieldPositions[$0] }
        let suffix = path ?? field?.rawValue
        add(
            .error,
            message,
            file: drafts[index].file,
            span: SourceSpan(start: place ?? listings[index].position, length: place == nil ? 1 : nil),
            path: "products[\(drafts[index].index)]" + (suffix.map { "." + $0 } ?? ""),
            help: help
        )
    }

    private mutating func check(_ index: Int, names: inout ListingIndex) {
        guard !listings[index].isAbsent else { return }
        applyDefaults(index)
        let limits = market.limits
        if let name = listings[index].values.name {
            checkLength(of: name, field: .name, limits.nameLength, index)
            checkVisible(name, index)
            noteName(name, index, &names)
        }
        if let description = listings[index].values.description {
            checkLength(of: description, field: .description, limits.descriptionLength, index)
        }
        checkPrices(index)
        checkPictures(index)
        checkRequired(index)
    }

    private mutating func applyDefaults(_ index: Int) {
        let written = drafts[index].written
        if !written[.currency], let currency = defaults.currency { listings[index].values.currency = currency }
        if !written[.stock], let stock = defaults.stock {
            listings[index].values.stock = stock
            if defaults.isStockInitial { listings[index].ignoreChanges.insert(.stock) }
        }
        if listings[index].ignoreChanges.isEmpty {
            listings[index].ignoreChanges = defaults.ignoreChanges
        } else if !defaults.ignoreChanges.isEmpty {
            listings[index].ignoreChanges.formUnion(defaults.ignoreChanges)
        }
        if !drafts[index].setsProtected, defaults.isProtected { listings[index].isProtected = true }
    }

    /// Characters are Unicode scalars, as the people who wrote down the limits count them.
    private mutating func checkLength(of text: String, field: ProductField, _ range: ClosedRange<Int>, _ index: Int) {
        let bytes = text.utf8.count
        // A scalar has one to four bytes, so most texts need no counting.
        if bytes <= range.upperBound, bytes >= range.lowerBound * 4 { return }
        let count = text.unicodeScalars.count
        guard !range.contains(count) else { return }
        report(
            "the \(field.rawValue) has \(count) \(count == 1 ? "character" : "characters"), and \(range.lowerBound) to \(range.upperBound) are allowed",
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
        let first = names.find(name, orInsert: index) { listings[$0].values.name ?? "" }
        guard let first, log.counts(.repeatedName) else { return }
        add(
            .warning,
            "the name '\(Self.shown(name))' is used by another product",
            file: drafts[index].file,
            span: SourceSpan(start: listings[index].fieldPositions[.name] ?? listings[index].position),
            path: "products[\(drafts[index].index)].name",
            notes: [Diagnostic.Note("it was used first here", location: listings[first].location(of: .name))]
        )
    }

    private mutating func checkPrices(_ index: Int) {
        let currency = listings[index].values.currency
        let price = listings[index].values.price
        var isPriceWrong = false
        if let price, let reason = fractionFault(price, currency) {
            isPriceWrong = true
            report("the price \(price) \(reason)", of: index, field: .price)
        }
        if let sale = listings[index].values.sale?.salePrice, let reason = fractionFault(sale, currency) {
            // An amount off that is whole cannot be to blame.
            if isPriceWrong, drafts[index].hasDiscount, let price, price.subtracting(sale)?.scale == 0 { return }
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
        let draft = drafts[index]
        guard draft.written[.images], options.readsPictures else { return }
        let count = Int(draft.mentionCount)
        let range = market.limits.imageCount
        guard range.contains(count) else {
            // Items that are no texts were reported on their own.
            if count > 0 || !draft.isFaulty {
                report(
                    "this product has \(count) \(count == 1 ? "picture" : "pictures"), and \(range.lowerBound) to \(range.upperBound) are allowed",
                    of: index,
                    field: .images
                )
            }
            return
        }
        var found: [Picture] = []
        found.reserveCapacity(count)
        for offset in 0..<count {
            let mention = mentions[Int(draft.firstMention) + offset]
            let outcome = pictures.check(
                mention.picture,
                sources: sources,
                limit: market.limits.imageByteLimit,
                allowOutside: options.allowOutside
            )
            switch outcome {
            case .picture(let picture, let isRespelt):
                found.append(picture)
                if isRespelt {
                    noteRespelt(picture.path, file: draft.file, span: SourceSpan(start: mention.position))
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
        listings[index].values.images = found.map { .digest($0.digest) }
        listings[index].pictures = found
        if let thumbnail = draft.thumbnail {
            listings[index].values.thumbnail = .digest(found[Int(thumbnail)].digest)
        }
    }

    private mutating func checkRequired(_ index: Int) {
        guard listings[index].pinnedID == nil, !drafts[index].needIsUnclear else { return }
        var written = drafts[index].written
        if listings[index].values.currency != nil { written[.currency] = true }
        if listings[index].values.stock != nil { written[.stock] = true }
        guard !written.contains(requiredFields) else { return }
        for field in ProductField.allCases where requiredFields[field] && !written[field] {
            let profile = market.profile?.rawValue ?? "v2b"
            report(
                "this product has no '\(field.rawValue)'",
                of: index,
                path: field.rawValue,
                help: field == .currency
                    ? "add it here or in 'defaults'"
                    : field == .stock ? "\(profile) takes no product without it" : nil
            )
        }
    }

    private mutating func reportRespelt() {
        for (file, found) in respelt.sorted(by: { $0.key < $1.key }) {
            let others = found.count == 1 ? "" : ", and \(found.count - 1) more like it"
            add(
                .warning,
                "\(found.path) is read from a file whose name has the same characters in other bytes\(others)",
                file: file,
                span: found.span,
                help: "archives made on a Mac spell names so; rename the file, or leave it"
            )
        }
    }

    // MARK: Between products

    private mutating func checkFormerKeys() {
        var claimed: [String: Int] = [:]
        for former in formerKeys {
            let present = keys.find(former.name) { [listings] in listings[$0].key }
            let other = present ?? claimed[former.name]
            claimed[former.name] = claimed[former.name] ?? former.listing
            guard let other else { continue }
            drafts[former.listing].isFaulty = true
            let name = Self.shown(former.name)
            add(
                .error,
                present == nil ? "another product had the key '\(name)' before" : "the key '\(name)' is still in use",
                file: drafts[former.listing].file,
                span: former.span,
                path: "products[\(drafts[former.listing].index)].previously",
                notes: [
                    Diagnostic.Note(
                        "by this product",
                        location: listings[other].location()
                    )
                ]
            )
        }
    }

    private mutating func checkPinnedIDs() {
        var first: [ProductID: Int] = [:]
        for index in listings.indices {
            guard let id = listings[index].pinnedID else { continue }
            guard let other = first.updateValue(index, forKey: id) else { continue }
            first[id] = other
            drafts[index].isFaulty = true
            add(
                .error,
                "the id \(id) is pinned by another product",
                file: drafts[index].file,
                span: SourceSpan(start: listings[index].position, length: 1),
                path: "products[\(drafts[index].index)].id",
                notes: [Diagnostic.Note("it was pinned first here", location: listings[other].location())]
            )
        }
    }
}
