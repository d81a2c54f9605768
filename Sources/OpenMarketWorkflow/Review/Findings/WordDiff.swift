import OpenMarket

struct WordDiff: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        case same(String)
        case removed(String)
        case added(String)
        /// Unchanged text that is left out.
        case omitted
    }

    /// The parts in the order of the texts; in a replacement the removed part comes first.
    var parts: [Part]

    /// The limit of words on a side, without the common beginning and end, for a word-by-word comparison.
    ///
    /// The comparison takes time in proportion to the product of both numbers.
    private static let longest = 4000

    /// Compares the bytes of the texts, so canonically equivalent characters differ.
    init(from old: String, to new: String) {
        let old = Self.words(of: old.masked)
        let new = Self.words(of: new.masked)
        let head = zip(old, new).prefix { $0 == $1 }.count
        let tail = zip(old.dropFirst(head).reversed(), new.dropFirst(head).reversed()).prefix { $0 == $1 }.count
        let before = Array(old[head..<(old.count - tail)])
        let after = Array(new[head..<(new.count - tail)])

        var builder = Builder()
        for word in old.prefix(head) { builder.append(word.text, as: .same) }
        if before.count <= Self.longest, after.count <= Self.longest {
            builder.append(from: before, to: after)
        } else {
            for word in before { builder.append(word.text, as: .removed) }
            for word in after { builder.append(word.text, as: .added) }
        }
        for word in old.suffix(tail) { builder.append(word.text, as: .same) }
        parts = builder.finish()
    }

    /// A shorter comparison that keeps only the unchanged text next to a change.
    ///
    /// `context` is the number of characters to keep next to a change, rounded to whole words.
    func focused(context: Int) -> WordDiff {
        var result = self
        result.parts = parts.indices.flatMap { index in
            guard case .same(let text) = parts[index] else { return [parts[index]] }
            let isFirst = index == parts.startIndex
            let isLast = index == parts.index(before: parts.endIndex)
            guard text.count > (isFirst || isLast ? context : 2 * context) else { return [parts[index]] }
            let end = isFirst ? "" : Self.beginning(of: text, context)
            let beginning = isLast ? "" : Self.ending(of: text, context)
            guard end.count + beginning.count < text.count else { return [parts[index]] }
            return [.same(end), .omitted, .same(beginning)].filter { $0 != .same("") }
        }
        return result
    }

    private static func beginning(of text: String, _ count: Int) -> String {
        let cut = text.prefix(count)
        // Up to the end of a word; of a longer word, its beginning.
        return String(cut.lastIndex(where: \.isWhitespace).map { cut[...$0] } ?? cut)
    }

    private static func ending(of text: String, _ count: Int) -> String {
        let cut = text.suffix(count)
        return String(cut.firstIndex(where: \.isWhitespace).map { cut[$0...] } ?? cut)
    }

    private static func words(of text: String) -> [ExactText] {
        var words: [ExactText] = []
        var start = text.startIndex
        var kind: Kind?
        for index in text.indices {
            let next = Kind(text[index])
            if let kind, kind != next || kind == .sign {
                words.append(ExactText(String(text[start..<index])))
                start = index
            }
            kind = next
        }
        if start < text.endIndex { words.append(ExactText(String(text[start...]))) }
        return words
    }

    /// The class of a character; each sign is a word by itself.
    private enum Kind {
        case word
        case space
        case sign

        init(_ character: Character) {
            self = character.isLetter || character.isNumber ? .word : character.isWhitespace ? .space : .sign
        }
    }

    private struct Builder {
        enum Side {
            case same
            case removed
            case added
        }

        private var parts: [Part] = []
        private var same = ""
        /// The space after a replaced word: if the next word is replaced too, both read better as one change.
        private var space = ""
        private var removed = ""
        private var added = ""

        mutating func append(_ text: String, as side: Side) {
            switch side {
            case .same where !removed.isEmpty && !added.isEmpty && text.allSatisfy(\.isWhitespace):
                space += text
            case .same:
                flushChanges()
                same += text
            case .removed:
                begin()
                removed += text
            case .added:
                begin()
                added += text
            }
        }

        private mutating func begin() {
            flushSame()
            removed += space
            added += space
            space = ""
        }

        mutating func append(from old: [ExactText], to new: [ExactText]) {
            var removals: Set<Int> = []
            var insertions: Set<Int> = []
            for change in new.difference(from: old) {
                switch change {
                case .remove(let offset, _, _): removals.insert(offset)
                case .insert(let offset, _, _): insertions.insert(offset)
                }
            }
            var next = 0
            func isAddedNext() -> Bool { next < new.count && insertions.contains(next) }
            for (index, word) in old.enumerated() {
                if removals.contains(index) {
                    append(word.text, as: .removed)
                    continue
                }
                while isAddedNext() {
                    append(new[next].text, as: .added)
                    next += 1
                }
                append(word.text, as: .same)
                next += 1
            }
            while isAddedNext() {
                append(new[next].text, as: .added)
                next += 1
            }
        }

        mutating func finish() -> [Part] {
            flushChanges()
            flushSame()
            return parts
        }

        private mutating func flushSame() {
            guard !same.isEmpty else { return }
            parts.append(.same(same))
            same = ""
        }

        private mutating func flushChanges() {
            if !removed.isEmpty { parts.append(.removed(removed)) }
            if !added.isEmpty { parts.append(.added(added)) }
            same += space
            (removed, added, space) = ("", "", "")
        }
    }
}
