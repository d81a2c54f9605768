/// The values of a market's credentials, as texts that nothing else may hold.
///
/// A text that is a credential is found however short that is, single characters aside. Inside of longer texts only credentials of
/// ``leastContained`` bytes and more are looked for: shorter ones occur by chance.
package struct CredentialTexts: Sendable {
    /// How many bytes a credential has at least that is looked for inside of longer texts.
    package static let leastContained = 8

    /// More than so many different credentials, such as a password for each item, are found through a dictionary.
    private static let fewCredentials = 8

    private var whole: Set<[UInt8]> = []
    private var lengths: ClosedRange<Int> = 0...0
    /// What is looked for inside of texts, by its first ``leastContained`` bytes.
    private var contained: [UInt64: [[UInt8]]] = [:]
    /// The same, where it is little.
    private var patterns: [BytePattern] = []

    /// The texts that hold one of some secrets; unset ones hold nothing.
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

    /// Whether there is nothing to look for.
    package var isEmpty: Bool { whole.isEmpty }

    /// Whether a text is one of them or holds one.
    package func isHeld(by text: String) -> Bool {
        text.withUTF8Span { isHeld(by: $0) }
    }

    /// Whether a text is one of them or holds one.
    package func isHeld(by text: Span<UInt8>) -> Bool {
        guard !isEmpty, text.count >= lengths.lowerBound else { return false }
        return isOne(text) || isInside(text)
    }

    /// Whether a text is one of them, blanks around it aside.
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

    /// The bytes of a text without the blanks around it.
    private static func core(_ text: Span<UInt8>) -> Range<Int> {
        var core = text.indices
        while let first = core.first, text[first] <= 0x20 { core = core.dropFirst() }
        while let last = core.last, text[last] <= 0x20 { core = core.dropLast() }
        return core
    }
}
