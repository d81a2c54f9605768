import OpenMarket
import OpenMarketDescription

/// Reads the sale that a market shows in one of three ways.
final class SaleReader: Sendable {
    typealias Wire = (number: ExactDecimal, meaning: MarketDescription.SaleField.Meaning)

    private struct Place {
        var field: FieldReader
        var meaning: MarketDescription.SaleField.Meaning
        /// The member with the number, for messages.
        var name: String
    }

    private let places: [Place]
    /// The slot of the first position if every number there except ``noSale`` is a sale; -1 if more has to be read.
    private let direct: Int
    private let directMeaning: MarketDescription.SaleField.Meaning
    private let noSale: ExactDecimal?
    /// The meaning of the number that is written.
    private let declared: MarketDescription.SaleField.Meaning
    /// Whether a sale that equals the price means that there is none.
    private let endsWithPrice: Bool
    private let missingIsNone: Bool
    let kind: MarketDescription.MoneyKind

    init?(
        _ sale: MarketDescription.SaleField,
        _ market: MarketDescription,
        _ parameters: [String: String],
        _ builder: inout MemberTree.Builder,
        _ rests: inout [FieldReader.Rest]
    ) {
        let ending: [Literal] = if case .value(let literal)? = sale.ending { [literal] } else { [] }
        let declared = sale.meaning ?? sale.reading.first?.meaning
        var places: [Place] = []
        for shown in sale.reading {
            guard
                let field = FieldReader(
                    sale.place,
                    at: [shown.place],
                    // Only a number with this meaning ends a sale: a 0 at another position is a price.
                    unset: shown.meaning == declared ? ending : [],
                    holdsNumbers: true,
                    parameters,
                    &builder,
                    &rests,
                    isLoose: market.names == .loose
                )
            else { continue }
            let name = shown.place.names(parameters).last ?? "sale"
            places.append(Place(field: field, meaning: shown.meaning, name: name))
        }
        guard let first = places.first else { return nil }
        self.places = places
        noSale = if case .number(let number)? = ending.first { number } else { nil }
        let isPlain = sale.place.item == nil && sale.place.companions.isEmpty && sale.place.unset == nil
        direct = isPlain && ending.isEmpty == (noSale == nil) && first.meaning == declared ? first.field.first : -1
        directMeaning = first.meaning
        self.declared = declared ?? first.meaning
        endsWithPrice = sale.ending == .price
        missingIsNone = declared != .amountOff || market.nulls == .unset
        kind = sale.kind
    }

    /// The slots of the members that may contain it.
    func slots(_ rests: [FieldReader.Rest]) -> [Int] { places.flatMap { $0.field.slots(rests) } }

    /// The number at the first position that has one; `nil` if there is none.
    ///
    /// `rests` belong to the reader that the sale was compiled for. `isShown` is whether such replies show sales, so
    /// that a missing number means that there is none.
    func read(
        _ values: borrowing MemberValues,
        _ rests: [FieldReader.Rest],
        _ row: inout LiveRow,
        isShown: Bool,
        _ faults: inout [String]
    ) -> Wire? {
        if direct >= 0, let number = values.number(direct) {
            guard number == noSale else { return (number, directMeaning) }
            row.sale = .fullPrice
            return nil
        }
        var null: String?
        var index = 0
        while index < places.count {
            let place = places[index]
            index += 1
            switch place.field.shown(values, rests) {
            case .missing: continue
            case .null: null = null ?? place.name
            case .unset:
                row.sale = .fullPrice
                return nil
            case let shown:
                let number = LenientValue.decimal(shown, place.name, &faults)
                return number.map { ($0, place.meaning) }
            }
        }
        if null == nil { row.isWhole = false }
        if missingIsNone, isShown || null != nil {
            row.sale = .fullPrice
        } else if let null {
            faults.append("\(null) is null")
        }
        return nil
    }

    func apply(
        _ number: ExactDecimal,
        _ meaning: MarketDescription.SaleField.Meaning,
        to row: inout LiveRow,
        _ faults: inout [String]
    ) {
        switch meaning {
        case .amountOff:
            guard number != .zero else {
                row.sale = .fullPrice
                return
            }
            guard let price = row.price else { return }
            guard let paid = price.subtracting(number) else {
                faults.append("the sale takes \(number) off \(price), which has too many digits between them")
                return
            }
            row.sale = Sale.at(paid, insteadOf: price)
        case .salePrice:
            guard meaning == declared || row.price != nil else { return }
            row.sale = Sale.at(number, insteadOf: row.price)
            row.hasEndedSale = endsWithPrice && number == row.price
        case .compareAt:
            // The number is the former price; the price field has the current one.
            guard let now = row.price else { return }
            guard now < number else {
                row.sale = .fullPrice
                return
            }
            row.sale = .price(now)
            row.price = number
        }
    }
}
