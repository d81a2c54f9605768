/// Which picture stands at a place of a product.
public enum PictureIdentity: Hashable, Sendable, Codable {
    /// A picture whose bytes we know: we sent it, or fetched and hashed it.
    case digest(ContentDigest)
    /// A picture of the market's whose bytes nobody has compared yet, by its reference.
    case unknown(String)
}
