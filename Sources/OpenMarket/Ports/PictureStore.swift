/// Keeps the market's pictures by the SHA-256 of their bytes, so that a review fetches each only once.
///
/// Nothing depends on it: a picture that cannot be kept is fetched again. An address may show another picture by now,
/// which suffices for viewing; no decision is based on it.
package protocol PictureStore: Sendable {
    /// The bytes of the picture with this digest; `nil` if they are not stored.
    func bytes(of digest: ContentDigest) -> [UInt8]?

    /// The SHA-256 of the picture fetched from an address of the market; `nil` if none was.
    func digest(at url: String) -> ContentDigest?

    /// Stores a picture and its address, if possible.
    func keep(_ picture: FetchedPicture, from url: String)
}
