package import OpenMarket
import YAML

extension MarketDescription {
    /// The fields of a product besides its id, key and pictures.
    package struct Fields: Equatable, Sendable {
        package var name: TextField?
        package var description: TextField?
        /// The picture that lists show: read as an address, written as the picture's id.
        package var thumbnail: Place?
        /// The price before any reduction.
        package var price: MoneyField?
        /// The currency of both prices.
        package var currency: CurrencyField?
        package var sale: SaleField?
        package var stock: Place?
        package var ownerName: TextField?
        /// The creation time, as the market writes it.
        package var created: Place?
        /// The time of the last change, as the market writes it.
        package var updated: Place?
        /// The described fields in the order of the file, which is that of the wire.
        package var order: [Name] = []

        package enum Name: String, ClosedList {
            case name, description, thumbnail, price, currency, sale, stock
            case ownerName = "owner_name"
            case created, updated

            /// The corresponding product field; `nil` if manifests lack it.
            package var productField: ProductField? { self == .sale ? .salePrice : ProductField(rawValue: rawValue) }
        }

        package func place(of name: Name) -> Place? {
            switch name {
            case .name: self.name?.place
            case .description: description?.place
            case .thumbnail: thumbnail
            case .price: price?.place
            case .currency: currency?.place
            case .sale: sale?.place
            case .stock: stock
            case .ownerName: ownerName?.place
            case .created: created
            case .updated: updated
            }
        }

        func shows(_ name: Name) -> Bool {
            if name == .currency, currency?.fixed != nil { return true }
            if name == .sale, sale?.reading.isEmpty == false { return true }
            return place(of: name)?.reading.isEmpty == false
        }

        /// Whether a request can set a field.
        package func takes(_ name: Name) -> Bool { place(of: name)?.writing != nil }

        /// Whether the request of an operation can set a field.
        func takes(_ name: Name, in operation: Operation) -> Bool {
            takes(name) && place(of: name)?.isSaid(by: operation) ?? false
        }
    }

    package struct Place: Equatable, Sendable {
        var both: [JSONPointer] = []
        /// The pointers for reading, if they differ.
        var read: [JSONPointer] = []
        /// The pointer for writing, if it differs.
        var write: JSONPointer?
        /// The array element that contains the field.
        package var item: Item?
        /// The writing operations that can set it; `nil` for all.
        var operations: [Operation]?
        /// Values written with it.
        ///
        /// On reading, the field is unset if they do not match.
        package var companions: [PlacedValue] = []
        package var unset: Literal?
        /// How the market alters the value it was sent.
        var echo: Echo?

        /// The pointers for reading; the first that is present and not null counts.
        package var reading: [JSONPointer] { read.isEmpty ? both : read }

        /// The pointer for writing; `nil` if the field cannot be written.
        package var writing: JSONPointer? { write ?? (both.count == 1 ? both[0] : nil) }

        enum Echo: String, ClosedList {
            /// With other letter case or blanks, or cleaned up in some other way.
            case normalised
            /// As HTML with the same meaning.
            case html
        }

        /// One element of an array, identified by a value in it.
        package struct Item: Equatable, Sendable {
            /// The identifying value's pointer within the element.
            package var place = JSONPointer.whole
            package var value = Literal.null
            /// The field's pointer within the element.
            package var inside = JSONPointer.whole
            /// Other values of a new element.
            package var values: [PlacedValue] = []
        }
    }

    package struct TextField: Equatable, Sendable {
        package var place = Place()
        package var kind = Kind.text
        /// The language to use from a map of languages.
        package var language: Template?

        package enum Kind: String, ClosedList {
            case text
            /// An object with a text for each language.
            case languageMap = "language_map"
        }
    }

    /// The encoding of a price on the wire.
    package enum MoneyKind: String, ClosedList {
        case number
        /// A number without fraction.
        case whole
        /// A decimal number in a text.
        case decimalText = "decimal_text"
        /// A whole number of the currency's smallest units.
        case minorUnits = "minor_units"
    }

    package struct MoneyField: Equatable, Sendable {
        package var place = Place()
        package var kind = MoneyKind.number
    }

    /// The price of a sale, or a number that it follows from.
    package struct SaleField: Equatable, Sendable {
        package var place = Place()
        package var kind = MoneyKind.number
        /// The meaning of the number that is written, and that is read without ``shown``.
        package var meaning: Meaning?
        /// The locations for reading, with their meanings; the first that is present and not null counts.
        var shown: [Shown] = []
        package var ending: Ending?
        /// The operations that omit the field if there is no sale.
        package var omitted: [Operation] = []

        package enum Meaning: String, ClosedList {
            /// The price that buyers pay.
            case salePrice = "sale_price"
            case amountOff = "amount_off"
            /// The price before the sale; the price field then has the price that buyers pay now.
            case compareAt = "compare_at"
        }

        package struct Shown: Equatable, Sendable {
            package var place = JSONPointer.whole
            package var meaning = Meaning.salePrice
        }

        package enum Ending: Equatable, Sendable {
            case value(Literal)
            /// By writing the price as the sale price.
            case price
        }

        package var reading: [Shown] {
            guard shown.isEmpty, let meaning else { return shown }
            return place.reading.map { Shown(place: $0, meaning: meaning) }
        }
    }

    package struct CurrencyField: Equatable, Sendable {
        package var place = Place()
        package var letterCase = LetterCase.upper
        /// The codes that the market accepts; empty for any.
        var codes: [String] = []
        /// The currency of all products, if products do not state one.
        package var fixed: Template?

        package enum LetterCase: String, ClosedList {
            /// `KRW`.
            case upper
            /// `krw`.
            case lower
        }
    }
}
