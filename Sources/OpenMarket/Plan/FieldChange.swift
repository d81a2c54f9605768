/// A field of one product that apply would write, and why.
package struct FieldChange: Hashable, Sendable {
    /// Which side differs from what was last applied.
    package enum Kind: String, Hashable, Sendable {
        /// The manifest asks for another value than the live one.
        case change
        /// The market was changed since the last apply; the manifest did not change.
        case drift
        /// Both the market and the manifest changed, to different values.
        case conflict
    }

    /// The field.
    package var field: ProductField
    /// Which side differs from what was last applied.
    package var kind: Kind
    /// What was last applied; `nil` when we never applied this field.
    package var base: FieldValue?
    /// What the market shows; `nil` when it shows nothing.
    package var live: FieldValue?
    /// What the manifest wants.
    package var manifest: FieldValue?

    /// A change of a field.
    init(field: ProductField, kind: Kind, base: FieldValue?, live: FieldValue?, manifest: FieldValue?) {
        self.field = field
        self.kind = kind
        self.base = base
        self.live = live
        self.manifest = manifest
    }
}
