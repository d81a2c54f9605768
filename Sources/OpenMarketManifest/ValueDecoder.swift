import OpenMarket
import YAML

/// Reads single values of a manifest, and reports their faults at their positions.
///
/// It holds which file and which part of it is being read, and the products so far.
struct ValueDecoder {
    enum Scope: Equatable {
        case root
        case section(ManifestSchema.Section)
        case product(Int)
        /// A table cell, by its name in a spreadsheet; empty for a whole row.
        case cell(String)

        /// The prefix of all paths in this scope: `market`, `products[3]`; empty at the top level.
        var path: String {
            switch self {
            case .root: ""
            case .section(let section): section.rawValue
            case .product(let index): "products[\(index)]"
            case .cell(let address): address
            }
        }

        var isProduct: Bool { if case .product = self { true } else { false } }
    }

    let options: ManifestOptions
    var log = DiagnosticLog()
    var products = ListingDrafts()
    var scope = Scope.root
    /// Whether a fault occurred since this was last set to `false`.
    var isFaulty = false

    init(options: ManifestOptions) { self.options = options }

    var file: Int { log.file }

    mutating func begin(_ source: ManifestSource) {
        log.begin(source)
        scope = .root
        strayKeys = []
    }

    private(set) var fetched: [FetchedText] = []
    /// The position of each setting, by its path.
    private(set) var places: [String: ManifestSections.Place] = [:]
    /// Keys of a mapping that was empty or misplaced: unknown ones among them are already reported.
    private(set) var strayKeys: Set<String> = []
    /// Whether a product was found inside another one, whose keys it repeats.
    var hasStrayProduct = false
    /// Whether the defaults are at a position that is not read.
    var lostDefaults = false
    var isReadingCredential = false

    mutating func note(
        _ origin: Text.Origin,
        _ value: String?,
        _ node: YAMLNode,
        field: String,
        isTolerated: Bool = false
    ) {
        // Longer values are checked in the product that has them.
        guard value.map({ $0.utf8.count <= FetchedText.longest }) ?? true else { return }
        fetched.append(
            FetchedText(
                origin: origin,
                value: value,
                span: node.span,
                file: file,
                path: path(of: field),
                isCredential: isReadingCredential,
                isTolerated: isTolerated
            )
        )
    }

    // MARK: Reporting

    mutating func report(
        _ code: Diagnostic.Code,
        _ message: String,
        at span: SourceSpan?,
        field: String = "",
        help: String? = nil,
        notes: [Diagnostic.Note] = [],
        quotesSource: Bool = false
    ) {
        isFaulty = true
        log.add(
            .error,
            code,
            message,
            file: file,
            span: span,
            path: path(of: field),
            help: help,
            notes: notes,
            quotesSource: quotesSource
        )
    }

    /// Hides values under a name close to a secret's name from every code frame.
    mutating func conceal(_ key: YAMLNode.Key, _ value: YAMLNode) {
        if SecretKey.isClose(key.name) { return conceal(value) }
        for node in [value] + (value.items ?? []) { for pair in node.pairs ?? [] { conceal(pair.key, pair.value) } }
    }

    /// Hides every text in a node from every code frame.
    mutating func conceal(_ node: YAMLNode) {
        for item in node.items ?? [] { conceal(item) }
        for pair in node.pairs ?? [] {
            log.secrets.append(Secret(pair.key.name))
            conceal(pair.value)
        }
        guard let text = node.text, node.tag != "!env", node.tag != "!file", !node.isNull else { return }
        log.secrets.append(Secret(text))
        // A text of several lines is split there.
        guard node.start.line != node.end.line else { return }
        for piece in text.split(whereSeparator: \.isWhitespace) { log.secrets.append(Secret(String(piece))) }
    }

    func location(_ mark: SourcePosition) -> SourceLocation {
        SourceLocation(file: log.sources[file].name, position: mark)
    }

    func path(of field: String) -> String {
        if case .cell(let address) = scope { return address }
        let start = scope.path
        return start.isEmpty || field.isEmpty || field.hasPrefix("[") ? start + field : start + "." + field
    }

    mutating func notePlace(of pair: YAMLNode.Pair, field: String) {
        places[path(of: field)] = ManifestSections.Place(key: pair.key.span, value: pair.value.span, file: file)
    }

    /// Records that the keys of a mapping may be elsewhere in the file, because of a line with other indentation.
    mutating func expectStray(_ keys: [String]) { strayKeys.formUnion(keys) }

    mutating func report(_ errors: [YAMLError]) {
        for error in errors {
            if error.kind == .syntax, let position = error.position,
                log.hasStrayKey(file: file, near: position.line)
            {
                isFaulty = true
                continue
            }
            if error.kind == .syntax, let marker = conflictMarker() {
                return report(
                    error.kind.code,
                    "a git conflict is not resolved: '<<<<<<<'",
                    at: SourceSpan(start: marker, length: 7),
                    help: "keep one of its sides, and take out the lines of git",
                    quotesSource: true
                )
            }
            var position = error.position
            if position == nil, let offset = error.byteOffset { position = self.position(ofByte: offset) }
            let note = error.context.map { context in
                Diagnostic.Note(context, location: error.contextPosition.map { location($0) })
            }
            report(
                error.kind.code,
                error.message,
                at: position.map { SourceSpan(start: $0, length: 1) },
                help: error.help,
                notes: note.map { [$0] } ?? [],
                quotesSource: true
            )
        }
    }

    /// The position of the first line that git writes for two versions in conflict.
    private func conflictMarker() -> SourcePosition? {
        var bytes: [UInt8] = []
        log.sources[file].reread { chunk in
            bytes += chunk
            return true
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let line = lines.firstIndex { $0.starts(with: "<<<<<<<".utf8) }
        return line.map { SourcePosition(line: UInt32(clamping: $0 + 1), column: 1) }
    }

    private func position(ofByte offset: Int) -> SourcePosition {
        var lines = SourceLines()
        var rest = offset
        log.sources[file].reread { chunk in
            lines.consume(chunk.prefix(rest))
            rest -= min(rest, chunk.count)
            return rest > 0
        }
        return SourcePosition(line: lines.line, column: lines.column + 1)
    }
}

extension YAMLError.Kind {
    fileprivate var code: Diagnostic.Code {
        switch self {
        case .syntax: .yamlSyntax
        case .encoding: .yamlEncoding
        case .limit: .yamlLimit
        case .duplicateKey: .yamlDuplicateKey
        case .undefinedAlias: .yamlAlias
        case .unsupported: .yamlUnsupported
        case .input: .unreadableFile
        }
    }
}
