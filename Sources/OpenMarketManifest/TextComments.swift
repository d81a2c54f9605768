import OpenMarket

/// Finds comments that start after an unquoted text on its own line, as in `name: Lamp #5 blue`.
///
/// YAML ends the text there, and the loss of a part of it is otherwise not visible.
///
/// A comment with two blanks before the `#` and one after it counts as intended.
struct TextComments {
    /// The end of an unquoted text.
    struct End {
        /// The position after the text's last character.
        var position: SourcePosition
        /// The index among the listings.
        var listing: Int32
        /// Whether the text is the name; otherwise it is the description.
        var isName: Bool
    }

    /// The ends of texts on this line and below, in the file's order.
    private var ends: ArraySlice<End>
    private(set) var found: [(end: End, comment: SourcePosition)] = []

    private var line: UInt32 = 1
    /// The line so far, if a text ends on it.
    private var text: [UInt8] = []
    private var breaks = LineBreaks()

    /// The ends must be those of one file.
    init(behind ends: [End]) { self.ends = ends.sorted { $0.position < $1.position }[...] }

    var isDone: Bool { ends.isEmpty }

    mutating func consume(_ chunk: [UInt8]) {
        for byte in breaks.withoutMark(chunk) {
            let step = breaks.step(byte)
            if case .pastEnd = step { continue }
            if ends.first?.position.line == line { text.append(byte) }
            if case .end = step { finish() }
            if isDone { return }
        }
    }

    /// Processes the last line.
    mutating func finish() {
        while let end = ends.first, end.position.line <= line {
            ends.removeFirst()
            if let column = Self.comment(in: text, behind: end.position.column) {
                found.append((end, SourcePosition(line: line, column: column)))
            }
        }
        text.removeAll(keepingCapacity: true)
        line += 1
    }

    /// The column of a comment after a text that ends before `column`, unless it is intended; `nil` if there is none.
    private static func comment(in line: [UInt8], behind column: UInt32) -> UInt32? {
        var before = Int(column) - 1
        let behind = line.drop { byte in
            if byte & 0xC0 != 0x80 { before -= 1 }
            return before >= 0
        }
        let blanks = behind.prefix { $0 == 0x20 || $0 == 0x09 }
        let rest = behind[blanks.endIndex...]
        guard !blanks.isEmpty, rest.first == UInt8(ascii: "#") else { return nil }
        let isSetOff = blanks.count > 1 || blanks.first == 0x09
        let isComment = rest.dropFirst().first.map { [0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? true
        return isSetOff && isComment ? nil : column + UInt32(blanks.count)
    }
}

extension TextComments {
    /// Whether the bytes may contain such a comment; only then are the ends of texts needed.
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
            // A `#` at the start of the line is harmless; one directly after a text belongs to the text.
            if before >= 0, bytes[before] == 0x0A || before == index - 1 { continue }
            return true
        }
        return false
    }
}
