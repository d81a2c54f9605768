import OpenMarket

/// Finds comments that begin after an unquoted text on its own line, as in `name: Lamp #5 blue`.
///
/// YAML ends the text there, and nothing else shows that a part of it was lost.
///
/// A comment with two blanks before the `#` and one after it is intended as a comment.
struct TextComments {
    /// The end of an unquoted text.
    struct End: Comparable {
        /// The position after its last character.
        var position: SourcePosition
        /// Index among the listings.
        var listing: Int32
        /// Whether the text is the name; otherwise it is the description.
        var isName: Bool

        static func < (left: End, right: End) -> Bool { left.position < right.position }
    }

    /// Ends of texts without a comment found so far, in the file's order.
    private var ends: ArraySlice<End>
    private(set) var found: [(end: End, comment: SourcePosition)] = []

    private var position = SourcePosition(line: 1, column: 1)
    /// How many blanks follow the text; `nil` elsewhere.
    private var blanks: Int?
    /// The position of the `#`, until the following bytes show the intention.
    private var sign: SourcePosition?
    private var breaks = LineBreaks()

    /// The texts are those of one file.
    init(behind ends: [End]) { self.ends = ends.sorted()[...] }

    var isDone: Bool { ends.isEmpty }

    mutating func consume(_ chunk: [UInt8]) {
        for byte in breaks.withoutMark(chunk) {
            consume(byte)
            if isDone { return }
        }
    }

    private mutating func consume(_ byte: UInt8) {
        look(at: byte)
        switch breaks.step(byte) {
        case .inside: if byte & 0xC0 != 0x80 { position.column += 1 }
        case .end: position = SourcePosition(line: position.line + 1, column: 1)
        case .pastEnd: break
        }
    }

    private mutating func look(at byte: UInt8) {
        let isBlank = byte == 0x20 || byte == 0x09
        if let sign {
            let isSetOff = blanks ?? 0 > 1 && (isBlank || byte == 0x0A || byte == 0x0D)
            if !isSetOff, let end = ends.first { found.append((end, sign)) }
            return drop()
        }
        guard let count = blanks else {
            // A text whose column can no longer be reached, as after a byte that is counted differently, is skipped.
            while let end = ends.first, end.position < position { ends.removeFirst() }
            guard byte & 0xC0 != 0x80, let end = ends.first, end.position == position else { return }
            if isBlank { blanks = byte == 0x09 ? 2 : 1 } else { drop() }
            return
        }
        if isBlank {
            blanks = count + (byte == 0x09 ? 2 : 1)
        } else if byte == UInt8(ascii: "#") {
            sign = position
        } else {
            drop()
        }
    }

    private mutating func drop() {
        ends.removeFirst()
        blanks = nil
        sign = nil
    }

    mutating func finish() {
        if let sign, let end = ends.first, blanks ?? 0 < 2 { found.append((end, sign)) }
        ends = []
    }
}

extension TextComments {
    /// Whether the bytes may hold such a comment; only then the ends of texts are needed.
    ///
    /// Hot: runs over every byte of a manifest until it returns `true`, which it never does for files without `#`
    /// inside lines.
    static func mayBegin(in bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            defer { index += 1 }
            guard bytes[index] == UInt8(ascii: "#") else { continue }
            var before = index - 1
            while before >= 0, bytes[before] == 0x20 || bytes[before] == 0x09 { before -= 1 }
            // A `#` at the line's beginning cuts nothing off; one right after a text belongs to the text.
            if before >= 0, bytes[before] == 0x0A || before == index - 1 { continue }
            return true
        }
        return false
    }
}
