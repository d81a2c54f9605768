package import OpenMarket
import OpenMarketManifest

extension PulledShop {
    /// What was made, for programs.
    package var document: JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("manifest", .string(path)),
            ("products", .integer(Int64(products))),
            ("pictures", .integer(Int64(pictures))),
            ("missing_pictures", .integer(Int64(missing))),
            ("catalog_moved", catalogMoved.map { .bool($0) } ?? .null),
            ("proved", isProved ? nil : .bool(false)),
            ("lost_rows", .integer(Int64(lostRows))),
            ("listed_elsewhere", elsewhere == 0 ? nil : .integer(Int64(elsewhere))),
            (
                "not_managed",
                .array(
                    omissions.map {
                        .object(
                            of: ("key", .string($0.key)),
                            ("id", JSONValue($0.id)),
                            ("field", .string($0.field.rawValue)),
                            ("reason", .string($0.reason))
                        )
                    }
                )
            ),
            ("dropped", losses.isEmpty ? nil : .array(losses.map { .string($0.what) }))
        )
    }
}
