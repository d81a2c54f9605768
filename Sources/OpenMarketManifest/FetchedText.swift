import OpenMarket

/// A value that a tag of a manifest fetched, and where it is.
struct FetchedText {
    /// So many bytes have values that are noted; a credential has fewer.
    static let longest = 4096

    /// Where it was fetched from.
    let origin: ValueDecoder.Text.Origin
    /// What was fetched; `nil` for a variable that is not set.
    let value: String?
    /// The tag's value in the file.
    let span: SourceSpan
    /// The number of the manifest file.
    let file: Int
    /// The place in the document.
    let path: String
    /// Whether it is a credential.
    let isCredential: Bool
    /// Whether it may be unset.
    let isTolerated: Bool
}
