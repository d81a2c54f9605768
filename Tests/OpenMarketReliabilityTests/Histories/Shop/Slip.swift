@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow

/// What hands do to a manifest, or to a table on its way through a spreadsheet.
enum Slip: CaseIterable {
    /// A key suffers one of ``KeySlip``.
    case key
    /// A key is typed as another word, and nothing else changes.
    case retyped
    /// A product is copied, and only the copy's key changed.
    case copied
    /// `id` is another product's, or no product's.
    case number
    /// The last lines of the file are cut off, within a cell or between two.
    case cut
    /// The keys slide down by a row, and the ids stay.
    case shifted
    /// `vendor_id` is another vendor's number, or no vendor's (v2).
    case vendor
}

/// A manifest or a table as it was typed, slip included.
struct Typed {
    var manifest: Manifest?
    /// The keys that only the slip brought in.
    var newKeys: [String] = []
    /// What was said of it before anything was planned.
    var words: [String] = []
    /// For messages.
    var title: String
}

/// A user at work on the products of a shop.
struct Typist {
    var items: [ShopItem]
    /// What the state knows, as an export of it shows.
    var folder: StateFolder
    var manifest: (_ items: [ShopItem]) -> Manifest
    var profile: MarketProfile

    /// Types the products, with one slip; `nil` where there is nothing to slip on.
    func type(_ slip: Slip, asTable isTable: Bool, _ dice: inout SeededGenerator) -> Typed? {
        var items = items.filter { !isTable || !$0.isAbsent }
        // What is edited at the same time may be another product.
        let known = items.indices.filter { index in
            guard let entry = folder.snapshot.entries[items[index].key] else { return false }
            let listing = items[index].listing
            return !items[index].isAbsent && entry.applied.name.isExactly(listing.values.name)
                && entry.applied.images == listing.values.images
        }
        if slip == .vendor { return otherVendor(items, &dice) }
        guard let index = known.randomElement(using: &dice) else { return nil }
        let key = items[index].key
        var title = "\(slip) of '\(key)'"
        var newKeys: [String] = []
        var pins: [Int: MarketID] = [:]
        let hasIDs = isTable && (slip == .number || slip == .shifted || Bool.random(using: &dice))
        var keys = items.map(\.key)
        var cut = 0
        switch slip {
        case .key:
            guard let kind = KeySlip.allCases.randomElement(using: &dice) else { return nil }
            keys[index] = kind.of(key)
            title += ", \(kind)"
        case .retyped: keys[index] = "other\(items[index].serial)"
        case .copied:
            items.append(items[index])
            items[items.count - 1].previously = []
            keys.append("\(key)-copy")
        case .number:
            pins[index] = MarketID(Int64.random(in: 1...60, using: &dice))
        case .cut:
            guard isTable else { return nil }
            cut = Int.random(in: 1...120, using: &dice)
        case .shifted:
            guard isTable, items.count > 1 else { return nil }
            keys = [keys[keys.count - 1]] + keys.dropLast()
        case .vendor: break
        }
        newKeys = keys.filter { key in !self.items.contains { $0.key == key } }
        for (index, key) in keys.enumerated() { items[index].key = key }
        guard isTable else {
            guard Set(keys).count == keys.count, slip != .shifted else { return nil }
            var manifest = manifest(items)
            for (index, id) in pins { manifest.listings[index].pinnedID = id }
            return Typed(manifest: manifest, newKeys: newKeys, title: title)
        }
        let ids = self.items.filter { !$0.isAbsent }.map { folder.snapshot.entries[$0.key]?.id }
        return table(items, ids: hasIDs ? ids : nil, pins, cut: cut, newKeys, "\(title), in a table")
    }

    /// The products under a vendor number that is not ours.
    private func otherVendor(_ items: [ShopItem], _ dice: inout SeededGenerator) -> Typed? {
        guard profile.capabilities.listShowsVendor else { return nil }
        var manifest = manifest(items)
        manifest.market.vendorID = [7, 8, 28, 92, 290].randomElement(using: &dice)
        return Typed(manifest: manifest, title: "vendor number \(manifest.market.vendorID ?? 0)")
    }

    /// The products as rows, read as the program reads them.
    private func table(
        _ items: [ShopItem],
        ids: [MarketID?]?,
        _ pins: [Int: MarketID],
        cut: Int,
        _ newKeys: [String],
        _ title: String
    ) -> Typed {
        var text = (ids == nil ? "" : "id,") + "key,name,description,price,currency,stock\r\n"
        for (index, item) in items.enumerated() {
            if let ids {
                let id = pins[index] ?? (ids.indices.contains(index) ? ids[index] : nil)
                text += id.map { "\($0)" } ?? ""
                text += ","
            }
            let cells = [
                item.key, item.name, item.description, "\(item.price)", item.currency.rawValue,
                item.stock.map { "\($0)" } ?? "",
            ]
            text += cells.map { "\"\($0)\"" }.joined(separator: ",") + "\r\n"
        }
        let bytes = Array(Array(text.utf8).dropLast(cut))
        var options = ManifestOptions(marketOverride: .builtIn(profile))
        options.readsPictures = false
        let loaded = ManifestLoader(options: options).decode(table: bytes)
        var typed = Typed(newKeys: newKeys, words: loaded.diagnostics.map(\.message), title: title)
        guard !loaded.hasErrors, var manifest = loaded.manifest else { return typed }
        // The pictures are named in each row, too.
        for index in manifest.listings.indices {
            let row = Int(manifest.listings[index].position.line) - 2
            guard items.indices.contains(row) else { continue }
            let listing = items[row].listing
            (manifest.listings[index].values.images, manifest.listings[index].pictures) = (
                listing.values.images, listing.pictures
            )
        }
        manifest.market = self.manifest([]).market
        manifest.policies = self.manifest([]).policies
        typed.manifest = manifest
        return typed
    }
}
