/// Which products a run is about: targets and exclusions, as globs over keys, and keys of a list.
package struct KeyFilter: Hashable, Sendable {
    /// Globs of which one must match; empty takes every key.
    var targets: [String] {
        get { targeted.patterns }
        set { targeted = KeyPatterns(newValue) }
    }
    /// Globs of which none may match.
    var exclusions: [String] {
        get { excluded.patterns }
        set { excluded = KeyPatterns(newValue) }
    }

    /// Keys that pass as they are, beside those that targets take; `nil` for no such list, and an empty one takes no key.
    var keys: Set<String>?

    // Read once, not for every key.
    private var targeted: KeyPatterns
    private var excluded: KeyPatterns

    /// A filter; by default one that takes every key.
    package init(targets: [String] = [], keys: Set<String>? = nil, exclusions: [String] = []) {
        self.keys = keys
        targeted = KeyPatterns(targets)
        excluded = KeyPatterns(exclusions)
    }

    /// Whether every key passes.
    package var takesAll: Bool { targets.isEmpty && exclusions.isEmpty && keys == nil }

    /// The patterns that fit none of these keys, as they are written: often a typing error.
    package func unmatched(in keys: some Collection<String>) -> [String] {
        targeted.unmatched(in: keys) + excluded.unmatched(in: keys)
    }

    /// The keys of the list that are not among these.
    package func unknown(in known: some Collection<String>) -> [String] {
        guard let keys, !keys.isEmpty else { return [] }
        return keys.subtracting(known).sorted()
    }

    /// The same, which takes a product also for the key that it has until it is renamed.
    func knowing(_ formerKeys: [String: String]) -> KeyFilter {
        guard !formerKeys.isEmpty, !takesAll else { return self }
        var filter = self
        filter.targeted = targeted.knowing(formerKeys)
        filter.excluded = excluded.knowing(formerKeys)
        for (key, former) in formerKeys where keys?.contains(former) == true { filter.keys?.insert(key) }
        return filter
    }

    /// Whether a key passes.
    func takes(_ key: String) -> Bool {
        (targets.isEmpty && keys == nil || keys?.contains(key) == true || targeted.contains(key))
            && !excluded.contains(key)
    }
}

/// Keys as globs say them; without a glob none.
package struct KeyPatterns: Hashable, Sendable {
    /// The globs, as they are written.
    package let patterns: [String]
    private let globs: [Glob]
    /// Under which key the state and the market have a product still, by the key that it has in the manifest.
    private var formerKeys: [String: String] = [:]

    /// The keys that fit at least one of these globs.
    package init(_ patterns: [String] = []) {
        self.patterns = patterns
        globs = patterns.map(Glob.init)
    }

    /// The same, which a product fits also by the key that it has until it is renamed.
    func knowing(_ formerKeys: [String: String]) -> KeyPatterns {
        guard !globs.isEmpty else { return self }
        var patterns = self
        patterns.formerKeys = formerKeys
        return patterns
    }

    /// Whether a key fits, or the one that its product has until it is renamed.
    func contains(_ key: String) -> Bool {
        globs.contains { $0.matches(key) }
            || formerKeys[key].map { former in globs.contains { $0.matches(former) } } ?? false
    }

    /// The patterns that fit none of these keys, as they are written: often a typing error.
    package func unmatched(in keys: some Collection<String>) -> [String] {
        zip(patterns, globs).compactMap { pattern, glob in keys.contains(where: glob.matches) ? nil : pattern }
    }
}

/// A pattern in which `*` stands for any text and `?` for one character.
struct Glob: Hashable, Sendable {
    private let pattern: [Character]

    /// A pattern; every other character stands for itself, in any Unicode form.
    init(_ pattern: String) {
        self.pattern = Array(pattern)
    }

    /// Whether the whole text fits.
    ///
    /// Time grows with text × pattern at worst, never exponentially.
    func matches(_ text: String) -> Bool {
        let text = Array(text)
        var position = 0
        var index = 0
        var star: (index: Int, position: Int)?
        while position < text.count {
            if index < pattern.count, pattern[index] == "*" {
                star = (index, position)
                index += 1
            } else if index < pattern.count, pattern[index] == "?" || pattern[index] == text[position] {
                index += 1
                position += 1
            } else if let last = star {
                // The star takes one character more.
                index = last.index + 1
                position = last.position + 1
                star = (last.index, position)
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == "*" }
    }
}
