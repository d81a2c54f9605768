package import OpenMarket

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
