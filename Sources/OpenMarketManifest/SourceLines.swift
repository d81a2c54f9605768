import OpenMarket

/// Counts lines and columns in bytes as libyaml does, and extracts the lines that diagnostics show.
///
/// Lines end with LF, CR, CRLF, and also with U+0085, U+2028 and U+2029, which YAML 1.1 counts.
struct SourceLines {
    struct Window {
        /// The number of the line's scalars before it.
        var firstScalar: Int
        var bytes: [UInt8]
        /// The number of the line's scalars that can be shown; `nil` for all.
        var shownLength: Int?
    }

    /// The columns wanted from each line.
    private let wanted: [UInt32: ClosedRange<UInt32>]
    private(set) var windows: [UInt32: Window] = [:]

    private(set) var line: UInt32 = 1
    /// The number of scalars before the next byte.
    private(set) var column: UInt32 = 0
    private var secrets: SecretScanner
    /// The line so far, for the scanner; empty if no line is wanted.
    private var text: [UInt8] = []
    private let lastLine: UInt32
    private var breaks = LineBreaks()

    /// More context than any code frame shows.
    private static let margin: UInt32 = 400
    private static let maximumWindow = 1 << 16

    /// Prepares to extract lines of a manifest or a market's description; without `wanted` it only counts.
    init(wanted: [UInt32: ClosedRange<UInt32>] = [:], isDescription: Bool = false) {
        self.wanted = wanted
        secrets = SecretScanner(isDescription: isDescription)
        lastLine = wanted.keys.max() ?? .max
    }

    var isDone: Bool { line > lastLine }

    private mutating func endLine(dropping count: Int) {
        if !wanted.isEmpty {
            text.removeLast(min(count, text.count))
            // Every line is scanned, because a secret may continue from a line that is not wanted.
            let shownLength = secrets.shownLength(of: text)
            if let range = wanted[line] {
                let firstScalar = Int(range.lowerBound - min(range.lowerBound, Self.margin))
                let last = Int(range.upperBound.addingReportingOverflow(Self.margin).partialValue)
                let start = Self.offset(ofScalar: firstScalar, in: text[...])
                let end = Self.offset(ofScalar: last - firstScalar, in: text[start...])
                let bytes = Array(text[start..<end].prefix(Self.maximumWindow))
                windows[line] = Window(firstScalar: firstScalar, bytes: bytes, shownLength: shownLength)
            }
            text.removeAll(keepingCapacity: true)
        }
        line += 1
        column = 0
    }

    /// The start of a scalar in a line or a part of it, or the end of that.
    private static func offset(ofScalar number: Int, in text: ArraySlice<UInt8>) -> Int {
        var rest = number
        return text.firstIndex { byte in
            if byte & 0xC0 != 0x80 { rest -= 1 }
            return rest < 0
        } ?? text.endIndex
    }

    mutating func consume(_ chunk: some Collection<UInt8>) {
        for byte in breaks.withoutMark(chunk) {
            consume(byte)
            if isDone { return }
        }
    }

    private mutating func consume(_ byte: UInt8) {
        let step = breaks.step(byte)
        switch step {
        case .pastEnd: return
        case .end(length: 1): return endLine(dropping: 0)
        case .inside, .end: break
        }
        if byte & 0xC0 != 0x80 { column += 1 }
        // With room for the part behind the last column whose frame shows anything.
        if !wanted.isEmpty, text.count < SecretScanner.longestLine + 4096 { text.append(byte) }
        if case .end(let length) = step { endLine(dropping: length) }
    }

    mutating func finish() {
        if !isDone { endLine(dropping: 0) }
    }
}

extension SourceLines.Window {
    /// A mask that removes the hidden part of the line from a message about a column; `nil` if the column is shown.
    func hiddenText(at column: UInt32) -> SecretMask? {
        guard let shownLength, Int(column) > shownLength, shownLength >= firstScalar else { return nil }
        let scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
        let hidden = scalars[min(shownLength - firstScalar, scalars.count)...]
        let words = hidden.split { $0.properties.isWhitespace || "*&!\"',[]{}".unicodeScalars.contains($0) }
        return SecretMask([], from: 3).adding(words.map { String(String.UnicodeScalarView($0)) })
    }
}

extension SourceExcerpt {
    private static let width = 400
    private static let longestSecret = 1000

    /// Cuts a code frame out of a line or a part of it.
    ///
    /// `column` counts from 1. A `length` of `nil` underlines the apparent extent of the value.
    init?(window: SourceLines.Window, column: UInt32, length: Int?, mask: SecretMask) {
        var scalars = Array(String(decoding: window.bytes, as: UTF8.self).unicodeScalars)
        var caret = Int(column) - 1 - window.firstScalar
        guard caret >= 0, caret <= scalars.count else { return nil }
        var length = length
        let credentials = URLCredentials.ranges(in: scalars)
        let shown = window.shownLength.map { max(0, $0 - window.firstScalar) } ?? scalars.count
        if shown < scalars.count {
            scalars[shown...] = ArraySlice(SecretMask.replacement.unicodeScalars)
            caret = min(caret, shown)
        }
        for range in credentials.reversed() where range.lowerBound < shown {
            let range = range.clamped(to: 0..<shown)
            let added = SecretMask.replacement.unicodeScalars.count - range.count
            scalars.replaceSubrange(range, with: SecretMask.replacement.unicodeScalars)
            if let underlined = length, range.lowerBound >= caret, range.upperBound <= caret + underlined {
                length = underlined + added
            }
            caret = caret >= range.upperBound ? caret + added : min(caret, range.lowerBound)
        }
        // The shown part of a very long line, with room for secrets that begin or end outside it.
        let first = max(0, caret - Self.width - Self.longestSecret)
        scalars = Array(scalars[first..<min(scalars.count, caret + Self.width + Self.longestSecret)])
        caret -= first
        // Both sides of the caret are masked separately, so that the caret stays in its position.
        let before = Array(mask.masked(Self.text(scalars[..<caret])).unicodeScalars)
        scalars = before + Array(mask.masked(Self.text(scalars[caret...])).unicodeScalars)
        caret = before.count
        let underline = length ?? Self.valueLength(scalars, from: caret)
        var start = 0
        if scalars.count > Self.width {
            start = max(0, min(caret - Self.width / 3, scalars.count - Self.width))
        }
        let excerpt = scalars[start..<min(scalars.count, start + Self.width)]
        caret -= start
        self.init(text: Self.text(excerpt), caret: caret, length: max(1, min(underline, excerpt.count - caret)))
    }

    /// The number of scalars of the value that starts at a position.
    private static func valueLength(_ scalars: [Unicode.Scalar], from start: Int) -> Int {
        guard start < scalars.count else { return 1 }
        let quote = scalars[start]
        if quote == "\"" || quote == "'" {
            let end = scalars[(start + 1)...].firstIndex(of: quote)
            return (end.map { $0 + 1 } ?? scalars.count) - start
        }
        let isInFlow = scalars[..<start].contains { $0 == "[" || $0 == "{" }
        var end = start
        while end < scalars.count {
            if isInFlow, scalars[end] == "," || scalars[end] == "]" || scalars[end] == "}" { break }
            if scalars[end] == "#", end > start, scalars[end - 1] == " " { break }
            end += 1
        }
        while end > start + 1, scalars[end - 1] == " " || scalars[end - 1] == "\t" { end -= 1 }
        return end - start
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
