package import OpenMarket

/// The credentials that a client sends.
///
/// Its description contains no secret.
package struct Credentials: Sendable, Hashable {
    /// The vendor's identifier header (v2).
    var identifier: Secret?
    /// The vendor's secret (v2), or the password of all items without their own (v1).
    var secret: Secret?
    /// The passwords of single items (v1), by their references in plans and state.
    package var itemSecrets: [SecretReference: Secret]

    package init(identifier: Secret? = nil, secret: Secret? = nil, itemSecrets: [SecretReference: Secret] = [:]) {
        self.identifier = identifier
        self.secret = secret
        self.itemSecrets = itemSecrets
    }

    var all: [Secret] { [identifier, secret].compactMap(\.self) + itemSecrets.values }
}
