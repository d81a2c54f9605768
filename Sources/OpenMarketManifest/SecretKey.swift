import OpenMarket

/// Keys with secret values, including misspelt keys: code frames hide their values.
enum SecretKey {
    private static let names = ["secret", "identifier"].map { Array($0.unicodeScalars) }
    /// Parts that mark any longer name as secret: `vendor_secret`, `passwd`.
    private static let parts = ["secret", "ident", "passw", "passphrase", "credential", "apikey", "token"]

    /// Whether a name is `secret` or `identifier`, has a similar meaning, or may be a misspelling.
    static func isClose(_ name: some StringProtocol) -> Bool {
        let lowered = name.lowercased()
        let letters = lowered.filter { $0.isLetter || $0.isNumber }
        if parts.contains(where: letters.contains) { return true }
        return ([letters] + lowered.split { !$0.isLetter && !$0.isNumber }.map(String.init)).contains { word in
            let scalars = Array(word.unicodeScalars)
            return names.contains { name in
                // The distance counts two edits at one position as three.
                abs(name.count - scalars.count) <= 2 && Suggestion.distance(scalars, name) <= 3
            }
        }
    }
}
