package import OpenMarket

/// What came of reading a manifest.
package struct LoadedManifest: Sendable {
    /// The manifest without the products that have faults; `nil` when no file could be opened at all.
    ///
    /// Nothing may be sent while ``hasErrors``: a product that is missing here for its faults looks like one to delete.
    package var manifest: Manifest?
    /// All faults and doubts of all files, in the order of the files and the places in them.
    package var diagnostics: [Diagnostic]

    /// Whether anything is wrong, as opposed to doubtful.
    package var hasErrors: Bool {
        diagnostics.contains { $0.severity == .error }
    }
}
