/// A picture that was fetched from the market.
package struct FetchedPicture: Hashable, Sendable {
    /// Its bytes.
    package var bytes: [UInt8]
    /// Their SHA-256.
    package var digest: ContentDigest

    /// A picture.
    package init(bytes: [UInt8], digest: ContentDigest) {
        self.bytes = bytes
        self.digest = digest
    }
}
