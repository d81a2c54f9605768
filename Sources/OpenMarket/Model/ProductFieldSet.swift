/// A set of product fields in one byte, because each row of a catalog has several.
///
/// A ninth field needs a second byte: ``ProductField/bit`` does not compile with 256.
package struct ProductFieldSet: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// A ``ProductField/bit`` for each field.
    private var bits: UInt8 = 0

    package init() {}

    private init(bits: UInt8) { self.bits = bits }

    package init(_ fields: some Sequence<ProductField>) {
        for field in fields { insert(field) }
    }

    package init(arrayLiteral fields: ProductField...) {
        self.init(fields)
    }

    package var isEmpty: Bool { bits == 0 }

    package func contains(_ field: ProductField) -> Bool { bits & field.bit != 0 }

    func overlaps(_ other: ProductFieldSet) -> Bool { bits & other.bits != 0 }

    package func subtracting(_ other: ProductFieldSet) -> ProductFieldSet {
        ProductFieldSet(bits: bits & ~other.bits)
    }

    package func intersection(_ other: ProductFieldSet) -> ProductFieldSet {
        ProductFieldSet(bits: bits & other.bits)
    }

    func union(_ other: ProductFieldSet) -> ProductFieldSet { ProductFieldSet(bits: bits | other.bits) }

    package mutating func insert(_ field: ProductField) { bits |= field.bit }

    package mutating func remove(_ field: ProductField) { bits &= ~field.bit }

    package mutating func formUnion(_ other: ProductFieldSet) { bits |= other.bits }

    /// The fields as one of 256 standard sets, which are created once.
    var fields: Set<ProductField> { Self.sets[Int(bits)] }

    private static let sets = (0...255).map { bits in
        Set(ProductField.allCases.filter { UInt8(bits) & $0.bit != 0 })
    }
}
