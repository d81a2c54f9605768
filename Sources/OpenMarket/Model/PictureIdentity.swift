/// Which picture stands at a place of a product.
public enum PictureIdentity: Hashable, Sendable, Codable {
    /// A picture whose bytes we know: we sent it, or fetched and hashed it.
    case digest(ContentDigest)
    /// A picture of the market's whose bytes nobody has compared yet, by its reference.
    case unknown(String)

    /// Compares references by their bytes.
    public static func == (left: PictureIdentity, right: PictureIdentity) -> Bool {
        switch (left, right) {
        case (.digest(let left), .digest(let right)): left == right
        case (.unknown(let left), .unknown(let right)): left.isExactly(right)
        case (.digest, .unknown), (.unknown, .digest): false
        }
    }
}
