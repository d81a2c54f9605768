/// Where the fields of a product are in the manifest.
///
/// Eight places side by side and no dictionary: a manifest has one of these for each product.
package struct FieldPositions: Hashable, Sendable {
    // Line 0 stands for no place: lines count from 1.
    private static let none = SourcePosition(line: 0, column: 0)

    private var positions = FieldMap(repeating: none)

    /// No places yet.
    init() {}

    /// Where a field's value is; `nil` when it is not known.
    package subscript(field: ProductField) -> SourcePosition? {
        get { positions[field].line == 0 ? nil : positions[field] }
        set { positions[field] = newValue ?? Self.none }
    }
}

extension FieldPositions: ExpressibleByDictionaryLiteral {
    /// Places by field; the last one counts where a field appears twice.
    package init(dictionaryLiteral elements: (ProductField, SourcePosition)...) {
        for (field, position) in elements { self[field] = position }
    }
}
