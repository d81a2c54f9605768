/// Products that would be created although they probably exist under another key: a typing error, or a change by a
/// spreadsheet.
struct KeyLikeness {
    /// The keys of state and journal; built for the first product to be created, because most plans create none.
    fileprivate var known: [FoldedKey: String]?
    /// The keys of state and journal that a spreadsheet takes for dates.
    fileprivate var dates: [SpreadsheetForm.Day: String] = [:]
    fileprivate var planned: [FoldedKey: String] = [:]
    /// The keys that have a listing; built on first use.
    fileprivate var listed: Set<String>?
    /// The keys of tombstones; built on first use.
    fileprivate var tombstones: Set<String>?
    /// The first few new keys that resemble other new ones.
    fileprivate var alike: [(listing: Listing, other: String)] = []
    fileprivate var alikeCount = 0

    /// The number of resemblances that are reported one by one.
    fileprivate static let reportLimit = 20
}

extension Planner {
    /// The known key that a key without a product probably means.
    mutating func respelledKey(of key: String) -> String? {
        let known: [FoldedKey: String]
        if let found = likeness.known {
            known = found
        } else {
            let keys = entries.keys.map { $0 } + input.blockedKeys
            known = Dictionary(keys.lazy.map { (FoldedKey($0), $0) }, uniquingKeysWith: min)
            likeness.known = known
            for key in keys { for day in SpreadsheetForm.days(of: key) { likeness.dates[day] = key } }
        }
        if let found = known[FoldedKey(key)] { return found == key ? nil : found }
        guard !likeness.dates.isEmpty else { return nil }
        return SpreadsheetForm.days(of: key).compactMap { likeness.dates[$0] }
            .filter { SpreadsheetForm.isForm(key, of: $0) }.min()
    }

    /// Notes a product to be created whose key resembles another one, or whose former keys are unknown.
    mutating func noteLikeness(of listing: Listing) {
        guard entries.position(of: listing.key) == nil else { return }
        if !noteRespelling(of: listing) { notePlanned(listing) }
        guard !listing.previously.isEmpty, !entries.isEmpty else { return }
        for old in listing.previously {
            guard let known = respelledKey(of: old) else { continue }
            plan.diagnostics.append(.formerKeyRespelled(listing, old, known: known))
            return
        }
        plan.diagnostics.append(.formerKeysUnknown(listing))
    }

    /// Notes a product to be created if its key is probably a known one, and gives whether it is.
    mutating func noteRespelling(of listing: Listing) -> Bool {
        guard !input.begunCreates.contains(listing.key), let known = respelledKey(of: listing.key) else { return false }
        namesakes.note(
            listing.key,
            at: listing.location(ofCell: .key),
            ids: entries[known].map { [$0.id] } ?? [],
            kind: .respelling(of: known, canRename: canRename(known, to: listing))
        )
        return true
    }

    /// Notes the key of a product to be created or adopted.
    mutating func notePlanned(_ listing: Listing) {
        guard let other = likeness.planned.updateValue(listing.key, forKey: FoldedKey(listing.key)),
            other != listing.key
        else { return }
        likeness.alikeCount += 1
        if likeness.alike.count < KeyLikeness.reportLimit { likeness.alike.append((listing, other)) }
    }

    /// Reports new keys that resemble other new ones: on a first apply it is unknown which of them is a typing error.
    mutating func tellLikeKeys() {
        for (listing, other) in likeness.alike { plan.diagnostics.append(.likeKeys(listing, other: other)) }
        let rest = likeness.alikeCount - likeness.alike.count
        if rest > 0 { plan.diagnostics.append(.moreLikeKeys(rest)) }
    }

    /// Notes the products to be created that share name and pictures with one that another key manages.
    ///
    /// Name and pictures are the live ones or those that the manifest wants; `managed` are the managed products that
    /// have the name of one to be created.
    mutating func noteSecondListings(of managed: [StateEntry]) {
        guard !entries.isEmpty else { return }
        let noted = namesakes.keys
        let made = plan.operations.filter { operation in
            operation.action == .create && !noted.contains(operation.key)
                && entries.position(of: operation.key) == nil && !input.begunCreates.contains(operation.key)
        }
        guard !made.isEmpty else { return }
        let known = looks(of: managed, named: Set(made.compactMap(\.name)))
        for operation in made {
            guard let name = operation.name,
                let entry = known[ListingLook(name: name, pictures: Set(operation.pictures.map(\.digest)))],
                !isTombstone(entry.key)
            else { continue }
            namesakes.note(
                operation.key,
                at: operation.source,
                ids: [entry.id],
                kind: .secondListing(of: entry.key, canRename: !isListed(entry.key) && operation.source?.table == nil)
            )
        }
    }

    /// The managed products with those names, by their look; of several alike, the one with the lowest key.
    private func looks(of managed: [StateEntry], named names: Set<String>) -> [ListingLook: StateEntry] {
        var known: [ListingLook: StateEntry] = [:]
        func note(_ entry: StateEntry, name: String?, _ pictures: [PictureIdentity]?) {
            // Visibility is ignored: the product may be hidden after a write, or be created again by this plan.
            guard let name, names.contains(name), let pictures = pictures?.digests, !pictures.isEmpty else { return }
            let look = ListingLook(name: name, pictures: Set(pictures))
            if let other = known[look], other.key < entry.key { return }
            known[look] = entry
        }
        for entry in managed {
            note(entry, name: input.live.products[entry.id]?.name, entry.applied.images)
            note(entry, name: entry.applied.name, entry.applied.images)
        }
        let listings = input.manifest.listings
        for index in listings.indices where !listings.isAbsent(at: index) {
            guard let name = listings.name(at: index), names.contains(name),
                let position = entries.position(ofKeyOf: index, in: listings)
            else { continue }
            note(entries.entry(at: position), name: name, listings.images(at: index))
        }
        return known
    }

    /// Whether `previously:` can rename a known key to a listing's.
    private mutating func canRename(_ known: String, to listing: Listing) -> Bool {
        listing.row == nil && !input.blockedKeys.contains(known) && !isListed(known)
            && !SpreadsheetForm.isForm(listing.key, of: known)
    }

    private mutating func isListed(_ key: String) -> Bool {
        let listed = likeness.listed ?? Set(input.manifest.listings.indices.map(input.manifest.listings.key(at:)))
        likeness.listed = listed
        return listed.contains(key)
    }

    /// Whether the manifest marks the product of a key as absent.
    private mutating func isTombstone(_ key: String) -> Bool {
        let listings = input.manifest.listings
        let tombstones =
            likeness.tombstones
            ?? Set(listings.indices.lazy.filter { listings.isAbsent(at: $0) }.map { listings.key(at: $0) })
        likeness.tombstones = tombstones
        return tombstones.contains(key)
    }
}

/// The part of a product that a buyer sees first.
private struct ListingLook: Hashable {
    var name: String
    var pictures: Set<ContentDigest>
}

// MARK: - Messages

extension Diagnostic {
    static func formerKey(_ listing: Listing, _ fault: FormerKeyFault) -> Diagnostic {
        let message: String
        let help: String?
        switch fault {
        case .stillListed(let old):
            message = "'\(listing.key)' cannot replace '\(old)', which is a product of its own"
            help = "take the product '\(old)' out, or the key out of `previously`"
        case .takenOver(let old):
            message = "'\(listing.key)' cannot replace '\(old)', because another product does"
            help = "leave '\(old)' in one `previously`"
        case .several(let products):
            let list = products.map { "'\($0.key)' (product \($0.id))" }.joined(separator: " and ")
            message = "'\(listing.key)' cannot be renamed, because the state has \(list): only one of them can stay"
            help =
                products.first?.key == listing.key
                ? "take `previously` out to keep product \(products[0].id); to keep another one, apply without "
                    + "'\(listing.key)' first"
                : "leave one key in `previously`; what no product names any more is deleted"
        }
        return Diagnostic(.error, .formerKey, message, location: listing.location(), help: help)
    }

    fileprivate static func formerKeyRespelled(_ listing: Listing, _ old: String, known: String) -> Diagnostic {
        Diagnostic(
            .error,
            .formerKey,
            "the state knows no product '\(old)', which '\(listing.key)' was before, but '\(known)'",
            location: listing.location(),
            help: "write `previously: [\(known)]`"
        )
    }

    fileprivate static func formerKeysUnknown(_ listing: Listing) -> Diagnostic {
        let keys = listing.previously.map { "'\($0)'" }.joined(separator: " or ")
        return Diagnostic(
            .warning,
            .formerKey,
            "'\(listing.key)' is made again, because the state knows no product \(keys)",
            location: listing.location(),
            help: "a product that was never applied has no former keys"
        )
    }

    fileprivate static func likeKeys(_ listing: Listing, other: String) -> Diagnostic {
        Diagnostic(
            .warning,
            .key,
            "the keys '\(other)' and '\(listing.key)' are probably meant to be one, and are two products",
            location: listing.location(ofCell: .key),
            help: "take one of them out if it is a slip"
        )
    }

    fileprivate static func moreLikeKeys(_ count: Int) -> Diagnostic {
        Diagnostic(
            .warning,
            .key,
            "\(counted(count, "more new key")) \(count == 1 ? "is" : "are") like another new one",
            count: count
        )
    }
}
