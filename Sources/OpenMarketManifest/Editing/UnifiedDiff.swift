/// The edits of a file as a patch for `git apply` and `patch`.
package struct UnifiedDiff: Sendable {
    /// A line with its line end, and its sign in the patch.
    private typealias Row = (sign: String, line: ArraySlice<UInt8>)

    private static let context = 3
    private static let lineFeed = UInt8(ascii: "\n")

    /// The patch's bytes; empty without changes.
    package private(set) var bytes: [UInt8] = []

    /// The edits must be sorted by position; `name` is the file's path in the patch.
    package init(_ original: [UInt8], _ edits: [ManifestEditor.Edit], name: String) {
        let rows = Self.rows(original, edits)
        var (next, old, new) = (0, 0, 0)
        while let first = rows[next...].firstIndex(where: { $0.sign != " " }) {
            var last = first
            // Changes whose contexts touch share a hunk.
            while let more = rows[(last + 1)...].prefix(2 * Self.context + 1).lastIndex(where: { $0.sign != " " }) {
                last = more
            }
            let start = max(next, first - Self.context)
            let shown = rows[start..<min(rows.count, last + Self.context + 1)]
            (old, new) = (old + start - next, new + start - next)
            let (oldCount, newCount) = (shown.count { $0.sign != "+" }, shown.count { $0.sign != "-" })
            if bytes.isEmpty { bytes += "--- \(Self.name("a/" + name))\n+++ \(Self.name("b/" + name))\n".utf8 }
            bytes += "@@ -\(Self.range(old, oldCount)) +\(Self.range(new, newCount)) @@\n".utf8
            for (sign, line) in shown {
                bytes += sign.utf8 + line
                if line.last != Self.lineFeed { bytes += "\n\\ No newline at end of file\n".utf8 }
            }
            (next, old, new) = (shown.endIndex, old + oldCount, new + newCount)
        }
    }

    /// All lines of both files.
    private static func rows(_ original: [UInt8], _ edits: [ManifestEditor.Edit]) -> [Row] {
        func start(_ place: Int) -> Int { original[..<place].lastIndex(of: lineFeed).map { $0 + 1 } ?? 0 }
        func end(_ place: Int) -> Int { original[place...].firstIndex(of: lineFeed).map { $0 + 1 } ?? original.count }
        var rows: [Row] = []
        var next = 0
        var edits = edits[...]
        while let first = edits.popFirst() {
            let lines = start(first.range.lowerBound)
            var place = first.range.upperBound
            var replacement = original[lines..<first.range.lowerBound] + first.replacement
            while let edit = edits.first, start(edit.range.lowerBound) < end(place) {
                replacement += original[place..<edit.range.lowerBound] + edit.replacement
                place = edit.range.upperBound
                edits.removeFirst()
            }
            replacement += original[place..<end(place)]
            rows += Self.lines(of: original[next..<lines]).map { (" ", $0) }
            next = end(place)
            let (old, new) = (Self.lines(of: original[lines..<next]), Self.lines(of: replacement))
            let head = zip(old, new).prefix { $0 == $1 }.count
            let tail = zip(old.dropFirst(head).reversed(), new.dropFirst(head).reversed()).prefix { $0 == $1 }.count
            rows += old.prefix(head).map { (" ", $0) }
            rows += old.dropFirst(head).dropLast(tail).map { ("-", $0) }
            rows += new.dropFirst(head).dropLast(tail).map { ("+", $0) }
            rows += old.suffix(tail).map { (" ", $0) }
        }
        return rows + Self.lines(of: original[next...]).map { (" ", $0) }
    }

    private static func range(_ start: Int, _ count: Int) -> String {
        // A range without lines starts at the line before it.
        count == 0 ? "\(start),0" : count == 1 ? "\(start + 1)" : "\(start + 1),\(count)"
    }

    private static func lines(of bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var (lines, rest) = ([ArraySlice<UInt8>](), bytes)
        while let end = rest.firstIndex(of: lineFeed) ?? rest.indices.last {
            lines.append(rest[...end])
            rest = rest[(end + 1)...]
        }
        return lines
    }

    /// A file name as in patches: a tab terminates a name with blanks.
    private static func name(_ name: String) -> String { name.utf8.contains(UInt8(ascii: " ")) ? name + "\t" : name }
}
