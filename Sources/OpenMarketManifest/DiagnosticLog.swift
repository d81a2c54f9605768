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
        var quotesSource: Bool
    }

    private struct Identity: Hashable {
        var location: SourceLocation?
        var message: String
    }

    private var entries: [Entry] = []
    /// What a shared anchor has wrong is said once, not at every product that uses it.
    private var seen: Set<Identity> = []
    /// Secrets written out in a file: no code frame shows them.
    var secrets: [Secret] = []
    /// How many warnings of each kind there were.
    private var warningCounts: [Warning: Int] = [:]

    /// The warnings that every product may cause: the first of them are told one by one, all of them as a number.
    enum Warning: CaseIterable {
        case repeatedName
        case writtenSecret

        /// How many are told one by one.
        static let shown = 20

        /// What there are more of.
        fileprivate var rest: String {
            switch self {
            case .repeatedName: "more names are used by another product"
            case .writtenSecret: "more secrets are written out in the manifest"
            }
        }
    }

    /// Counts a warning.
    ///
    /// - Returns: whether it is among the first, which are told.
    mutating func counts(_ warning: Warning) -> Bool {
        warningCounts[warning, default: 0] += 1
        return warningCounts[warning, default: 0] <= Warning.shown
    }

    /// Takes a diagnostic; its location is made of the file and the span.
    ///
    /// - Parameters:
    ///   - diagnostic: what is wrong.
    ///   - file: the number of the file.
    ///   - span: where in it.
    ///   - quotesSource: whether the message may hold a piece of the text it speaks of.
    mutating func add(_ diagnostic: Diagnostic, file: Int, span: SourceSpan?, quotesSource: Bool = false) {
        let identity = Identity(location: diagnostic.location, message: diagnostic.message)
        guard seen.insert(identity).inserted else { return }
        entries.append(Entry(file: file, span: span, diagnostic: diagnostic, quotesSource: quotesSource))
    }

    /// The diagnostics in the order of files and places, with code frames, and the numbers of what is not told one by
    /// one.
    func finished(sources: [ManifestSource]) -> [Diagnostic] {
        placed(sources: sources)
            + Warning.allCases.compactMap { warning in
                let rest = warningCounts[warning, default: 0] - Warning.shown
                guard rest > 0 else { return nil }
                return Diagnostic(.warning, "\(rest) \(warning.rest)", count: rest)
            }
    }

    private func placed(sources: [ManifestSource]) -> [Diagnostic] {
        let mask = SecretMask(secrets)
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
                    mask: mask
                )
                if entry.quotesSource, let hidden = window.hiddenText(at: span.start.column) {
                    diagnostic.message = hidden.masked(diagnostic.message)
                    diagnostic.help = diagnostic.help.map { hidden.masked($0) }
                }
            }
            return diagnostic
        }
    }
}
