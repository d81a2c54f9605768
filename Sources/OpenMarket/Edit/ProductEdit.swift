/// What a source of edits wants the manifest to hold about one product.
///
/// The source of an edit is an expression, a table, the market, a past run, or decisions. It does not depend on YAML:
/// the editor finds the lines. An edit that the manifest has already is skipped.
package struct ProductEdit: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        /// Changes fields of a listed product.
        case change([FieldEdit])
        /// Lists a product, in `file` or in the only file that lists products.
        case add(AddedProduct, file: String?)
        /// Takes the product's lines out, if the manifest has the values of `base`; `nil` takes them out in any case.
        case remove(base: ProductValues?)
        /// Leaves the product alone, for a reason of the source.
        case leave(because: String)

        /// Does not list a product with the values of one market.
        static let leaveAdjusted = leave(because: "its values came from 'adjust' for this market")
    }

    package var key: String
    package var action: Action
    /// The origin of the edit, in a few words for the diff and for faults: `price=+10%`, `prices.csv:3`.
    package var reason: String
    /// The row of a table that asks for it.
    package var source: SourceLocation?

    package init(key: String, _ action: Action, reason: String, source: SourceLocation? = nil) {
        self.key = key
        self.action = action
        self.reason = reason
        self.source = source
    }
}

/// A wanted value of one field.
package struct FieldEdit: Hashable, Sendable {
    package enum Field: Hashable, Sendable {
        case value(ProductField)
        case protected
        case id

        /// The key in the manifest; a sale may be written as `discount` instead.
        package var name: String {
            switch self {
            case .value(let field): field.rawValue
            case .protected: "protected"
            case .id: "id"
            }
        }
    }

    package enum Value: Hashable, Sendable {
        /// A text, a number or a sale; pictures are ``paths(_:)``.
        case value(FieldValue)
        /// The paths of `images`, or the one of `thumbnail`, as the manifest of the product writes them.
        case paths([String])
        case flag(Bool)
    }

    package enum Base: Hashable, Sendable {
        /// The edit counts, whatever the manifest has.
        case any
        /// The edit counts only if the manifest has this value; `nil` for none.
        case value(FieldValue?)
    }

    package var field: Field
    /// `nil` takes the line out: the field is not managed any more, and a sale ends.
    package var wanted: Value?
    package var base: Base
    /// Why the source itself leaves the field alone; `nil` if it does not.
    package var refusal: String?
    /// The cell of a table that asks for it.
    package var source: SourceLocation?

    package init(
        _ field: Field,
        _ wanted: Value?,
        base: Base = .any,
        refusal: String? = nil,
        source: SourceLocation? = nil
    ) {
        self.field = field
        self.wanted = wanted
        self.base = base
        self.refusal = refusal
        self.source = source
    }
}

/// A product that an edit lists.
package struct AddedProduct: Hashable, Sendable {
    /// Without pictures, which are ``images`` and ``thumbnail``, and without a sale at the full price.
    package var values: ProductValues
    /// Paths relative to the folder of the manifest; `nil` leaves the pictures unmanaged.
    package var images: [String]?
    package var thumbnail: String?
    package var id: MarketID?
    package var isAbsent: Bool
    package var isProtected: Bool
    package var ignoreChanges: ProductFieldSet
    /// The source of the product's own password (v1).
    package var secret: SecretReference?
    /// Comments above it.
    package var comments: [String] = []

    package init(
        values: ProductValues = ProductValues(),
        images: [String]? = nil,
        thumbnail: String? = nil,
        id: MarketID? = nil,
        isAbsent: Bool = false,
        isProtected: Bool = false,
        ignoreChanges: ProductFieldSet = [],
        secret: SecretReference? = nil
    ) {
        self.values = values.withoutPictures
        if values.sale == .fullPrice { self.values.sale = nil }
        self.images = images
        self.thumbnail = thumbnail
        self.id = id
        self.isAbsent = isAbsent
        self.isProtected = isProtected
        self.ignoreChanges = ignoreChanges
        self.secret = secret
    }
}
