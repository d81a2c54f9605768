package import OpenMarket

/// What a client proves itself with.
///
/// Prints no secret.
package struct Credentials: Sendable, Hashable {
    /// The vendor's identifier header (v2).
    var identifier: Secret?
    /// The vendor's secret (v2), or the password of every item that has none of its own (v1).
    var secret: Secret?
    /// The passwords of single items (v1), by the way in which plans and state refer to them.
    package var itemSecrets: [SecretReference: Secret]

    /// Credentials; reading needs none.
    package init(identifier: Secret? = nil, secret: Secret? = nil, itemSecrets: [SecretReference: Secret] = [:]) {
        self.identifier = identifier
        self.secret = secret
        self.itemSecrets = itemSecrets
    }

    /// What takes every secret out of the market's words, because a market may quote what it was sent.
    var mask: SecretMask { SecretMask([identifier, secret].compactMap(\.self) + itemSecrets.values) }
}
