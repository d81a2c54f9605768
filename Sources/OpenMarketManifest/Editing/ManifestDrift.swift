package import OpenMarket
import OpenMarketDescription

/// What the market shows of a product that a manifest says otherwise, though the manifest was not changed.
package struct ManifestDrift: Sendable {
    /// The product as the manifest has it.
    var listing: Listing
    /// The product on the market.
    var id: MarketID
    /// What the market shows.
    var live: ProductValues
    /// The fields that were changed there.
    package var fields: [ProductField]

    /// Drift of a product.
    package init(listing: Listing, id: MarketID, live: ProductValues, fields: [ProductField]) {
        self.listing = listing
        self.id = id
        self.live = live
        self.fields = fields
    }

    /// What becomes of some of the fields.
    package struct Outcome: Sendable {
        /// The fields that are written together or not at all.
        package var fields: [ProductField]
        /// Why they cannot be written; `nil` where they are.
        package var refusal: String?
        /// The number of the change.
        private(set) var change: Int?

        /// Fields that cannot be written, for a reason; or that are, by a change of the editor's.
        package init(fields: [ProductField], refusal: String?) {
            self.fields = fields
            self.refusal = refusal
        }

        fileprivate init(fields: [ProductField], change: Int) {
            self.fields = fields
            self.change = change
        }
    }

    /// Writes the fields into the file that says them, as far as they can be placed there.
    ///
    /// - Parameters:
    ///   - editor: the file.
    ///   - market: what limits the texts and prices of a manifest.
    ///   - credentials: what no manifest may say of a product.
    /// - Returns: what becomes of each field.
    package func write(
        into editor: inout ManifestEditor,
        market: MarketSettings,
        credentials: CredentialTexts
    ) -> [Outcome] {
        var writer = LiveProductWriter(
            profile: market.profile ?? .v2b,
            limits: market.limits,
            credentials: credentials,
            widensLimits: false
        )
        _ = writer.product(LiveProduct(id: id, values: live), key: listing.key, pictures: .success([]))
        let faults = Dictionary(writer.omissions.map { ($0.field, $0.reason) }) { first, _ in first }
        // A price in another currency is another price.
        let money = fields.filter { [.price, .salePrice, .currency].contains($0) }
        let groups = fields.filter { !money.contains($0) }.map { [$0] } + (money.isEmpty ? [] : [money])
        return groups.flatMap { fields -> [Outcome] in
            if fields == money, let refusal = refusalOfMoney(money) {
                return [Outcome(fields: money, refusal: refusal)]
            }
            let together = write(fields, faults, into: &editor)
            guard let refusal = together.refusal, Set(fields) == [.price, .salePrice] else { return [together] }
            // What buyers pay may be said although the price cannot.
            return [Outcome(fields: [.price], refusal: refusal), write([.salePrice], faults, into: &editor)]
        }
    }

    /// Why no amount and no currency can be written: one that belongs to them, and was changed in the manifest, too, would stay.
    ///
    /// A price and what buyers pay are two amounts of one currency, of which each may be changed without the other.
    private func refusalOfMoney(_ fields: [ProductField]) -> String? {
        let pairs: [(ProductField, ProductField)] = [
            (.currency, .price), (.currency, .salePrice), (.price, .currency), (.salePrice, .currency),
        ]
        for (written, other) in pairs where fields.contains(written) && !fields.contains(other) {
            guard let ours = listing.values[other], let theirs = live[other], ours != theirs else { continue }
            return "the \(other.rawValue) beside it was changed in the manifest, too"
        }
        return nil
    }

    private func write(
        _ fields: [ProductField],
        _ faults: [ProductField: String],
        into editor: inout ManifestEditor
    ) -> Outcome {
        if let fault = fields.lazy.compactMap({ faults[$0] }).first { return Outcome(fields: fields, refusal: fault) }
        do throws(ManifestEditor.Refusal) {
            let values = try values(of: fields, in: editor)
            return Outcome(fields: fields, change: try editor.write(values, inProductAt: listing.position))
        } catch {
            return Outcome(fields: fields, refusal: error.reason)
        }
    }

    /// The keys that say the fields, with their new texts.
    private func values(
        of fields: [ProductField],
        in editor: ManifestEditor
    ) throws(ManifestEditor.Refusal) -> [(key: String, text: String)] {
        var values: [(key: String, text: String)] = []
        for field in fields {
            switch field {
            case .salePrice: break
            case .images, .thumbnail: throw ManifestEditor.Refusal(reason: "pictures are files, which are not fetched")
            default: values.append((field.rawValue, try shown(live[field]?.written)))
            }
        }
        if fields.contains(.price) || fields.contains(.salePrice) {
            if let sale = try reduction(of: fields, in: editor) { values.append(sale) }
        }
        return values
    }

    private func shown(_ text: String?) throws(ManifestEditor.Refusal) -> String {
        guard let text else { throw ManifestEditor.Refusal(reason: "the market shows none") }
        return text
    }

    /// `sale_price` or `discount`, whichever is there, so that buyers pay what the market asks; `nil` where neither
    /// has to change.
    ///
    /// A sale that ended is one at the full price: taking the line out would take its comment, too.
    private func reduction(
        of fields: [ProductField],
        in editor: ManifestEditor
    ) throws(ManifestEditor.Refusal) -> (key: String, text: String)? {
        guard let sale = fields.contains(.salePrice) ? live.sale : listing.values.sale else { return nil }
        let written = try editor.texts(inProductAt: listing.position)
        guard let price = fields.contains(.price) ? live.price : listing.values.price else {
            throw ManifestEditor.Refusal(reason: "the market shows no price")
        }
        let paid = sale.salePrice ?? price
        guard paid <= price else {
            throw ManifestEditor.Refusal(reason: "the sale price \(paid) is above the price \(price)")
        }
        guard sale == .fullPrice || paid < price else {
            throw ManifestEditor.Refusal(reason: "the price stays \(price), and the sale price equals it")
        }
        let isDiscount = written[ProductKey.discount.rawValue] != nil
        guard let amount = isDiscount ? price.subtracting(paid) : paid else {
            throw ManifestEditor.Refusal(reason: "the amounts have too many digits between them")
        }
        let key = isDiscount ? ProductKey.discount : .salePrice
        if let text = written[key.rawValue], ExactDecimal(text) == amount { return nil }
        return (key.rawValue, amount.description)
    }
}

extension [ManifestDrift.Outcome] {
    /// Refuses what the editor took out again.
    package mutating func refuse(_ changes: [Int]) {
        for index in indices where self[index].change.map(changes.contains) ?? false {
            self[index].refusal = "the value cannot be written there"
        }
    }
}

extension FieldValue {
    /// The value as a manifest says it; `nil` for what is neither text nor number.
    fileprivate var written: String? {
        switch self {
        case .text(let text): text
        case .number(let number): number.description
        case .integer(let number): String(number)
        case .sale, .images, .image: nil
        }
    }
}
