import OpenMarket

/// A stretch of a manifest file.
struct SourceSpan {
    /// Where it starts.
    var start: SourcePosition
    /// How many scalars it has on its first line; `nil` when it has several lines or nobody knows.
    var length: Int?
}
