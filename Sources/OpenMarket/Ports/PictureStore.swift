/// Keeps pictures of the market by the SHA-256 of their bytes, so that a review fetches each only once.
///
/// Nothing depends on it: what cannot be kept is fetched again. What an address showed when it was fetched is good enough
/// to look at, and nothing is decided by it.
package protocol PictureStore: Sendable {
    /// A picture's bytes, which have this digest; `nil` where they are not here.
    func bytes(of digest: ContentDigest) -> [UInt8]?

    /// The SHA-256 of what an address of the market showed; `nil` where it was not looked at.
    func digest(at url: String) -> ContentDigest?

    /// Keeps a picture and what address it is from, if that is possible.
    func keep(_ picture: FetchedPicture, from url: String)
}
