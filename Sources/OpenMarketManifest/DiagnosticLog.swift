import OpenMarket
import YAML

/// A stretch of a manifest file.
struct SourceSpan {
    /// Where it starts.
    var start: SourcePosition
    /// How many scalars it has on its first line; `nil` when it has several lines or nobody knows.
    var length: Int?

    init(start: SourcePosition, length: Int? = nil) {
        self.start = start
        self.length = length
    }

    init(start: YAMLMark, end: YAMLMark) {
        self.start = SourcePosition(start)
        length = start.line == end.line && end.column > start.column ? Int(end.column - start.column) : nil
    }
}

extension SourcePosition {
    /// The place of a mark.
    init(_ mark: YAMLMark) {
        self.init(line: mark.line, column: mark.column)
    }
}

extension YAMLNode {
    /// Where the node stands.
    var span: SourceSpan { SourceSpan(start: start, end: end) }
}

extension YAMLNode.Key {
    /// Where the key stands.
    var span: SourceSpan { SourceSpan(start: start, end: end) }
}

/// The diagnostics of a run, until they are put in order and given their code frames.
struct DiagnosticLog {
    private struct Entry {
        var file: Int
        var span: SourceSpan?
        var diagnostic: Diagnostic
    }

    private struct Identity: Hashable {
        var location: SourceLocation?
        var message: String
    }

    private var entries: [Entry] = []
    /// What a shared anchor has wrong is said once, not at every product that uses it.
    private var seen: Set<Identity> = []
    /// Secrets written out in a file: no code frame shows them.
    var secrets: [String] = []

    /// Takes a diagnostic; its location is made of the file and the span.
    mutating func add(_ diagnostic: Diagnostic, file: Int, span: SourceSpan?) {
        let identity = Identity(location: diagnostic.location, message: diagnostic.message)
        guard seen.insert(identity).inserted else { return }
        entries.append(Entry(file: file, span: span, diagnostic: diagnostic))
    }

    /// The diagnostics in the order of files and places, with code frames.
    func finished(sources: [ManifestSource]) -> [Diagnostic] {
        var frames: [Int: SourceLines] = [:]
        for (file, ofFile) in Dictionary(grouping: entries, by: \.file) where sources.indices.contains(file) {
            var wanted: [UInt32: ClosedRange<UInt32>] = [:]
            for case let span? in ofFile.map(\.span) {
                let column = span.start.column
                let range = wanted[span.start.line] ?? column...column
                wanted[span.start.line] = min(range.lowerBound, column)...max(range.upperBound, column)
            }
            guard !wanted.isEmpty else { continue }
            var lines = SourceLines(wanted: wanted)
            sources[file].reread { chunk in
                lines.consume(chunk)
                return !lines.isDone
            }
            lines.finish()
            frames[file] = lines
        }
        let places = entries.enumerated().sorted { left, right in
            let (first, second) = (left.element, right.element)
            if first.file != second.file { return first.file < second.file }
            let origin = SourcePosition(line: 0, column: 0)
            let (one, other) = (first.span?.start ?? origin, second.span?.start ?? origin)
            return one != other ? one < other : left.offset < right.offset
        }
        return places.map { _, entry in
            var diagnostic = entry.diagnostic
            if let span = entry.span, let window = frames[entry.file]?.windows[span.start.line] {
                diagnostic.excerpt = SourceExcerpt(
                    window: window,
                    column: span.start.column,
                    length: span.length,
                    secrets: secrets
                )
            }
            return diagnostic
        }
    }
}
