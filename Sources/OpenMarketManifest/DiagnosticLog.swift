import OpenMarket

/// The files of a run and their faults, until the diagnostics are sorted and get code frames.
struct DiagnosticLog {
    fileprivate struct Entry {
        var file: Int
        var span: SourceSpan?
        var diagnostic: Diagnostic
        var quotesSource: Bool

        /// File and line of a key without a value, or of an unknown one.
        var strayKey: [UInt32]? {
            // A key similar to an allowed one is misspelt, but at the right position.
            let isMisspelt = diagnostic.help?.hasPrefix("did you mean") ?? false
            guard diagnostic.code == .noValue || diagnostic.code == .unknownKey && !isMisspelt else { return nil }
            return (span?.start).map { [UInt32(truncatingIfNeeded: file), $0.line] }
        }
    }

    private struct Identity: Hashable {
        var location: SourceLocation?
        var message: String
    }

    /// In the order of reading.
    private(set) var sources: [ManifestSource] = []
    private var entries: [Entry] = []
    /// A fault in a shared anchor is reported once, not at every product that uses it.
    private var seen: Set<Identity> = []
    private var strayKeys: Set<[UInt32]> = []
    /// Secrets written in a file, which no code frame may show.
    var secrets: [Secret] = []
    /// The credentials of the market, which no message may show either.
    private var credentials: [Secret] = []
    /// Diagnostics about files that are not manifests.
    private var foreign: [Diagnostic] = []
    private var frequencies: [Frequent: Int] = [:]

    /// Faults that every product or column may have: the first are listed, the rest counted.
    enum Frequent: CaseIterable {
        case commentInText
        case repeatedName
        case writtenSecret
        case doubtfulCell
        case refusedColumn

        /// The number of listed faults of each kind.
        static let shown = 20

        /// The code, and the text after the number of unlisted faults.
        fileprivate var summary: (code: Diagnostic.Code, text: String) {
            switch self {
            case .commentInText: (.commentInText, "more comments begin inside a name or a description")
            case .repeatedName: (.repeatedName, "more names are used by another product")
            case .writtenSecret: (.writtenSecret, "more secrets are written out in the manifest")
            case .doubtfulCell: (.readOnlyCell, "more cells hold doubtful values")
            case .refusedColumn: (.tableColumn, "more columns cannot be used")
            }
        }
    }

    /// Counts a fault; true if it is among the first ones, which are listed.
    mutating func counts(_ fault: Frequent) -> Bool {
        frequencies[fault, default: 0] += 1
        return frequencies[fault, default: 0] <= Frequent.shown
    }

    /// Whether a key without a value, or an unknown one, is on a line shortly before this one.
    ///
    /// A wrongly indented line creates such a key, and often a YAML error below it.
    func hasStrayKey(file: Int, near line: UInt32) -> Bool {
        (line - min(line, 8)...line).contains { strayKeys.contains([UInt32(truncatingIfNeeded: file), $0]) }
    }

    /// Hides credentials in code frames and messages.
    mutating func hide(_ credentials: some Sequence<Secret>) {
        secrets += credentials
        self.credentials += credentials
    }

    var file: Int { sources.count - 1 }

    mutating func begin(_ source: ManifestSource) { sources.append(source) }

    /// Adds a diagnostic.
    ///
    /// `file` is the file's index, or -1 for none. `path` is the path in the document. `notes` are related positions.
    /// `quotesSource` states whether the message may contain a piece of the text that it is about.
    mutating func add(
        _ severity: Diagnostic.Severity,
        _ code: Diagnostic.Code,
        _ message: String,
        file: Int = -1,
        span: SourceSpan? = nil,
        path: String = "",
        help: String? = nil,
        notes: [Diagnostic.Note] = [],
        quotesSource: Bool = false
    ) {
        let location = sources.indices.contains(file) ? location(at: span?.start, file: file) : nil
        let diagnostic = Diagnostic(severity, code, message, location: location, path: path, help: help, notes: notes)
        guard seen.insert(Identity(location: location, message: message)).inserted else { return }
        let entry = Entry(file: file, span: span, diagnostic: diagnostic, quotesSource: quotesSource)
        entries.append(entry)
        if let line = entry.strayKey { strayKeys.insert(line) }
    }

    /// Adds a diagnostic about a file that is not a manifest, with its position and code frame.
    mutating func add(_ diagnostic: Diagnostic) { foreign.append(diagnostic) }

    /// A position in a file, or the file as a whole.
    func location(at position: SourcePosition?, file: Int) -> SourceLocation {
        guard let position, let header = sources[file].header else {
            return SourceLocation(file: sources[file].name, position: position)
        }
        let column = Int(position.column) - 1
        let name = header.indices.contains(column) && !header[column].isEmpty ? header[column] : nil
        return SourceLocation(
            file: sources[file].name,
            position: SourcePosition(line: position.line, column: max(position.column, 1)),
            table: name.map { .cell(column: $0) } ?? .row
        )
    }

    /// The diagnostics sorted by file and position, with code frames, and the counts of unlisted ones.
    func finished() -> [Diagnostic] {
        placed() + foreign
            + Frequent.allCases.compactMap { fault in
                let rest = frequencies[fault, default: 0] - Frequent.shown
                guard rest > 0 else { return nil }
                let severity: Diagnostic.Severity = fault == .refusedColumn ? .error : .warning
                return Diagnostic(severity, fault.summary.code, "\(rest) \(fault.summary.text)", count: rest)
            }
    }

    private func placed() -> [Diagnostic] {
        let mask = SecretMask(secrets, from: 3)
        // A short credential may occur in any word; alone it appears in quotes.
        let spellings = credentials.map(\.revealed).filter { $0.contains { !$0.isWhitespace } }.flatMap { text in
            text.utf8.count >= SecretMask.leastContained ? [text] : ["'\(text)'", "'\(text.trimmed)'"]
        }
        let messages = SecretMask([], from: 3).adding(spellings)
        var frames: [Int: SourceLines] = [:]
        for (file, ofFile) in Dictionary(grouping: entries, by: \.file)
        where sources.indices.contains(file) && sources[file].header == nil {
            var wanted: [UInt32: ClosedRange<UInt32>] = [:]
            for case let span? in ofFile.map(\.span) {
                let column = span.start.column
                let range = wanted[span.start.line] ?? column...column
                wanted[span.start.line] = min(range.lowerBound, column)...max(range.upperBound, column)
            }
            guard !wanted.isEmpty else { continue }
            var lines = SourceLines(wanted: wanted, isDescription: sources[file].isDescription)
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
            diagnostic.message = messages.masked(diagnostic.message)
            diagnostic.help = diagnostic.help.map { messages.masked($0) }
            for index in diagnostic.notes.indices {
                diagnostic.notes[index].message = messages.masked(diagnostic.notes[index].message)
            }
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
