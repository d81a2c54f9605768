import FoundationEssentials
package import OpenMarket
import YAML

/// A vendor that may write on v2, such as the academy assigned to each student.
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
        return Vendor(name: name, identifier: UUID().uuidString.lowercased(), secret: Secret(secret))
    }
}

extension Vendor {
    /// JavaScript's largest exact integer; SQLite's largest one would leave no id for the next vendor.
    private static let largestID = (1 << 53) - 1

    /// Reads a vendors file: a list `vendors` of `name`, `identifier`, `secret` and, optionally, `id`.
    ///
    /// A text may be `!env NAME`. There must be at least one vendor, and all identifiers and ids must differ. A
    /// ``ServerError`` has the position of the first mistake; the file's name is for messages.
    package static func list(yaml bytes: [UInt8], file: String) throws(ServerError) -> [Vendor] {
        try Section("vendors", [], [.required("vendors", \.self, vendors)]).read(bytes, file: file)
    }

    private static var vendors: Shape<[Vendor]> {
        Shape<[Vendor]>.list(.section(table), most: .max).noting { vendors, node, reader in
            var names: Set<String> = []
            var ids: Set<Int64> = []
            for (vendor, entry) in zip(vendors, node.items ?? []) {
                if !names.insert(vendor.identifier.lowercased()).inserted {
                    reader.report(.rule, "another vendor has this identifier", at: entry.start)
                }
                if let id = vendor.id, !ids.insert(id).inserted {
                    reader.report(.rule, "another vendor has this id", at: entry.start)
                }
            }
        }
    }

    private static var table: Section<Vendor> {
        Section(
            "vendor",
            Vendor(name: "", identifier: "", secret: Secret("")),
            [
                .required("name", \.name, .textOrVariable),
                .required("identifier", \.identifier, .textOrVariable),
                .required("secret", \.secret, Shape<String>.textOrVariable.map { Secret($0) }),
                .optional("id", \.id, Shape<Int>.whole(1...largestID).map { Int64($0) }),
            ]
        )
    }
}
