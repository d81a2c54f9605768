/// Keeps the market's pictures by the SHA-256 of their bytes, so that a review fetches each only once.
///
/// It is only a cache: a picture that cannot be kept is fetched again. A URL may show another picture by now, which
/// suffices for viewing; no decision is based on it.
package protocol PictureStore: Sendable {
    /// The bytes of the picture with this digest; `nil` if they are not stored.
    func bytes(of digest: ContentDigest) -> [UInt8]?

    /// The SHA-256 of the picture fetched from a URL of the market; `nil` if none was.
    func digest(at url: String) -> ContentDigest?

    /// Stores a picture and its URL, if possible.
    func keep(_ picture: FetchedPicture, from url: String)
}
