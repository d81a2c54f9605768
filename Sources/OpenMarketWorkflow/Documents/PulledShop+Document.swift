package import OpenMarket
import OpenMarketManifest

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
            ),
            ("dropped", losses.isEmpty ? nil : .array(losses.map { .string($0.what) }))
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
