import OpenMarket

/// A stretch of a manifest file.
struct SourceSpan {
    var start: SourcePosition
    /// How many scalars it has on its first line; `nil` when it has several lines or that is not known.
    var length: Int?
}
