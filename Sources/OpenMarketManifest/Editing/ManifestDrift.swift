package import OpenMarket
import OpenMarketDescription

/// Drift of a product: the market's values differ from an unchanged manifest.
package struct ManifestDrift: Sendable {
    var listing: Listing
    var id: MarketID
    var live: ProductValues
    /// The fields that were changed on the market.
    package var fields: [ProductField]

    package init(listing: Listing, id: MarketID, live: ProductValues, fields: [ProductField]) {
        self.listing = listing
        self.id = id
        self.live = live
        self.fields = fields
    }

    /// The outcome for fields that are written together or not at all.
    package struct Outcome: Sendable {
        package var fields: [ProductField]
        /// Why they cannot be written; `nil` if they are.
        package var refusal: String?

        package init(fields: [ProductField], refusal: String?) {
            self.fields = fields
            self.refusal = refusal
        }
    }

    /// Writes the fields into the file that states them, as far as possible.
    ///
    /// `market` limits the texts and prices of a manifest.
    package func write(into editor: inout ManifestEditor, market: MarketSettings) -> [Outcome] {
        var writer = LiveProductWriter(
            profile: market.profile ?? .standard,
            limits: market.limits,
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
            // The sale price may be written even if the price cannot.
            return [Outcome(fields: [.price], refusal: refusal), write([.salePrice], faults, into: &editor)]
        }
    }

    /// Why no amount and no currency can be written: a related value that was changed in the manifest, too, would stay.
    ///
    /// A price and a sale price are two amounts in one currency, and each may change without the other.
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
            try editor.write(values, inProductAt: listing.position)
            return Outcome(fields: fields, refusal: nil)
        } catch {
            return Outcome(fields: fields, refusal: error.reason)
        }
    }

    /// The keys that state the fields, with their new texts.
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

    /// `sale_price` or `discount`, whichever is present, so that buyers pay the market's price; `nil` if neither has to
    /// change.
    ///
    /// A sale that ended becomes a sale at the full price: removing the line would remove its comment, too.
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
    /// Marks the changes as refused, because the editor undid them.
    package mutating func refuse() {
        for index in indices where self[index].refusal == nil {
            self[index].refusal = "the value cannot be written there"
        }
    }
}

extension FieldValue {
    /// The value as a manifest writes it; `nil` if it is neither text nor number.
    fileprivate var written: String? {
        switch self {
        case .text(let text): text
        case .number(let number): number.description
        case .integer(let number): String(number)
        case .sale, .images, .image: nil
        }
    }
}
