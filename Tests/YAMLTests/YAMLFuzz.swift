@testable import OpenMarket
@testable import YAML

/// What must hold for the YAML reader, whatever the bytes.
enum YAMLFuzz {
    /// What is wrong with the reader; `nil` when nothing is.
    static func fault(_ bytes: [UInt8]) -> String? {
        let whole = events(of: bytes, chunk: max(bytes.count, 1))
        let pieces = events(of: bytes, chunk: 7)
        // libyaml decodes ahead, so bytes that are not text end a whole text before what is wrong with its beginning.
        let common = min(whole.events.count, pieces.events.count)
        if whole.events.prefix(common) != pieces.events.prefix(common) { return "the text reads otherwise in pieces" }
        if whole.error?.kind != .encoding {
            if whole.error != pieces.error { return "the text in pieces has another fault" }
            if whole.events.count != pieces.events.count { return "the text reads further in pieces" }
        } else if pieces.error == nil {
            return "the text in pieces has no fault"
        }
        // The tree is walked here as no other code walks it, so aliases get less room.
        let limits = YAMLLimits(aliasExpansion: 10_000)
        do throws(YAMLError) {
            return try YAMLNode.parse(bytes, limits: limits).flatMap { fault($0, depth: 1, limits: limits) }
        } catch {
            return error.message.isEmpty ? "an error without a message" : nil
        }
    }

    private struct Event: Equatable {
        var kind: YAMLEventKind
        var start: SourcePosition
        var end: SourcePosition
        var tag: String?
        var anchor: String?
        var style: YAMLScalarStyle
        var text: String
    }

    private static func events(of bytes: [UInt8], chunk: Int) -> (events: [Event], error: YAMLError?) {
        var rest = bytes[...]
        var reader = YAMLEventReader { () throws(YAMLError) -> [UInt8] in
            defer { rest = rest.dropFirst(chunk) }
            return Array(rest.prefix(chunk))
        }
        var events: [Event] = []
        do throws(YAMLError) {
            while try reader.next() != .streamEnd {
                events.append(
                    Event(
                        kind: reader.kind,
                        start: reader.start,
                        end: reader.end,
                        tag: reader.tag,
                        anchor: reader.anchor,
                        style: reader.style,
                        text: reader.text
                    )
                )
            }
            return (events, nil)
        } catch {
            return (events, error)
        }
    }

    private static func fault(_ node: YAMLNode, depth: Int, limits: YAMLLimits) -> String? {
        if node.end < node.start { return "a node ends before it starts, at \(node.start)" }
        if depth > limits.depth + 1 { return "nested deeper than the limit" }
        for item in node.items ?? [] {
            if let fault = fault(item, depth: depth + 1, limits: limits) { return fault }
        }
        var names: Set<String> = []
        for pair in node.pairs ?? [] {
            if !names.insert(pair.key.name).inserted { return "a key appears twice at \(pair.key.start)" }
            if let fault = fault(pair.value, depth: depth + 1, limits: limits) { return fault }
        }
        return nil
    }
}
