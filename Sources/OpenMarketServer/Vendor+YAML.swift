import OpenMarket
import YAML

extension Vendor {
    /// JavaScript's largest exact integer; with SQLite's largest one there would be no id left for the next vendor.
    private static let largestID = (1 << 53) - 1

    /// Reads a vendors file: a list `vendors` of `name`, `identifier`, `secret` and, optionally, `id`.
    ///
    /// A text may be `!env NAME`. There is at least one vendor, and all identifiers and ids differ. A ``ServerError``
    /// has the position of the first mistake; the file's name is for messages.
    package static func list(yaml bytes: [UInt8], file: String) throws -> [Vendor] {
        let root = try YAMLFile(bytes, file: file)
        try root.allow(["vendors"])
        guard let entries = root["vendors"] else { throw root.fault("'vendors' is missing") }
        var vendors: [Vendor] = []
        for entry in try entries.list() {
            try entry.allow(["name", "identifier", "secret", "id"])
            func required(_ key: String) throws -> String {
                guard let text = try entry[key]?.text(), !text.isEmpty else { throw entry.fault("'\(key)' is missing") }
                guard !text.holdsNull else { throw entry.fault("'\(key)' holds the character U+0000") }
                return text
            }
            let vendor = Vendor(
                id: try entry["id"].map { Int64(try $0.integer(in: 1...largestID)) },
                name: try required("name"),
                identifier: try required("identifier"),
                secret: Secret(try required("secret"))
            )
            guard !vendors.contains(where: { $0.identifier.lowercased() == vendor.identifier.lowercased() }) else {
                throw entry.fault("another vendor has this identifier")
            }
            guard vendor.id == nil || !vendors.contains(where: { $0.id == vendor.id }) else {
                throw entry.fault("another vendor has this id")
            }
            vendors.append(vendor)
        }
        guard !vendors.isEmpty else { throw entries.fault("no vendor is listed") }
        return vendors
    }
}
