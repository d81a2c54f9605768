import OpenMarket

/// Scans a document for YAML that strict mode forbids.
///
/// That is tags, anchors, aliases, merged mappings, and keys that other YAML readers read as booleans or numbers.
struct DocumentScan: ~Copyable {
    private var reader: YAMLEventReader
    private(set) var faults: [Problem] = []
    /// The open lists and mappings; for a mapping, whether a key comes next.
    private var open: [(isMapping: Bool, isAtKey: Bool)] = []

    init(_ bytes: [UInt8], limits: YAMLLimits) { reader = YAMLEventReader(bytes, limits: limits) }

    /// Scans the whole text; invalid YAML ends the scan and is reported by the composer.
    mutating func run() {
        while let kind = try? reader.next(), kind != .streamEnd { take(kind) }
    }

    private mutating func take(_ kind: YAMLEventKind) {
        switch kind {
        case .scalar:
            checkNode()
            if open.last?.isMapping == true, open.last?.isAtKey == true { checkKey() }
            passNode()
        case .alias:
            report("aliases are not taken here", help: "write the value out; put a text that begins with '*' in quotes")
            passNode()
        case .sequenceStart, .mappingStart:
            checkNode()
            open.append((kind == .mappingStart, true))
        case .sequenceEnd, .mappingEnd:
            _ = open.popLast()
            passNode()
        case .documentStart, .documentEnd, .streamStart, .streamEnd: break
        }
    }

    /// A value follows a key, and the next key follows the value.
    private mutating func passNode() {
        guard let last = open.indices.last, open[last].isMapping else { return }
        open[last].isAtKey.toggle()
    }

    private mutating func checkNode() {
        if let tag = reader.tag {
            report("the tag '\(tag.excerpt)' is not taken here", help: "write it without a tag")
        }
        if let anchor = reader.anchor {
            report(
                "the anchor '&\(anchor.excerpt)' is not taken here",
                help: "write it without an anchor, and repeat the value in place of its aliases"
            )
        }
    }

    private mutating func checkKey() {
        guard reader.style == .plain else { return }
        let text = reader.text
        switch PlainScalar(plain: text) {
        case .text: break
        case .other where text == "<<": report("mappings are not merged here", help: "write the keys out")
        case .null, .boolean, .number, .other:
            report(
                "the key '\(text.excerpt)' is not read as a text by every reader of YAML",
                help: "write \"\(text.excerpt)\""
            )
        }
    }

    private mutating func report(_ message: String, help: String) {
        faults.append(Problem(.text, message, position: reader.start, help: help))
    }
}
