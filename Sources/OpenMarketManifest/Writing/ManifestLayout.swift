import OpenMarket
import YAML

/// The position of the products in a manifest file, with the comments and anchors among them.
struct ManifestLayout {
    struct Comment {
        var line: Int
        /// The text after the `#`.
        var text: String
        /// The product below it; `nil` for a comment inside a product or after a value.
        var product: Int?
    }

    /// The bytes of the lines of `products` with its key; empty at the end of a file without products.
    private(set) var section: Range<Int>
    private(set) var comments: [Comment] = []
    /// The lines of anchors and aliases among the products.
    private(set) var anchors: [Int] = []

    /// A piece of the section with no comment except in its first line.
    private struct Token {
        var range: Range<Int>
        var isBlock = false
    }

    /// Throws `YAMLError` if the file is not YAML; `nil` if it is one mapping in braces, or no mapping.
    init?(_ bytes: [UInt8], _ places: LinePositions) throws(YAMLError) {
        section = bytes.count..<bytes.count
        var reader = YAMLEventReader(bytes)
        while try reader.next() != .documentStart { if reader.kind == .streamEnd { return } }
        guard try reader.next() == .mappingStart, !reader.isFlow else { return nil }
        while try reader.next() != .mappingEnd {
            let isProducts = reader.kind == .scalar && reader.text == ManifestSchema.Section.products.rawValue
            let key = places.offset(of: reader.start)
            var tokens = [Token(range: key..<places.offset(of: reader.end))]
            var starts: [Int] = []
            try Self.skip(&reader)
            try reader.next()
            try note(&reader, places, &tokens, &starts, isNoted: isProducts)
            if isProducts { setSection(bytes, places, tokens, starts) }
        }
    }

    private static func skip(_ reader: inout YAMLEventReader) throws(YAMLError) {
        var depth = 0
        repeat {
            switch reader.kind {
            case .sequenceStart, .mappingStart: depth += 1
            case .sequenceEnd, .mappingEnd: depth -= 1
            default: break
            }
            if depth > 0 { try reader.next() }
        } while depth > 0
    }

    /// Reads the node whose first event is the reader's current one, up to its last event.
    private mutating func note(
        _ reader: inout YAMLEventReader,
        _ places: LinePositions,
        _ tokens: inout [Token],
        _ starts: inout [Int],
        isNoted: Bool
    ) throws(YAMLError) {
        // For each open list or mapping, whether it is in brackets.
        var open: [Bool] = []
        while true {
            if isNoted {
                let range = places.offset(of: reader.start)..<places.offset(of: reader.end)
                let isEnd = reader.kind == .sequenceEnd || reader.kind == .mappingEnd
                if !isEnd, open.count == 1 { starts.append(range.lowerBound) }
                if reader.anchor != nil { anchors.append(Int(reader.start.line)) }
                // A node without brackets ends at the start of the next item.
                if !range.isEmpty, !isEnd || open.last == true {
                    tokens.append(Token(range: range, isBlock: [.literal, .folded].contains(reader.style)))
                }
            }
            switch reader.kind {
            case .sequenceStart, .mappingStart: open.append(reader.isFlow)
            case .sequenceEnd, .mappingEnd: open.removeLast()
            default: break
            }
            guard !open.isEmpty else { return }
            try reader.next()
        }
    }

    private mutating func setSection(_ bytes: [UInt8], _ places: LinePositions, _ tokens: [Token], _ starts: [Int]) {
        let first = places.starts[places.line(of: tokens[0].range.lowerBound)]
        var end = tokens.map(\.range.upperBound).max() ?? first
        let line = places.line(of: end)
        if places.starts[line] < end || end == first {
            end = line + 1 < places.starts.count ? places.starts[line + 1] : bytes.count
        }
        section = first..<end
        var free: [Range<Int>] = []
        var next = first
        for token in tokens {
            if token.range.lowerBound > next { free.append(next..<token.range.lowerBound) }
            if token.isBlock {
                // A comment may follow the start of a block.
                let line = places.content(ofLine: places.line(of: token.range.lowerBound))
                free.append(min(token.range.lowerBound + 1, line.upperBound)..<line.upperBound)
            }
            next = max(next, token.range.upperBound)
        }
        if next < end { free.append(next..<end) }
        for range in free { noteComments(bytes, range, places, starts, tokens) }
    }

    private mutating func noteComments(
        _ bytes: [UInt8],
        _ range: Range<Int>,
        _ places: LinePositions,
        _ starts: [Int],
        _ tokens: [Token]
    ) {
        var index = range.lowerBound
        while index < range.upperBound {
            defer { index += 1 }
            guard bytes[index] == UInt8(ascii: "#"),
                index == 0 || [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index - 1])
            else { continue }
            let line = places.line(of: index)
            let content = places.content(ofLine: line)
            let isAlone = bytes[content.lowerBound..<index].allSatisfy { $0 == 0x20 || $0 == 0x09 }
            let text = String(decoding: bytes[index + 1..<max(index + 1, content.upperBound)], as: UTF8.self)
            // The next product, if only comments precede it.
            let product = starts.partitioningIndex { $0 > index }
            let token = tokens[tokens.partitioningIndex { $0.range.lowerBound > index }...].first?.range.lowerBound
            let isAbove = isAlone && product < starts.count && token ?? 0 >= starts[product]
            comments.append(Comment(line: line + 1, text: text, product: isAbove ? product : nil))
            index = content.upperBound
        }
    }
}
