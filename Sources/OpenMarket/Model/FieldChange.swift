/// A field of one product that apply would write, and the reason.
package struct FieldChange: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// The manifest asks for another value than the live one.
        case change
        /// The market was changed since the last apply; the manifest did not change.
        case drift
        /// Both the market and the manifest changed, to different values.
        case conflict
    }

    package var field: ProductField
    package var kind: Kind
    /// The value last applied; `nil` if we never applied this field.
    package var base: FieldValue?
    /// The market's value; `nil` if it shows none.
    package var live: FieldValue?
    package var manifest: FieldValue?
}
