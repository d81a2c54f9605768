import OpenMarket

/// Changes products by the entries of `adjust`, as edits that are not written, before anything is checked.
extension ManifestChecker {
    var adjustFile: Int { sections.adjustments.first?.file ?? -1 }

    mutating func adjust() {
        // Rows of a table have a market's own values.
        guard !sections.adjustments.isEmpty, log.sources.allSatisfy({ $0.header == nil }) else { return }
        guard !options.adjusts else { return carryOutAll() }
        // The values stay those of the files.
        var adjusted = self
        adjusted.carryOutAll()
        for index in products.listings.indices {
            adjustedFields[products.listings.key(at: index)] = adjusted.products.listings.adjusted(at: index)
        }
    }

    private mutating func carryOutAll() {
        for entry in sections.adjustments {
            do throws(ExpressionError) {
                try carryOut(entry)
            } catch {
                report(error.message, at: entry.conditionSpan ?? entry.span, help: error.help)
            }
        }
        products.dropAdjustedNames()
    }

    private mutating func report(
        _ message: String,
        as severity: Diagnostic.Severity = .error,
        at span: SourceSpan,
        help: String? = nil,
        notes: [Diagnostic.Note] = []
    ) {
        log.add(severity, .adjustment, message, file: adjustFile, span: span, path: "adjust", help: help, notes: notes)
    }

    private mutating func carryOut(_ entry: Adjustment) throws(ExpressionError) {
        let candidates = keyed(entry)
        let chosen = try entry.conditions.matches(
            in: candidates.lazy.map { [self] in (index: $0, listing: effective($0)) }
        )
        .map(\.index)
        if chosen.isEmpty, !candidates.isEmpty || entry.keys == nil {
            report("no product fits this entry", as: .warning, at: entry.conditionSpan ?? entry.span)
        }
        if entry.leavesOut {
            let place = SourceLocation(file: log.sources[adjustFile].name, position: entry.span.start)
            for index in chosen {
                products.drafts[index].isLeftOut = true
                leftOut[products.listings.key(at: index)] = place
            }
            return
        }
        for (expression, span) in entry.expressions { try carryOut(expression, at: span, for: chosen) }
        if let images = entry.images { setImages(images.paths, at: images.span, for: chosen) }
        guard !entry.ignoreChanges.isEmpty else { return }
        for index in chosen { products.listings.ignore(ProductFieldSet(entry.ignoreChanges), at: index) }
    }

    /// The products that the keys of an entry name; those with faults are reported already.
    private mutating func keyed(_ entry: Adjustment) -> [Int] {
        let all = products.listings.indices.filter { !products.drafts[$0].isLeftOut && !products.drafts[$0].isFaulty }
        guard let keys = entry.keys else { return all }
        var found: Set<Int> = []
        for (text, span) in keys {
            if text.contains("*") || text.contains("?") {
                let pattern = KeyPatterns([text])
                let fitting = all.filter { pattern.contains(products.listings.key(at: $0)) }
                if fitting.isEmpty { report("no key fits '\(text.excerpt)'", as: .warning, at: span) }
                found.formUnion(fitting)
            } else if let index = products.listing(withKey: text) {
                found.insert(index)
            } else {
                let known = products.listings.indices.lazy.map { [self] in products.listings.key(at: $0) }
                let near = Suggestion.nearest(to: text, in: known)
                report("no product has the key '\(text.excerpt)'", at: span, help: near.map { "did you mean '\($0)'?" })
            }
        }
        return all.filter(found.contains)
    }

    /// A product with the defaults that count for it.
    private func effective(_ index: Int) -> Listing {
        var listing = products.listings[index]
        let written = products.drafts[index].written
        if !written.contains(.currency) {
            listing.values.currency = sections.defaults.currency ?? capabilities.fixedCurrency
        }
        if !written.contains(.stock) { listing.values.stock = sections.defaults.stock }
        if !products.drafts[index].setsProtected { listing.isProtected = sections.defaults.isProtected }
        return listing
    }

    private mutating func carryOut(
        _ expression: FieldExpression,
        at span: SourceSpan,
        for chosen: [Int]
    ) throws(ExpressionError) {
        let edit: ExpressionEdit
        do throws(ExpressionError) {
            edit = try ExpressionEdit([expression], of: chosen.map { effective($0) })
        } catch {
            return report(error.message, at: span, help: error.help)
        }
        // Only the id of a tombstone has a meaning.
        var unpinned = expression.isOfID ? Set(chosen.filter { products.listings.isAbsent(at: $0) }) : []
        for index in unpinned { products.listings[index].pinnedID = nil }
        for edit in edit.edits {
            guard let index = products.listing(withKey: edit.key) else { continue }
            switch edit.action {
            case .change(let changes):
                if changes.contains(where: { $0.field == .id }) { unpinned.insert(index) }
                take(changes, at: span.start, index)
            case .leave(let reason):
                products.drafts[index].isFaulty = true
                report(
                    "'\(edit.key.excerpt)': \(reason)",
                    at: span,
                    notes: [Diagnostic.Note("the product is here", location: products.listings.location(at: index))]
                )
            case .add, .remove: break
            }
        }
        products.dropIDs(of: unpinned)
    }

    private mutating func take(_ changes: [FieldEdit], at position: SourcePosition, _ index: Int) {
        var listing = products.listings[index]
        for change in changes {
            listing.take(change)
            switch change.field {
            case .value(let field):
                mark(&listing, field, position)
                if change.wanted == nil {
                    products.drafts[index].written.remove(field)
                } else {
                    products.drafts[index].written.insert(field)
                }
            case .protected: products.drafts[index].setsProtected = true
            case .id: break
            }
        }
        listing.values.normalizeSale()
        products.listings[index] = listing
    }

    private mutating func setImages(
        _ paths: [(path: String, position: SourcePosition)],
        at span: SourceSpan,
        for chosen: [Int]
    ) {
        for index in chosen where !products.listings.isAbsent(at: index) {
            products.drafts[index].firstMention = UInt32(truncatingIfNeeded: products.mentions.count)
            products.drafts[index].mentionCount = UInt32(truncatingIfNeeded: paths.count)
            products.drafts[index].thumbnail = nil
            products.drafts[index].written.insert(.images)
            products.drafts[index].written.remove(.thumbnail)
            for (path, position) in paths {
                let picture = products.pictures.number(of: path, file: adjustFile)
                products.mentions.append(ListingDrafts.Mention(picture: picture, position: position))
            }
            var listing = products.listings[index]
            mark(&listing, .images, span.start)
            products.listings[index] = listing
        }
    }

    private func mark(_ listing: inout Listing, _ field: ProductField, _ position: SourcePosition) {
        var adjusted = listing.adjusted ?? AdjustedFields(file: log.sources[adjustFile].name)
        adjusted.positions[field] = position
        listing.adjusted = adjusted
    }
}
