import OpenMarket

/// A range of a manifest file.
struct SourceSpan {
    var start: SourcePosition
    /// The number of scalars on one line; `nil` for a range of several lines or an unknown length.
    var length: Int?
}
