import OpenMarket

/// The edits of a file as a patch for `git apply` and `patch`.
package struct UnifiedDiff: Sendable {
    /// Lines of the old file and their replacement, all with their line ends.
    private struct Change {
        var lines: Range<Int>
        var replacement: [ArraySlice<UInt8>]
    }

    private static let context = 3

    /// The patch's bytes; empty without changes.
    package let bytes: [UInt8]

    /// The edits must be sorted by position; `name` is the file's path in the patch.
    package init(_ original: [UInt8], _ edits: [ManifestEditor.Edit], name: String) {
        let old = Self.lines(of: original)
        let changes = Self.changes(original, edits, old)
        guard !changes.isEmpty else {
            bytes = []
            return
        }
        var patch = Array("--- \(Self.name("a/" + name))\n+++ \(Self.name("b/" + name))\n".utf8)
        var offset = 0
        var index = 0
        while index < changes.count {
            // Changes whose contexts touch share a hunk.
            var end = index + 1
            while end < changes.count,
                changes[end].lines.lowerBound - changes[end - 1].lines.upperBound <= 2 * Self.context
            { end += 1 }
            offset = Self.append(changes[index..<end], of: old, movedBy: offset, to: &patch)
            index = end
        }
        bytes = patch
    }

    /// Adds a hunk, and returns how many lines the rest of the file moves.
    private static func append(
        _ changes: ArraySlice<Change>,
        of old: [ArraySlice<UInt8>],
        movedBy offset: Int,
        to patch: inout [UInt8]
    ) -> Int {
        guard let first = changes.first, let last = changes.last else { return offset }
        let shown = max(0, first.lines.lowerBound - context)..<min(old.count, last.lines.upperBound + context)
        let growth = changes.reduce(0) { $0 + $1.replacement.count - $1.lines.count }
        patch +=
            "@@ -\(range(shown.lowerBound, shown.count)) +\(range(shown.lowerBound + offset, shown.count + growth)) @@\n"
            .utf8
        var next = shown.lowerBound
        for change in changes {
            for line in old[next..<change.lines.lowerBound] { append(" ", line, to: &patch) }
            for line in old[change.lines] { append("-", line, to: &patch) }
            for line in change.replacement { append("+", line, to: &patch) }
            next = change.lines.upperBound
        }
        for line in old[next..<shown.upperBound] { append(" ", line, to: &patch) }
        return offset + growth
    }

    /// The whole lines that edits affect, without those that do not change.
    private static func changes(
        _ original: [UInt8],
        _ edits: [ManifestEditor.Edit],
        _ old: [ArraySlice<UInt8>]
    ) -> [Change] {
        if old.isEmpty {
            let bytes = edits.flatMap(\.replacement)
            return bytes.isEmpty ? [] : [Change(lines: 0..<0, replacement: lines(of: bytes))]
        }
        var changes: [Change] = []
        var index = 0
        while index < edits.count {
            let start = line(of: edits[index].range.lowerBound, old)
            var end = line(of: edits[index].range.upperBound, old)
            var next = index + 1
            while next < edits.count, line(of: edits[next].range.lowerBound, old) <= end {
                end = max(end, line(of: edits[next].range.upperBound, old))
                next += 1
            }
            var bytes: [UInt8] = []
            var place = old[start].startIndex
            for edit in edits[index..<next] {
                bytes += original[place..<edit.range.lowerBound] + edit.replacement
                place = edit.range.upperBound
            }
            bytes += original[place..<old[end].endIndex]
            var lines = start..<end + 1
            var replacement = Self.lines(of: bytes)[...]
            while !lines.isEmpty, let line = replacement.first, line.elementsEqual(old[lines.lowerBound]) {
                replacement.removeFirst()
                lines = lines.lowerBound + 1..<lines.upperBound
            }
            while !lines.isEmpty, let line = replacement.last, line.elementsEqual(old[lines.upperBound - 1]) {
                replacement.removeLast()
                lines = lines.lowerBound..<lines.upperBound - 1
            }
            if let last = changes.last, last.lines.upperBound == lines.lowerBound {
                // Adjacent lines form one change, as in other diff tools.
                changes[changes.count - 1].lines = last.lines.lowerBound..<lines.upperBound
                changes[changes.count - 1].replacement += replacement
            } else if !lines.isEmpty || !replacement.isEmpty {
                changes.append(Change(lines: lines, replacement: Array(replacement)))
            }
            index = next
        }
        return changes
    }

    private static func append(_ sign: String, _ line: ArraySlice<UInt8>, to patch: inout [UInt8]) {
        patch += sign.utf8
        patch += line
        if line.last != UInt8(ascii: "\n") { patch += "\n\\ No newline at end of file\n".utf8 }
    }

    private static func range(_ start: Int, _ count: Int) -> String {
        // A range without lines starts at the line before it.
        count == 0 ? "\(start),0" : count == 1 ? "\(start + 1)" : "\(start + 1),\(count)"
    }

    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
            lines.append(bytes[start...index])
            start = index + 1
        }
        if start < bytes.count { lines.append(bytes[start...]) }
        return lines
    }

    /// The line that contains a byte; the last one for the end of the file.
    private static func line(of offset: Int, _ lines: [ArraySlice<UInt8>]) -> Int {
        max(0, lines.partitioningIndex { $0.startIndex > offset } - 1)
    }

    /// A file name as in patches: a tab terminates a name with blanks.
    private static func name(_ name: String) -> String { name.utf8.contains(UInt8(ascii: " ")) ? name + "\t" : name }
}
