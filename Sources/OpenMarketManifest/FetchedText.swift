import OpenMarket

struct FetchedText {
    /// Values up to this many bytes are recorded; no credential is longer.
    static let longest = 4096

    let origin: ValueDecoder.Text.Origin
    /// The fetched text; `nil` if the variable is not set.
    let value: String?
    let span: SourceSpan
    let file: Int
    let path: String
    let isCredential: Bool
    let isTolerated: Bool
}
