/// The values of a market's credentials, as texts that no other value may contain.
///
/// A text that equals a credential is found at any length above one character. Inside longer texts, only credentials of
/// at least ``leastContained`` bytes are searched: shorter ones occur by chance.
package struct CredentialTexts: Sendable {
    /// The minimum length in bytes of a credential that is searched inside longer texts.
    package static let leastContained = 8

    /// Above this number of credentials, such as a password for each item, a dictionary is used.
    private static let fewCredentials = 8

    private var whole: Set<[UInt8]> = []
    private var lengths: ClosedRange<Int> = 0...0
    /// The credentials to search inside texts, by their first ``leastContained`` bytes.
    private var contained: [UInt64: [[UInt8]]] = [:]
    /// The same credentials, if they are few.
    private var patterns: [BytePattern] = []

    /// Collects the credentials; unset secrets are skipped.
    package init(_ secrets: some Sequence<Secret>) {
        for secret in secrets {
            // Keys are compared in composed form, and blanks around a text are dropped.
            for spelling in [secret.revealed, secret.revealed.composed] {
                let bytes = spelling.withUTF8Span { Array($0.extracting(Self.core($0))) }
                guard bytes.count > 1, whole.insert(bytes).inserted else { continue }
                if bytes.count >= Self.leastContained {
                    contained[Self.word(bytes), default: []].append(bytes)
                }
            }
        }
        let counts = whole.map(\.count)
        if let least = counts.min(), let most = counts.max() { lengths = least...most }
        if contained.count <= Self.fewCredentials { patterns = contained.values.joined().map(BytePattern.init) }
    }

    package var isEmpty: Bool { whole.isEmpty }

    /// Whether a text is a credential or contains one.
    package func isHeld(by text: String) -> Bool {
        text.withUTF8Span { isHeld(by: $0) }
    }

    /// Whether a text is a credential or contains one.
    package func isHeld(by text: Span<UInt8>) -> Bool {
        guard !isEmpty, text.count >= lengths.lowerBound else { return false }
        return isOne(text) || isInside(text)
    }

    /// Whether a text is a credential, ignoring blanks around it.
    package func isOne(_ text: String) -> Bool {
        text.withUTF8Span { isOne($0) }
    }

    private func isOne(_ text: Span<UInt8>) -> Bool {
        let core = Self.core(text)
        return lengths.contains(core.count) && whole.contains(Array(text.extracting(core)))
    }

    private func isInside(_ text: Span<UInt8>) -> Bool {
        guard text.count >= Self.leastContained, !contained.isEmpty else { return false }
        guard patterns.isEmpty else { return patterns.contains { $0.isFound(in: text) } }
        var word: UInt64 = 0
        for index in text.indices {
            word = word << 8 | UInt64(text[index])
            let start = index + 1 - Self.leastContained
            guard start >= 0, let candidates = contained[word] else { continue }
            let rest = text.extracting(start...)
            if candidates.contains(where: { $0.count <= rest.count && $0.isExactly(rest.extracting(first: $0.count)) })
            {
                return true
            }
        }
        return false
    }

    private static func word(_ bytes: [UInt8]) -> UInt64 {
        bytes.prefix(leastContained).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The range of a text without the blanks around it.
    private static func core(_ text: Span<UInt8>) -> Range<Int> {
        var core = text.indices
        while let first = core.first, text[first] <= 0x20 { core = core.dropFirst() }
        while let last = core.last, text[last] <= 0x20 { core = core.dropLast() }
        return core
    }
}
