package import OpenMarket
package import OpenMarketManifest

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
    var present: [Int] { indices.filter { !isAbsent(at: $0) } }
}
