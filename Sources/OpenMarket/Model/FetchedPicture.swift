/// A picture that was fetched from the market.
public struct FetchedPicture: Hashable, Sendable {
    /// Its bytes.
    public var bytes: [UInt8]
    /// Their SHA-256.
    public var digest: ContentDigest

    /// A picture.
    public init(bytes: [UInt8], digest: ContentDigest) {
        self.bytes = bytes
        self.digest = digest
    }
}
