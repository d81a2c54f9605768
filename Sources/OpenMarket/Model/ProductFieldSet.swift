/// Some of a product's fields, in one byte: every row of a catalog has such a set.
///
/// A ninth field needs a second byte.
package struct ProductFieldSet: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// A bit for each field, in the order of ``ProductField``.
    private var bits: UInt8 = 0

    /// No fields.
    package init() {}

    /// These fields.
    package init(_ fields: some Sequence<ProductField>) {
        for field in fields { insert(field) }
    }

    /// These fields.
    package init(arrayLiteral fields: ProductField...) {
        self.init(fields)
    }

    /// Whether there is no field among them.
    package var isEmpty: Bool { bits == 0 }

    /// Whether a field is among them.
    package func contains(_ field: ProductField) -> Bool { bits & field.bit != 0 }

    /// Whether there is a field that both have.
    func overlaps(_ other: ProductFieldSet) -> Bool { bits & other.bits != 0 }

    /// The fields that the other does not have.
    package func subtracting(_ other: ProductFieldSet) -> ProductFieldSet {
        var rest = self
        rest.bits &= ~other.bits
        return rest
    }

    /// The fields that both have.
    package func intersection(_ other: ProductFieldSet) -> ProductFieldSet {
        var shared = self
        shared.bits &= other.bits
        return shared
    }

    /// The fields that either has.
    func union(_ other: ProductFieldSet) -> ProductFieldSet {
        var all = self
        all.formUnion(other)
        return all
    }

    /// Adds a field.
    package mutating func insert(_ field: ProductField) { bits |= field.bit }

    /// Takes a field out.
    package mutating func remove(_ field: ProductField) { bits &= ~field.bit }

    /// Adds the fields of another set.
    package mutating func formUnion(_ other: ProductFieldSet) { bits |= other.bits }

    /// The fields as a set of the standard library: one of 256 that are made once.
    var fields: Set<ProductField> { Self.sets[Int(bits)] }

    private static let sets = (0...255).map { bits in
        Set(ProductField.allCases.filter { UInt8(bits) & $0.bit != 0 })
    }
}

extension ProductField {
    fileprivate var bit: UInt8 { 1 << UInt8(order) }
}
