import OpenMarket
import YAML

/// Converts between byte offsets and lines and columns of a file.
struct LinePositions {
    private let bytes: [UInt8]
    /// The offset of the first byte of each line.
    private(set) var starts: [Int]

    /// The lines of a file, as YAML counts them; `nil` for UTF-16, because it is decoded before it is read.
    init?(_ bytes: [UInt8]) {
        guard !bytes.starts(with: [0xFE, 0xFF]), !bytes.starts(with: [0xFF, 0xFE]) else { return nil }
        self.bytes = bytes
        var breaks = LineBreaks()
        let text = breaks.withoutMark(bytes)
        starts = [text.startIndex]
        for (index, byte) in zip(text.indices, text) {
            switch breaks.step(byte) {
            case .end: starts.append(index + 1)
            // The LF of a CR LF belongs to the preceding line.
            case .pastEnd: starts[starts.count - 1] = index + 1
            case .inside: break
            }
        }
    }

    /// The byte offset of a position.
    func offset(of mark: SourcePosition) -> Int {
        let line = Int(mark.line) - 1
        guard line < starts.count else { return bytes.count }
        var offset = starts[line]
        for _ in 1..<max(1, Int(mark.column)) where offset < bytes.count {
            offset += 1
            while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
        }
        return offset
    }

    /// The number of the line that contains a byte, from 0.
    func line(of offset: Int) -> Int { max(0, starts.partitioningIndex { $0 > offset } - 1) }

    /// The bytes of a line without its line end.
    func content(ofLine line: Int) -> Range<Int> {
        let start = starts[line]
        var end = line + 1 < starts.count ? starts[line + 1] : bytes.count
        if end > start, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return start..<end
    }

    /// The line end of the first line.
    var lineEnd: [UInt8] {
        let end = bytes[content(ofLine: 0).upperBound..<(starts.dropFirst().first ?? bytes.count)]
        return end.isEmpty ? [UInt8(ascii: "\n")] : Array(end)
    }
}
