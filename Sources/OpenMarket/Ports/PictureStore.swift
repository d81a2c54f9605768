/// Keeps pictures of the market by the SHA-256 of their bytes, so that a review fetches each only once.
///
/// Nothing depends on it: what cannot be kept is fetched again. It says what bytes are, never which picture a product
/// has, so nothing is decided by what is in it.
public protocol PictureStore: Sendable {
    /// A picture's bytes, which have this digest; `nil` where they are not here.
    func bytes(of digest: ContentDigest) -> [UInt8]?

    /// Keeps a picture, if that is possible.
    func keep(_ picture: FetchedPicture)
}
