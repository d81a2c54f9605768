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
        let (old, new) = (Self.words(of: old.masked), Self.words(of: new.masked))
        let head = zip(old, new).prefix { $0 == $1 }.count
        let tail = zip(old.dropFirst(head).reversed(), new.dropFirst(head).reversed()).prefix { $0 == $1 }.count
        let (before, after) = (old[head..<(old.count - tail)], new[head..<(new.count - tail)])
        var (removals, insertions) = (Set(before.indices), Set(after.indices))
        if before.count <= Self.longest, after.count <= Self.longest {
            (removals, insertions) = ([], [])
            for change in Array(after).difference(from: Array(before)) {
                switch change {
                case .remove(let offset, _, _): removals.insert(head + offset)
                case .insert(let offset, _, _): insertions.insert(head + offset)
                }
            }
        }
        var parts: [Part] = []
        // A change, and the unchanged text after it.
        var (removed, added, same) = ("", "", "")
        func flush() {
            if !removed.isEmpty { parts.append(.removed(removed)) }
            if !added.isEmpty { parts.append(.added(added)) }
            if !same.isEmpty { parts.append(.same(same)) }
            (removed, added, same) = ("", "", "")
        }
        func beginChange() {
            // Replaced words with only a space between them read better as one change.
            if !removed.isEmpty, !added.isEmpty, same.allSatisfy(\.isWhitespace) {
                removed += same
                added += same
                same = ""
            } else if !same.isEmpty {
                flush()
            }
        }
        var (place, next) = (0, 0)
        while place < old.count || next < new.count {
            if removals.contains(place) {
                beginChange()
                removed += old[place].text
                place += 1
            } else if insertions.contains(next) {
                beginChange()
                added += new[next].text
                next += 1
            } else {
                same += old[place].text
                (place, next) = (place + 1, next + 1)
            }
        }
        flush()
        self.parts = parts
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
}
