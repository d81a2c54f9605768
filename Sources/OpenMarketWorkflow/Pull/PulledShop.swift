package import OpenMarket
import OpenMarketManifest

package struct PulledShop: Sendable {
    var path: String
    var products: Int
    var pictures: Int
    /// The number of pictures that the market did not return, and may return later.
    var missing: Int
    /// Content of the market that is not in the manifest.
    var omissions: [LiveProductWriter.Omission]
    /// The products' own passwords that the manifest does not name.
    var secrets: [UnsaidSecret] = []
    /// Whether the catalog changed while it was read; `nil` if the market does not show it.
    var catalogMoved: Bool?
    /// Whether it is proved that all products of the market were read.
    var isProved: Bool
    /// The number of rows of the market's list that could not be read, and are not in the manifest.
    var lostRows: Int
    /// The number of products in other files of the manifest, and so not in this one.
    var elsewhere: Int
    /// The number of products that the manifest once listed, and does not list any more.
    var takenOut = 0
    /// The products that are not in the manifest because the market's description excludes them from writing.
    var otherKinds: [LeftOutProduct] = []

    /// A product's own password that is in the state, and whose location the manifest cannot name.
    struct UnsaidSecret: Hashable, Sendable {
        var key: String
        var id: MarketID
        var reason: String
    }

    /// The gap in the market's catalog; `nil` if the products are complete.
    var gap: CatalogGap? { CatalogGap(isProved: isProved, moved: catalogMoved, lostRows: lostRows) }

    /// Checks that all was pulled; missing pictures are reported before a gap.
    package func requireWhole() throws {
        guard missing == 0 else { throw PullError.picturesMissing(missing) }
        if let gap { throw gap }
    }
}

extension PulledShop {
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
                "left_out",
                otherKinds.isEmpty
                    ? nil
                    : .array(
                        otherKinds.map {
                            .object(of: ("id", JSONValue($0.id)), ("name", $0.name.map(JSONValue.string) ?? .null))
                        }
                    )
            ),
            (
                "not_managed",
                .array(
                    omissions.map { Self.leftOut($0.key, $0.id, $0.field.rawValue, $0.reason) }
                        + secrets.map { Self.leftOut($0.key, $0.id, "secret", $0.reason) }
                )
            )
        )
    }

    private static func leftOut(_ key: String, _ id: MarketID, _ field: String, _ reason: String) -> JSONValue {
        .object(
            of: ("key", .string(key)),
            ("id", JSONValue(id)),
            ("field", .string(field)),
            ("reason", .string(reason))
        )
    }
}
