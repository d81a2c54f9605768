/// Replaces credentials in documents with `•••`, because a market or a state may hold an earlier product value that
/// contains one.
///
/// The values that a manifest wants never hold one (``CredentialTexts``). Credentials of fewer than
/// ``CredentialTexts/leastContained`` bytes are found only if they are the whole text.
package struct CredentialMask: Sendable {
    private var mask = SecretMask([])
    /// The bytes searched for before a text is parsed; empty if credentials may be spelled in other bytes.
    private var needles: [BytePattern] = []
    private var isAlwaysSearched = false
    /// The JSON spellings of credentials, and whether each must be the whole text.
    private var patterns: [(pattern: BytePattern, isWhole: Bool)] = []

    /// Creates a mask that hides nothing.
    package init() {}

    /// Hides the secrets; unset ones are skipped.
    package init(_ secrets: some Sequence<Secret>) {
        var long: [Secret] = []
        for secret in Set(secrets) where !secret.revealed.isEmpty {
            let written = JSONValue.string(secret.revealed).bytes()
            patterns.append((BytePattern(written), true))
            guard secret.revealed.utf8.count >= CredentialTexts.leastContained else { continue }
            long.append(secret)
            patterns.append((BytePattern(Array(written.dropFirst().dropLast())), false))
            // Letters and digits are the same in every kind of document.
            if secret.revealed.utf8.allSatisfy(Self.isPlain) {
                needles.append(BytePattern(Array(secret.revealed.utf8)))
            } else {
                isAlwaysSearched = true
            }
        }
        mask = SecretMask(long)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    package func masked(_ text: String) -> String {
        let mayHold = isAlwaysSearched || text.withUTF8Span { bytes in needles.contains { $0.isFound(in: bytes) } }
        guard mayHold else { return text }
        return mask.masked(text)
    }

    /// Masks credentials in the texts of JSON or of JSON Lines.
    package func masked(json bytes: [UInt8]) -> [UInt8] {
        patterns.reduce(bytes) { bytes, pattern in Self.replacing(pattern.pattern, pattern.isWhole, in: bytes) }
    }

    private static func replacing(_ pattern: BytePattern, _ isWhole: Bool, in bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var end = 0
        while let found = pattern.first(in: bytes.span, from: end) {
            result += bytes[end..<found.lowerBound]
            end = found.upperBound
            let next = bytes[end...].first { $0 != UInt8(ascii: " ") }
            if isWhole, next == UInt8(ascii: ":") {
                // A member name.
                result += bytes[found]
            } else {
                result += isWhole ? Array("\"\(SecretMask.replacement)\"".utf8) : Array(SecretMask.replacement.utf8)
            }
        }
        return end == 0 ? bytes : result + bytes[end...]
    }
}
