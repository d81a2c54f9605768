/// A value of an exported column, typed, for formats that tell numbers from text.
public enum CatalogValue: Hashable, Sendable {
    /// A text.
    case text(String)
    /// A whole number.
    case integer(Int64)
    /// An exact number.
    case decimal(ExactDecimal)
    /// Several texts in order.
    case list([String])
}
