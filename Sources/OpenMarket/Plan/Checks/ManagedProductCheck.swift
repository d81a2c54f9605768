/// Products that probably have another key, after a typing error, a spreadsheet's change, or a copy.
extension PlanCheck {
    /// Refuses new products whose key is probably a managed one, or that share name and pictures with a managed
    /// product.
    static func managedProducts(_ context: Context) -> Findings {
        let input = context.input
        let respelled = context.rows.respelled
        guard !context.entries.isEmpty || !input.blockedKeys.isEmpty || !respelled.isEmpty else { return Findings() }
        let made = context.plan.operations.filter { operation in
            operation.action == .create && context.entries.position(of: operation.key) == nil
                && !input.begunCreates.contains(operation.key)
        }
        guard !made.isEmpty || !respelled.isEmpty else { return Findings() }
        let listings = input.manifest.listings
        lazy var listed = Dictionary(listings.indices.map { (listings.key(at: $0), $0) }) { first, _ in first }
        var found: [(key: String, refusal: PlanRefusal)] = []
        func refuse(_ key: String, _ reason: String, _ override: PlanOverride, at source: SourceLocation?) {
            let message = "'\(key)' would be created although \(reason)"
            found.append((key, PlanRefusal(message, override: override, source: source)))
        }
        func refuse(_ key: String, like known: String, canRename: Bool, at source: SourceLocation?) {
            let product = context.entries[known].map { "is product \($0.id)" } ?? "an unfinished run may have created"
            let reason = "'\(known)', which \(product), is probably the same key"
            refuse(key, reason, .respelling(of: known, canRename: canRename), at: source)
        }
        for (row, known) in respelled {
            let source = row.location(ofCell: .key)
            if input.rewrittenKeys[row.key] == nil {
                refuse(row.key, like: known, canRename: false, at: source)
            } else {
                let message = "a spreadsheet writes '\(row.key)' for '\(known)', which has no row"
                found.append((row.key, PlanRefusal(message, override: .rewriting(of: known), source: source)))
            }
        }
        let similar = context.similarKeys ?? SimilarKeys(context.entries, input)
        for operation in made {
            guard let known = similar.key(meantBy: operation.key) else { continue }
            let canRename =
                operation.source?.table == nil && !input.blockedKeys.contains(known) && listed[known] == nil
            refuse(operation.key, like: known, canRename: canRename, at: operation.source)
        }
        let noted = context.namesakes.keys.union(found.map(\.key))
        let rest = made.filter { !noted.contains($0.key) }
        let looks = looks(context, named: Set(rest.compactMap(\.name)))
        for operation in rest {
            guard let name = operation.name,
                let entry = looks[Look(name: name, pictures: Set(operation.pictures.map(\.digest)))]
            else { continue }
            let listing = listed[entry.key]
            // A product that is to be deleted may have a successor.
            if let listing, listings.isAbsent(at: listing) { continue }
            refuse(
                operation.key,
                "product \(entry.id), which '\(entry.key)' manages, has its name and its pictures",
                .secondListing(of: entry.key, canRename: listing == nil && operation.source?.table == nil),
                at: operation.source
            )
        }
        var findings = Findings(refusals: found.prefix(shown).map(\.refusal), doubtfulKeys: found.map(\.key))
        if found.count > shown {
            findings.refusals.append(
                PlanRefusal(
                    "\(found.count - shown) more would be created although other keys are probably the same products",
                    override: .manyRespellings
                )
            )
        }
        return findings
    }

    private struct Look: Hashable {
        var name: String
        var pictures: Set<ContentDigest>
    }

    /// Managed products with those names, by their look; of several alike, the one with the lowest key.
    ///
    /// Compares the live name and pictures, or those that the manifest wants.
    private static func looks(_ context: Context, named names: Set<String>) -> [Look: StateEntry] {
        guard !names.isEmpty else { return [:] }
        var known: [Look: StateEntry] = [:]
        func note(_ entry: StateEntry, name: String?, _ pictures: [PictureIdentity]?) {
            // Visibility is ignored: the product may be hidden after a write, or this plan may create it again.
            guard let name, names.contains(name), let pictures = pictures?.digests, !pictures.isEmpty else { return }
            let look = Look(name: name, pictures: Set(pictures))
            if let other = known[look], other.key < entry.key { return }
            known[look] = entry
        }
        for entry in context.managedNamesakes {
            note(entry, name: context.input.live.products[entry.id]?.name, entry.applied.images)
            note(entry, name: entry.applied.name, entry.applied.images)
        }
        let listings = context.input.manifest.listings
        for (index, pair) in context.pairing.pairs.enumerated() where !listings.isAbsent(at: index) {
            guard let position = pair.entry, let name = listings.name(at: index), names.contains(name) else { continue }
            note(context.entries.entry(at: position), name: name, listings.images(at: index))
        }
        return known
    }

    /// Reports new keys that resemble each other: on a first apply it is unknown which of them is a typing error.
    static func similarNewKeys(_ context: Context) -> [Diagnostic] {
        var planned: [NormalisedKey: String] = [:]
        var found: [Diagnostic] = []
        var count = 0
        for operation in context.plan.operations {
            let key = operation.key
            guard
                operation.action == .adopt || operation.action == .create && context.entries.position(of: key) == nil,
                let other = planned.updateValue(key, forKey: NormalisedKey(key)), other != key
            else { continue }
            count += 1
            guard count <= shown else { continue }
            found.append(
                Diagnostic(
                    .warning,
                    .key,
                    "the keys '\(other)' and '\(key)' are probably meant to be one, and are two products",
                    location: context.location(ofKey: key),
                    help: "take one of them out if it is a slip"
                )
            )
        }
        guard count > shown else { return found }
        let more = count - shown
        let message = "\(counted(more, "more new key")) \(more == 1 ? "is" : "are") like another new one"
        return found + [Diagnostic(.warning, .key, message, count: more)]
    }

    /// Reports new products whose former keys are not in the state.
    static func unknownFormerKeys(_ context: Context) -> [Diagnostic] {
        guard !context.entries.isEmpty else { return [] }
        let listings = context.input.manifest.listings
        let renamed = context.pairing.pairs.indices.filter { index in
            context.pairing.pairs[index].entry == nil && !listings.previously(at: index).isEmpty
        }
        guard !renamed.isEmpty else { return [] }
        let made = Set(context.plan.operations.lazy.filter { $0.action == .create }.map(\.key))
        let similar = context.similarKeys ?? SimilarKeys(context.entries, context.input)
        return renamed.filter { made.contains(listings.key(at: $0)) }.map { index in
            let listing = listings[index]
            for old in listing.previously {
                guard let known = similar.key(meantBy: old) else { continue }
                return Diagnostic(
                    .error,
                    .formerKey,
                    "'\(old)', which '\(listing.key)' was before, is not in the state, but '\(known)' is",
                    location: listing.location(),
                    help: "write `previously: [\(known)]`"
                )
            }
            let keys = listing.previously.map { "'\($0)'" }.joined(separator: " or ")
            return Diagnostic(
                .warning,
                .formerKey,
                "'\(listing.key)' is created again, because the state does not contain \(keys)",
                location: listing.location(),
                help: "leave `previously` out for a product that was never applied"
            )
        }
    }
}

extension PlanCheck.Context {
    fileprivate func location(ofKey key: String) -> SourceLocation? {
        let listings = input.manifest.listings
        return listings.indices.first { listings.key(at: $0) == key }.map { listings[$0].location(ofCell: .key) }
    }
}

/// Finds the key of state and journal that another key probably means.
struct SimilarKeys {
    private let known: [NormalisedKey: String]

    init(_ entries: StateEntries, _ input: Planner.Input) {
        let keys = entries.keys.map { $0 } + input.blockedKeys
        known = Dictionary(keys.lazy.map { (NormalisedKey($0), $0) }, uniquingKeysWith: min)
    }

    func key(meantBy key: String) -> String? {
        known[NormalisedKey(key)].flatMap { $0 == key ? nil : $0 }
    }
}
