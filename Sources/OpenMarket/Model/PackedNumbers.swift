/// All numeric values of a product, stored inline; equal if the values are.
struct PackedNumbers: Hashable, Sendable {
    /// The currencies with a code here; others are stored elsewhere.
    enum CurrencyCode: UInt8, Sendable {
        case none, won, dollar, other
    }

    private struct Marks: OptionSet, Hashable, Sendable {
        let rawValue: UInt8
        static let price = Marks(rawValue: 1)
        static let stock = Marks(rawValue: 2)
        static let fullPrice = Marks(rawValue: 4)
        static let salePrice = Marks(rawValue: 8)
    }

    private var priceDigits: Int64 = 0
    private var saleDigits: Int64 = 0
    private var units: Int64 = 0
    private var priceScale: UInt8 = 0
    private var saleScale: UInt8 = 0
    private(set) var currencyCode = CurrencyCode.none
    private var marks: Marks = []

    init() {}

    init(_ values: ProductValues) {
        if let price = values.price {
            (priceDigits, priceScale) = (price.significand, price.scale)
            marks.insert(.price)
        }
        switch values.sale {
        case .fullPrice: marks.insert(.fullPrice)
        case .price(let price):
            (saleDigits, saleScale) = (price.significand, price.scale)
            marks.insert(.salePrice)
        case nil: break
        }
        stock = values.stock
        setCurrency(values.currency)
    }

    var price: ExactDecimal? {
        marks.contains(.price) ? ExactDecimal(significand: priceDigits, scale: Int(priceScale)) : nil
    }

    var sale: Sale? {
        if marks.contains(.fullPrice) { return .fullPrice }
        guard marks.contains(.salePrice) else { return nil }
        return ExactDecimal(significand: saleDigits, scale: Int(saleScale)).map(Sale.price)
    }

    var stock: Int64? {
        get { marks.contains(.stock) ? units : nil }
        set {
            units = newValue ?? 0
            if newValue == nil { marks.remove(.stock) } else { marks.insert(.stock) }
        }
    }

    /// `nil` if the currency lacks a code here.
    var currency: Currency? {
        switch currencyCode {
        case .none, .other: nil
        case .won: .krw
        case .dollar: .usd
        }
    }

    mutating func setCurrency(_ currency: Currency?) {
        currencyCode =
            switch currency {
            case nil: .none
            case .krw: .won
            case .usd: .dollar
            case .some: .other
            }
    }

    /// Whether a sale price equals the price and is not marked as such.
    var hasSaleAtFullPrice: Bool {
        marks.contains([.price, .salePrice]) && priceDigits == saleDigits && priceScale == saleScale
    }
}
