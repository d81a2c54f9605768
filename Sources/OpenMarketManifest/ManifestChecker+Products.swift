import OpenMarket
import OpenMarketDescription

/// Checks products against facts that value readers do not have, such as the profile and the defaults.
extension ManifestChecker {
    /// Also marks the product as faulty.
    mutating func report(
        _ code: Diagnostic.Code,
        _ message: String,
        of index: Int,
        field: ProductField? = nil,
        position: SourcePosition? = nil,
        path: String? = nil,
        help: String? = nil
    ) {
        let place = position ?? field.flatMap { products.listings.fieldPosition(at: index, of: $0) }
        if products.listings.row(at: index) != nil {
            return reportRow(code, message, of: index, field: field, place: place, help: help)
        }
        products.drafts[index].isFaulty = true
        let suffix = path ?? field?.rawValue
        let isOfPictures = path?.hasPrefix(ProductField.images.rawValue) == true
        let adjusted = (field ?? (isOfPictures ? .images : nil)).flatMap { field in
            products.listings.adjusted(at: index)?.positions[field]
        }
        let own = SourceSpan(start: place ?? products.listings.position(at: index), length: place == nil ? 1 : nil)
        log.add(
            .error,
            code,
            adjusted == nil ? message : "'\(products.listings.key(at: index).excerpt)': \(message)",
            file: adjusted == nil ? products.drafts[index].file : adjustFile,
            span: adjusted.map { SourceSpan(start: $0) } ?? own,
            path: "products[\(products.drafts[index].index)]" + (suffix.map { "." + $0 } ?? ""),
            help: help,
            notes: adjusted == nil
                ? [] : [Diagnostic.Note("the product is here", location: products.listings.location(at: index))]
        )
    }

    /// Reports a fault of a table row.
    ///
    /// If the row has a live product, the market may have that value already.
    private mutating func reportRow(
        _ code: Diagnostic.Code,
        _ message: String,
        of index: Int,
        field: ProductField?,
        place: SourcePosition?,
        help: String?
    ) {
        let file = products.drafts[index].file
        let span = place.map { SourceSpan(start: $0, length: 1) }
        let path = span.map { TableDecoder.address($0) } ?? ""
        if let id = products.listings.pinnedID(at: index), let field, field != .images, field != .thumbnail, let span {
            products.noteDoubt(code, message, of: field, id: id, at: span, file: file, path: path, help: help, &log)
            return
        }
        products.drafts[index].isFaulty = true
        let row = Int(products.listings.position(at: index).line)
        log.add(
            .error,
            code,
            message,
            file: file,
            span: span ?? TableDecoder.span(row, nil),
            path: path,
            help: help
        )
    }

    /// Checks a product after applying its defaults.
    mutating func check(_ index: Int, _ repeatedNames: inout ArraySlice<(listing: Int, first: Int)>) {
        guard !products.drafts[index].isLeftOut, !reportCredentials(of: index),
            !products.listings.isAbsent(at: index)
        else { return }
        applyDefaults(index)
        let limits = market.limits
        let nameIsFine = products.listings.withName(at: index) {
            ProductLimits.allows($0, length: limits.nameLength) && $0.isKnownVisible && !$0.hasLostText
        }
        if nameIsFine == false, let name = products.listings.name(at: index) {
            if !ProductLimits.allows(name, length: limits.nameLength) {
                reportLength(of: name, field: .name, limits.nameLength, index)
            }
            checkVisible(name, index)
            checkWhole(name, .name, index)
        }
        if let repeated = repeatedNames.first, repeated.listing == index {
            repeatedNames.removeFirst()
            noteRepeatedName(index, first: repeated.first)
        }
        let descriptionFits = products.listings.withDescription(at: index) {
            ProductLimits.allows($0, length: limits.descriptionLength) && !$0.hasLostText
        }
        if descriptionFits == false, let description = products.listings[index].values.description {
            if !ProductLimits.allows(description, length: limits.descriptionLength) {
                reportLength(of: description, field: .description, limits.descriptionLength, index)
            }
            checkWhole(description, .description, index)
        }
        checkExpression(index)
        checkCurrency(index)
        checkPrices(index)
        checkPictures(index)
        checkRequired(index)
    }

    private mutating func applyDefaults(_ index: Int) {
        // A row states only its cells; the defaults apply only if it creates a product.
        guard products.listings.row(at: index) == nil else { return }
        let written = products.drafts[index].written
        if !written.contains(.currency), let currency = sections.defaults.currency {
            products.listings.setCurrency(currency, at: index)
        }
        if !written.contains(.stock), let stock = sections.defaults.stock {
            products.listings.setStock(stock, at: index)
            if sections.defaults.isStockInitial { products.listings.ignore([.stock], at: index) }
        }
        products.listings.ignore(ignoredByDefault, at: index)
        if !products.drafts[index].setsProtected, sections.defaults.isProtected {
            products.listings.protect(at: index)
        }
    }

    private mutating func reportLength(of text: String, field: ProductField, _ range: ClosedRange<Int>, _ index: Int) {
        report(
            .textLength,
            "the \(field.rawValue) has \(counted(ProductLimits.length(of: text), "character")), and \(allowed(ProductLimits.words(range)))",
            of: index,
            field: field,
            help: Self.lengthHelp(text, field: field, range)
        )
    }

    /// How the length is counted, and how to change the limits.
    private static func lengthHelp(_ text: String, field: ProductField, _ range: ClosedRange<Int>) -> String {
        let isShort = ProductLimits.length(of: text) < range.lowerBound
        let key: ManifestSchema.LimitKey =
            field == .name ? (isShort ? .minName : .maxName) : (isShort ? .minDescription : .maxDescription)
        return
            "for a market that takes \(isShort ? "shorter" : "longer") ones set '\(key.rawValue)' in 'market.limits'; "
            + "a visible character counts as one"
    }

    /// Checks that a name is one line with visible characters.
    private mutating func checkVisible(_ name: String, _ index: Int) {
        guard let fault = VisibleLine.fault(of: name) else { return }
        let isOneLine = !name.unicodeScalars.contains(where: \.isControlOrLineBreak)
        let help = isOneLine ? nil : "write it on one line; a name of several lines in YAML is '>-' or in quotes"
        report(.invisibleName, "the name \(fault)", of: index, field: .name, help: help)
    }

    /// Checks that a text is free of replacement characters, unless the market already has them.
    private mutating func checkWhole(_ text: String, _ field: ProductField, _ index: Int) {
        guard text.withUTF8Span({ $0.hasLostText }) else { return }
        let message = "the \(field.rawValue) '\(text.excerpt)' \(LostText.message)"
        if let id = products.listings.pinnedID(at: index), products.listings.row(at: index) == nil,
            let place = products.listings.fieldPosition(at: index, of: field)
        {
            products.noteDoubt(
                .characterSet,
                message,
                of: field,
                id: id,
                at: SourceSpan(start: place),
                file: products.drafts[index].file,
                path: "products[\(products.drafts[index].index)].\(field.rawValue)",
                help: LostText.help,
                &log
            )
            return
        }
        report(.characterSet, message, of: index, field: field, help: LostText.help)
    }

    /// Warns about a repeated name, which the market allows but which is seldom intended.
    private mutating func noteRepeatedName(_ index: Int, first: Int) {
        guard log.counts(.repeatedName), let name = products.listings.name(at: index) else { return }
        log.add(
            .warning,
            .repeatedName,
            "the name '\(name.excerpt)' is used by another product",
            file: products.drafts[index].file,
            span: SourceSpan(
                start: products.listings.fieldPosition(at: index, of: .name) ?? products.listings.position(at: index)
            ),
            path: "products[\(products.drafts[index].index)].name",
            notes: [
                Diagnostic.Note("it was used first here", location: products.listings.location(at: first, of: .name))
            ]
        )
    }

    /// Checks the currency: a manifest has only codes of ISO 4217, a cell may have any code that the market may have.
    private mutating func checkCurrency(_ index: Int) {
        // Hot: nearly every product has a currency that every built-in market takes.
        guard !takesKnownCurrencies || !products.listings.hasKnownCurrency(at: index),
            let currency = products.listings.currency(at: index),
            !market.limits.takes(currency)
        else { return }
        // Reported once, at the defaults.
        if products.listings.row(at: index) == nil, !products.drafts[index].written.contains(.currency) { return }
        if let fault = fixedCurrencyFault(currency) {
            return report(.currency, fault, of: index, field: .currency)
        }
        let names = (market.limits.currencies ?? []).map(\.rawValue)
        let meant = WrittenNumber.currencies(currency.rawValue) ?? []
        let near = names.first { meant.contains(Currency(rawValue: $0)) }
        report(
            .currency,
            names.isEmpty
                ? "'currency' must be a code of ISO 4217, and not '\(currency.rawValue.excerpt)'"
                : "'currency' must be \(names.listed("or")), and not '\(currency.rawValue.excerpt)'",
            of: index,
            field: .currency,
            help: near.map { "did you mean '\($0)'?" } ?? (currency.isStandard ? Self.otherCurrencyHelp : nil)
        )
    }

    private mutating func checkPrices(_ index: Int) {
        let price = products.listings.price(at: index)
        let salePrice = products.listings.sale(at: index)?.salePrice
        // Whole amounts, the most frequent ones, fit every currency.
        guard price?.scale ?? 0 > 0 || salePrice?.scale ?? 0 > 0 else { return }
        let currency = products.listings.currency(at: index) ?? capabilities.fixedCurrency
        for (field, name, amount) in [(ProductField.price, "price", price), (.salePrice, "sale price", salePrice)] {
            guard let amount, let reason = fractionFault(amount, currency) else { continue }
            let help = roundingHelp(amount, currency, index)
            report(.priceFraction, "the \(name) \(amount) \(reason)", of: index, field: field, help: help)
        }
    }

    private func fractionFault(_ amount: ExactDecimal, _ currency: Currency?) -> String? {
        guard amount.scale > 0 else { return nil }
        if market.limits.wholePrices {
            return "has a fraction, and \(market.profile?.name ?? "v1") carries integer prices only"
        }
        if let digits = market.limits.priceFraction, Int(amount.scale) > digits {
            let market = market.profile?.name ?? "the market"
            return "has \(amount.scale) digits after the point, and \(market) takes \(digits)"
        }
        return currency?.fault(of: amount)
    }

    /// In a table, a point before three digits may separate thousands.
    private func roundingHelp(_ amount: ExactDecimal, _ currency: Currency?, _ index: Int) -> String? {
        let isUnclear = products.listings.row(at: index) != nil && amount.scale == 3 && amount >= 1 && amount < 1000
        return amount.rounded(toScale: market.limits.fractionDigits(of: currency) ?? 0).map {
            "rounded it is \($0)" + (isUnclear ? "; \(amount.significand) if its point separates thousands" : "")
        }
    }

    private mutating func checkPictures(_ index: Int) {
        let draft = products.drafts[index]
        guard draft.written.contains(.images), options.readsPictures else { return }
        let count = Int(draft.mentionCount)
        let range = market.limits.imageCount
        guard range.contains(count) else {
            // Items that are not texts are already reported.
            if count > 0 || !draft.isFaulty {
                report(
                    .pictureCount,
                    "this product has \(counted(count, "picture")), and \(allowed(ProductLimits.words(range)))",
                    of: index,
                    field: .images
                )
            }
            return
        }
        let first = Int(draft.firstMention)
        let mentions = products.mentions[first..<first + count]
        if count > 0, let known = pictureLists[mentions[first].picture],
            zip(products.mentions[known.mentions], mentions).allSatisfy({ $0.picture == $1.picture }),
            known.mentions.count == count
        {
            checkThumbnail(index)
            products.listings.setPictures(known.number, thumbnail: draft.thumbnail.map(Int.init), at: index)
            return
        }
        var found: [Picture] = []
        found.reserveCapacity(count)
        for offset in 0..<count {
            let mention = products.mentions[first + offset]
            var outcome = products.pictures.check(
                mention.picture,
                sources: log.sources,
                limit: market.limits.imageByteLimit,
                options: options
            )
            if case .picture(let picture) = outcome { outcome = addressed(picture, draft) }
            switch outcome {
            case .picture(let picture): found.append(picture)
            case .fault(let code, let message, let help):
                report(code, message, of: index, position: mention.position, path: "images[\(offset)]", help: help)
            }
        }
        checkThumbnail(index)
        guard found.count == count else { return }
        let number = products.listings.addPictures(found)
        products.listings.setPictures(number, thumbnail: draft.thumbnail.map(Int.init), at: index)
        if count > 0 { pictureLists[mentions[first].picture] = (first..<first + count, number) }
    }

    private mutating func checkThumbnail(_ index: Int) {
        guard let thumbnail = products.drafts[index].thumbnail, thumbnail != 0,
            market.profile?.capabilities.thumbnailIsChosen == false
        else { return }
        report(
            .thumbnail,
            "\(market.profile?.name ?? "v1") shows the first picture in lists, and this is number \(thumbnail + 1)",
            of: index,
            field: .thumbnail,
            help: "put it first in 'images', and leave 'thumbnail' out"
        )
    }

    private mutating func checkRequired(_ index: Int) {
        // The plan reports the missing values of a row: it can find the key that a damaged one probably means.
        guard products.listings.pinnedID(at: index) == nil, !products.drafts[index].needIsUnclear, !lostDefaults,
            products.listings.row(at: index) == nil
        else { return }
        var written = products.drafts[index].written
        if products.listings.currency(at: index) != nil { written.insert(.currency) }
        if products.listings.stock(at: index) != nil { written.insert(.stock) }
        let missing = requiredFields.subtracting(written)
        guard !missing.isEmpty else { return }
        for field in ProductField.allCases where missing.contains(field) {
            let profile = market.profile?.name ?? MarketProfile.standard.name
            report(
                .missingField,
                "this product has no '\(field.rawValue)'",
                of: index,
                path: field.rawValue,
                help: field == .currency
                    ? "add it here or in 'defaults'" : field == .stock ? "\(profile) requires it" : nil
            )
        }
    }
}
