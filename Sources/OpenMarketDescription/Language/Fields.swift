package import OpenMarket
import YAML

extension MarketDescription {
    /// What is known of a product, beside its id, its key and its pictures.
    package struct Fields: Equatable, Sendable {
        /// The name shown to buyers.
        package var name: TextField?
        /// The long text.
        package var description: TextField?
        /// The picture that lists show.
        package var thumbnail: ThumbnailField?
        /// The price before any reduction.
        package var price: MoneyField?
        /// The currency of both prices.
        package var currency: CurrencyField?
        /// What buyers pay while a sale lasts.
        package var sale: SaleField?
        /// Units for sale.
        package var stock: StockField?
        /// The name of who sells it.
        package var ownerName: TextField?
        /// When it was made, as the market writes it.
        package var created: SpellingField?
        /// When it was changed last, as the market writes it.
        package var updated: SpellingField?
        /// The fields that are described, in the order of the file, which is that of the wire.
        package var order: [Name] = []

        /// The name of a field in a description.
        package enum Name: String, ClosedList {
            case name, description, thumbnail, price, currency, sale, stock
            case ownerName = "owner_name"
            case created, updated

            /// The field of a product that it is; `nil` for one that manifests do not have.
            package var productField: ProductField? { self == .sale ? .salePrice : ProductField(rawValue: rawValue) }
        }

        /// Where a field is described to be.
        package func place(of name: Name) -> Place? {
            switch name {
            case .name: self.name?.place
            case .description: description?.place
            case .thumbnail: thumbnail?.place
            case .price: price?.place
            case .currency: currency?.place
            case .sale: sale?.place
            case .stock: stock?.place
            case .ownerName: ownerName?.place
            case .created: created?.place
            case .updated: updated?.place
            }
        }

        /// Whether a field is shown.
        func shows(_ name: Name) -> Bool {
            if name == .currency, currency?.fixed != nil { return true }
            if name == .sale, sale?.reading.isEmpty == false { return true }
            return place(of: name)?.reading.isEmpty == false
        }

        /// Whether a request can say a field.
        package func takes(_ name: Name) -> Bool { place(of: name)?.writing != nil }

        /// Whether the request of an operation can say a field.
        func takes(_ name: Name, in operation: Operation) -> Bool {
            takes(name) && place(of: name)?.isSaid(by: operation) ?? false
        }
    }

    /// Where a field is.
    package struct Place: Equatable, Sendable {
        /// Where it is read and written.
        var both: [JSONPointer] = []
        /// Where it is read, if that is elsewhere.
        var read: [JSONPointer] = []
        /// Where it is written, if that is elsewhere.
        var write: JSONPointer?
        /// The element of an array that holds it.
        package var item: Item?
        /// The writing operations that can say it; `nil` for all.
        var operations: [Operation]?
        /// What is written beside it.
        ///
        /// Read, the field is unset where this does not hold.
        package var companions: [PlacedValue] = []
        /// What it holds where it is unset.
        package var unset: Literal?
        /// Whether the market shows it otherwise than it was sent.
        var echo: Echo?

        /// Where it is read: the first that is there and not null.
        package var reading: [JSONPointer] { read.isEmpty ? both : read }

        /// Where it is written; `nil` where it cannot be.
        package var writing: JSONPointer? { write ?? (both.count == 1 ? both[0] : nil) }

        /// How a market shows what it was sent.
        enum Echo: String, ClosedList {
            /// Cleaned in a way of its own.
            case normalised
        }

        /// One element of an array: the one that holds something.
        package struct Item: Equatable, Sendable {
            /// What distinguishes it from the others, in the element.
            package var place = JSONPointer.whole
            /// What it holds there.
            package var value = Literal.null
            /// Where the field is, in the element.
            package var inside = JSONPointer.whole
            /// What a new element has beside it.
            package var values: [PlacedValue] = []
        }
    }

    /// A text.
    package struct TextField: Equatable, Sendable {
        /// Where it is.
        package var place = Place()
        /// What it is there.
        package var kind = Kind.text
        /// The language of it, in a map of languages.
        package var language: Template?

        /// What a text is.
        package enum Kind: String, ClosedList {
            /// A text.
            case text
            /// An object with a text for each language.
            case languageMap = "language_map"
        }
    }

    /// What a price is on the wire.
    package enum MoneyKind: String, ClosedList {
        /// A number.
        case number
        /// A number without fraction.
        case whole
        /// A decimal number in a text.
        case decimalText = "decimal_text"
        /// A whole number of the currency's smallest units.
        case minorUnits = "minor_units"
    }

    /// A price.
    package struct MoneyField: Equatable, Sendable {
        /// Where it is.
        package var place = Place()
        /// What it is there.
        package var kind = MoneyKind.number
    }

    /// The price of a sale, or what stands for it.
    package struct SaleField: Equatable, Sendable {
        /// Where it is.
        package var place = Place()
        /// What it is there.
        package var kind = MoneyKind.number
        /// What the number means that is written, and read without ``shown``.
        package var meaning: Meaning?
        /// Where it is read, and what it means there: the first that is there and not null.
        var shown: [Shown] = []
        /// How a sale is ended.
        package var ending: Ending?
        /// The operations that leave it out where there is no sale.
        package var omitted: [Operation] = []

        /// What the number of a sale means.
        package enum Meaning: String, ClosedList {
            /// What buyers pay.
            case salePrice = "sale_price"
            /// What is taken off the price.
            case amountOff = "amount_off"
            /// What buyers paid before: then the price is what they pay now.
            case compareAt = "compare_at"
        }

        /// Where a sale is shown.
        package struct Shown: Equatable, Sendable {
            /// The place.
            package var place = JSONPointer.whole
            /// What the number means.
            package var meaning = Meaning.salePrice
        }

        /// How a sale is ended.
        package enum Ending: Equatable, Sendable {
            /// By this value.
            case value(Literal)
            /// By the price as the price of the sale.
            case price
        }

        /// Where it is read, with what it means.
        package var reading: [Shown] {
            guard shown.isEmpty, let meaning else { return shown }
            return place.reading.map { Shown(place: $0, meaning: meaning) }
        }
    }

    /// A currency.
    package struct CurrencyField: Equatable, Sendable {
        /// Where it is.
        package var place = Place()
        /// How it is written there.
        package var letterCase = LetterCase.upper
        /// The codes that the market takes; any, where there are none.
        var codes: [String] = []
        /// The one of all products, where products do not say it.
        package var fixed: Template?

        /// How a code is written.
        package enum LetterCase: String, ClosedList {
            /// `KRW`.
            case upper
            /// `krw`.
            case lower
        }

        var kind = Kind.code
        package enum Kind: String, ClosedList { case code }
    }

    /// Units for sale.
    package struct StockField: Equatable, Sendable {
        /// Where it is.
        package var place = Place()
        var kind = Kind.integer
        package enum Kind: String, ClosedList { case integer }
    }

    /// The picture that lists show: its address where it is read, the picture's id where it is written.
    package struct ThumbnailField: Equatable, Sendable {
        /// Where it is.
        package var place = Place()
        var kind = Kind.pictureID
        package enum Kind: String, ClosedList { case pictureID = "picture_id" }
    }

    /// A text or number that is kept as the market writes it.
    package struct SpellingField: Equatable, Sendable {
        /// Where it is.
        package var place = Place()
        var kind = Kind.spelling
        package enum Kind: String, ClosedList { case spelling }
    }
}

// MARK: - Tables
