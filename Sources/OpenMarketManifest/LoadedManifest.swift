public import OpenMarket

/// What came of reading a manifest.
public struct LoadedManifest: Sendable {
    /// The manifest without the products that have faults; `nil` when no file could be opened at all.
    ///
    /// Nothing may be sent while ``hasErrors``: a product that is missing here for its faults looks like one to delete.
    public var manifest: Manifest?
    /// All faults and doubts of all files, in the order of the files and the places in them.
    public var diagnostics: [Diagnostic]

    /// Whether anything is wrong, as opposed to doubtful.
    public var hasErrors: Bool {
        diagnostics.contains { $0.severity == .error }
    }
}
