package struct FetchedPicture: Hashable, Sendable {
    package var bytes: [UInt8]
    /// The SHA-256 of the bytes.
    package var digest: ContentDigest

    package init(bytes: [UInt8], digest: ContentDigest) {
        self.bytes = bytes
        self.digest = digest
    }
}
