/// A run's selection of products: targets and exclusions as globs over keys, and a list of keys.
package struct KeyFilter: Hashable, Sendable {
    /// Exact keys to accept, in addition to the targets; `nil` for no list.
    ///
    /// An empty list accepts no key.
    var keys: Set<String>?

    /// One of these must match; empty accepts every key.
    private var targets: KeyPatterns
    private(set) var exclusions: KeyPatterns

    package init(targets: [String] = [], keys: Set<String>? = nil, exclusions: [String] = []) {
        self.keys = keys
        self.targets = KeyPatterns(targets)
        self.exclusions = KeyPatterns(exclusions)
    }

    package var takesAll: Bool { targets.patterns.isEmpty && exclusions.patterns.isEmpty && keys == nil }

    /// Patterns that match none of these keys, as written: often typing errors.
    package func unmatched(in keys: some Collection<String>) -> [String] {
        targets.unmatched(in: keys) + exclusions.unmatched(in: keys)
    }

    package func unknown(in known: some Collection<String>) -> [String] {
        guard let keys, !keys.isEmpty else { return [] }
        return keys.subtracting(known).sorted()
    }

    /// The same filter, which also accepts a product by its key before a pending rename.
    func knowing(_ formerKeys: [String: String]) -> KeyFilter {
        guard !formerKeys.isEmpty, !takesAll else { return self }
        var filter = self
        filter.targets = targets.knowing(formerKeys)
        filter.exclusions = exclusions.knowing(formerKeys)
        for (key, former) in formerKeys where keys?.contains(former) == true { filter.keys?.insert(key) }
        return filter
    }

    /// The filter for those of some keys that this one accepts.
    func narrowed(to keys: some Sequence<String>) -> KeyFilter {
        KeyFilter(keys: Set(keys.filter(takes)), exclusions: exclusions.patterns)
    }

    package func takes(_ key: String) -> Bool {
        (targets.patterns.isEmpty && keys == nil || keys?.contains(key) == true || targets.contains(key))
            && !exclusions.contains(key)
    }
}

/// Keys that match at least one of some globs.
package struct KeyPatterns: Hashable, Sendable {
    package let patterns: [String]
    private let globs: [Glob]
    /// Keys in state and market before a pending rename, by the keys in the manifest.
    private var formerKeys: [String: String] = [:]

    package init(_ patterns: [String] = []) {
        self.patterns = patterns
        globs = patterns.map(Glob.init)
    }

    /// The same patterns, which a product also matches by its key before a pending rename.
    func knowing(_ formerKeys: [String: String]) -> KeyPatterns {
        guard !globs.isEmpty else { return self }
        var patterns = self
        patterns.formerKeys = formerKeys
        return patterns
    }

    /// Whether a key matches, or its product's key before a pending rename.
    package func contains(_ key: String) -> Bool {
        globs.contains { $0.matches(key) }
            || formerKeys[key].map { former in globs.contains { $0.matches(former) } } ?? false
    }

    /// Patterns that match none of these keys, as written: often typing errors.
    package func unmatched(in keys: some Collection<String>) -> [String] {
        zip(patterns, globs).compactMap { pattern, glob in keys.contains(where: glob.matches) ? nil : pattern }
    }
}

/// A pattern: `*` matches any text and `?` one character.
struct Glob: Hashable, Sendable {
    private let pattern: [Character]

    /// Every other character matches itself, in any Unicode form.
    init(_ pattern: String) {
        self.pattern = Array(pattern)
    }

    /// Whether the whole text matches; the worst-case time is text × pattern, never exponential.
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
