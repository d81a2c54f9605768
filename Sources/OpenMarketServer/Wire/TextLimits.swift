/// The most bytes of texts, even without `--strict`: a list has up to a thousand of them, and a search compares each.
///
/// The limits are this server's own; those of the public hosts are unknown.
enum TextLimits {
    /// For a product's long text.
    static let description = 64 << 10
    /// For any other text.
    static let text = 4 << 10
    /// For a search text.
    static let search = 1 << 10
}
