/// The most bytes that texts may have, without `--strict` too: a list holds up to a thousand of them, and a search compares
/// with each.
///
/// The limits are this server's own; the public hosts' were never found.
enum TextLimits {
    /// Of a product's long text.
    static let description = 64 << 10
    /// Of any other text.
    static let text = 4 << 10
    /// Of what is searched for.
    static let search = 1 << 10
}
