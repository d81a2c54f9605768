import OpenMarket

/// Converts lines exported by a version from before the first release, so that its state can be imported.
enum PrereleaseState {
    /// Whether the first line is of such a version; later ones have `format_version`.
    static func isHeader(_ header: JSONValue) -> Bool {
        header["version"] == .integer(1) && header["format_version"] == nil
    }

    static func header(_ header: JSONValue) -> JSONValue {
        renaming(header) { member in
            switch member.name {
            case "version": .init("format_version", member.value)
            case "market":
                .init(
                    "market",
                    renaming(member.value) { $0.name == "identifier" ? .init("identifier_sha256", $0.value) : $0 }
                )
            default: member
            }
        }
    }

    /// The line of a product; the old one had no object for the values, and prices were texts.
    static func entry(_ entry: JSONValue) -> JSONValue {
        var (members, applied): ([JSONValue.Member], [JSONValue.Member]) = ([], [])
        for member in entry.members ?? [] {
            switch member.name {
            case "price": applied.append(.init("price", number(member.value)))
            case "sale":
                applied.append(.init("sale_price", member.value == .string("none") ? .null : number(member.value)))
            case "currency", "description", "images", "name", "stock", "thumbnail": applied.append(member)
            case "sent_images":
                let images = (member.value.elements ?? []).map { image in
                    renaming(image) { $0.name == "digest" ? .init("sha256", $0.value) : $0 }
                }
                members.append(.init("sent_images", .array(images)))
            default: members.append(member)
            }
        }
        return .object(members + [.init("applied", .object(applied))])
    }

    private static func number(_ value: JSONValue) -> JSONValue {
        value.text.flatMap { ExactDecimal($0) }.map(JSONValue.number) ?? value
    }

    private static func renaming(_ object: JSONValue, _ rename: (JSONValue.Member) -> JSONValue.Member) -> JSONValue {
        object.members.map { .object($0.map(rename)) } ?? object
    }
}
