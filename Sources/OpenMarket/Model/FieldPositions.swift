/// The positions of a product's fields in the manifest.
///
/// Inline instead of in a dictionary, because each product of a manifest has them.
package struct FieldPositions: Hashable, Sendable {
    // Line 0 means no position: lines count from 1.
    private static let none = SourcePosition(line: 0, column: 0)

    private var positions = FieldMap(repeating: none)

    init() {}

    /// `nil` if the position is unknown.
    package subscript(field: ProductField) -> SourcePosition? {
        get { positions[field].line == 0 ? nil : positions[field] }
        set { positions[field] = newValue ?? Self.none }
    }
}

extension FieldPositions: ExpressibleByDictionaryLiteral {
    /// If a field is repeated, its last position counts.
    package init(dictionaryLiteral elements: (ProductField, SourcePosition)...) {
        for (field, position) in elements { self[field] = position }
    }
}
