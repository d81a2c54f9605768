/// A field of a product that apply would write, and the reason.
package struct FieldChange: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// The manifest wants another value than the live one.
        case change
        /// Only the market changed since the last apply.
        case drift
        /// Market and manifest both changed, to different values.
        case conflict
    }

    package var field: ProductField
    package var kind: Kind
    /// The value last applied; `nil` if the field was never applied.
    package var base: FieldValue?
    /// `nil` if the market does not show a value.
    package var live: FieldValue?
    package var manifest: FieldValue?
}
