import OpenMarket

/// A set of the eight fields of a product, in a byte.
struct FieldSet {
    private var bits: UInt8 = 0

    /// No fields, or some.
    init(_ fields: some Sequence<ProductField> = []) {
        for field in fields { self[field] = true }
    }

    /// Whether all fields of another set are in this one.
    func contains(_ other: FieldSet) -> Bool {
        bits & other.bits == other.bits
    }

    /// Whether a field is in the set.
    subscript(field: ProductField) -> Bool {
        get { bits & Self.bit(field) != 0 }
        set { bits = newValue ? bits | Self.bit(field) : bits & ~Self.bit(field) }
    }

    private static func bit(_ field: ProductField) -> UInt8 {
        switch field {
        case .name: 1
        case .description: 2
        case .price: 4
        case .currency: 8
        case .salePrice: 16
        case .stock: 32
        case .images: 64
        case .thumbnail: 128
        }
    }
}
