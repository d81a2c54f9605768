package import OpenMarket

/// The credentials that a client sends.
///
/// Its description contains no secret.
package struct Credentials: Sendable, Hashable {
    /// The vendor's identifier header (v2).
    var identifier: Secret?
    /// The vendor's secret (v2), or the password of every item without its own (v1).
    var secret: Secret?
    /// The passwords of single items (v1), by the reference that plans and state use.
    package var itemSecrets: [SecretReference: Secret]

    package init(identifier: Secret? = nil, secret: Secret? = nil, itemSecrets: [SecretReference: Secret] = [:]) {
        self.identifier = identifier
        self.secret = secret
        self.itemSecrets = itemSecrets
    }

    var all: [Secret] { [identifier, secret].compactMap(\.self) + itemSecrets.values }
}
