package import OpenMarket

/// The result of reading a manifest.
package struct LoadedManifest: Sendable {
    /// The manifest without faulty products; `nil` if no file could be opened.
    ///
    /// Requests must not be sent while ``hasErrors``: a product omitted because of its faults would look like one to
    /// delete.
    package var manifest: Manifest?
    /// All diagnostics, sorted by file and position.
    package var diagnostics: [Diagnostic]

    package var hasErrors: Bool {
        diagnostics.contains { $0.severity == .error }
    }
}

extension LoadedManifest {
    package var document: JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("valid", .bool(!hasErrors)),
            ("files", .array((manifest?.files ?? []).map(JSONValue.string))),
            ("products", .integer(manifest?.listings.present.count ?? 0)),
            ("diagnostics", .array(diagnostics.map { JSONValue($0) }))
        )
    }
}

extension Listings {
    /// The products that are not tombstones.
    package var present: [Int] { indices.filter { !isAbsent(at: $0) } }
}
