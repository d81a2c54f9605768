/// The positions of a product's fields in the manifest.
///
/// Inline instead of in a dictionary, because each product of a manifest has them.
package struct FieldPositions: Hashable, Sendable {
    /// By ``ProductField/order``; line 0 means no position.
    private var lines = SIMD8<UInt32>()
    private var columns = SIMD8<UInt32>()

    init() {}

    /// `nil` if the position is unknown.
    package subscript(field: ProductField) -> SourcePosition? {
        get {
            let line = lines[field.order]
            return line == 0 ? nil : SourcePosition(line: line, column: columns[field.order])
        }
        set {
            lines[field.order] = newValue?.line ?? 0
            columns[field.order] = newValue?.column ?? 0
        }
    }
}
