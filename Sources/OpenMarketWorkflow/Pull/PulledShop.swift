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

    /// The gap in the market's catalog; `nil` if the products are complete.
    var gap: CatalogGap? { CatalogGap(isProved: isProved, moved: catalogMoved, lostRows: lostRows) }

    /// Checks that all was pulled; missing pictures are reported before a gap.
    package func requireWhole() throws {
        guard missing == 0 else {
            throw CommandFailure(
                .partialFailure,
                "\(counted(missing, "picture")) could not be downloaded, and the pictures of those products are not "
                    + "managed",
                help: "when they are available, take those products out of the manifest and pull them again with --id"
            )
        }
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
                    omissions.map {
                        .object(
                            of: ("key", .string($0.key)),
                            ("id", JSONValue($0.id)),
                            ("field", .string($0.field)),
                            ("reason", .string($0.reason))
                        )
                    }
                )
            )
        )
    }
}
