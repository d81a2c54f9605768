package import OpenMarket
import YAML

/// A vendor that may write on v2, such as the academy gave to each student.
package struct Vendor: Hashable, Sendable {
    /// The number that products show as `vendor_id`; if `nil`, the database assigns one.
    var id: Int64?
    var name: String
    package var identifier: String
    package var secret: Secret

    package init(id: Int64? = nil, name: String, identifier: String, secret: Secret) {
        self.id = id
        self.name = name
        self.identifier = identifier
        self.secret = secret
    }

    /// The vendor of `OPENMARKET_IDENTIFIER` and `OPENMARKET_SECRET`; `nil` if one of them is not set.
    package init?(environment: [String: String]) {
        let (identifier, secret) = (environment["OPENMARKET_IDENTIFIER"] ?? "", environment["OPENMARKET_SECRET"] ?? "")
        guard !identifier.isEmpty, !secret.isEmpty else { return nil }
        self.init(name: "openmarket", identifier: identifier, secret: Secret(secret))
    }

    /// A vendor with a new identifier and a random secret of 16 letters and digits.
    static func made(name: String) -> Vendor {
        var generator = SystemRandomNumberGenerator()
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        let secret = String((0..<16).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
        return Vendor(name: name, identifier: TimeUUID.make().dashed, secret: Secret(secret))
    }
}

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
        let entries = try root.required("vendors")
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
