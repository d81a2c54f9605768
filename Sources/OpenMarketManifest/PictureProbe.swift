import OpenMarket
import OpenMarketFiles

/// Reads a picture's format and dimensions from its bytes, in pieces of any size; it accepts any bytes.
struct PictureProbe {
    private var head: [UInt8] = []
    /// The format, once the first bytes show it.
    private(set) var format: PictureFormat?
    /// Width and height in pixels, once the header was read.
    private(set) var size: (width: Int, height: Int)?
    /// Whether the picture's end was read: the end marker of a JPEG, the last chunk of a PNG.
    private(set) var isWhole = false

    /// The bytes received but not examined yet.
    private var rest: [UInt8] = []
    /// The position in ``rest`` of the next part of the file, possibly beyond its end.
    private var next = 0
    private static let headLength = 24

    mutating func consume(_ bytes: [UInt8]) {
        head += bytes.prefix(Self.headLength - head.count)
        rest += bytes
        if format == nil {
            format = PictureFormat(head: head)
            // The signature of a PNG.
            if format == .png { next = 8 }
        }
        guard let format else { return }
        while !isWhole, next < rest.count, let end = format == .png ? endOfChunk() : endOfSegment() { next = end }
        let read = min(next, rest.count)
        rest.removeFirst(read)
        next -= read
    }

    /// Reads a chunk of a PNG and returns its end; `nil` if more bytes are needed.
    private mutating func endOfChunk() -> Int? {
        guard next + 12 <= rest.count else { return nil }
        let type = rest[(next + 4)..<(next + 8)]
        if type.elementsEqual("IEND".utf8) { isWhole = true }
        if type.elementsEqual("IHDR".utf8) {
            guard next + 16 <= rest.count else { return nil }
            setSize(width: number(at: 8, bytes: 4), height: number(at: 12, bytes: 4))
        }
        return next + 12 + number(at: 0, bytes: 4)
    }

    /// Reads a segment of a JPEG and returns its end; `nil` if more bytes are needed.
    ///
    /// The coded picture and stray bytes, which viewers skip, last until the next marker.
    private mutating func endOfSegment() -> Int? {
        let marker = rest[next...].firstIndex(of: 0xFF) ?? rest.count
        guard marker == next else { return marker }
        guard next + 2 <= rest.count else { return nil }
        switch rest[next + 1] {
        case 0xFF: return next + 1
        case 0xD9:
            isWhole = true
            return next + 2
        // A byte of the coded picture, or a marker without content.
        case 0x00, 0x01, 0xD0...0xD8: return next + 2
        case let code:
            let isFrame = (0xC0...0xCF).contains(code) && ![0xC4, 0xC8, 0xCC].contains(code)
            guard next + (isFrame ? 9 : 4) <= rest.count else { return nil }
            if isFrame { setSize(width: number(at: 7, bytes: 2), height: number(at: 5, bytes: 2)) }
            return next + 2 + number(at: 2, bytes: 2)
        }
    }

    private func number(at offset: Int, bytes count: Int) -> Int {
        rest[(next + offset)..<(next + offset + count)].reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func setSize(width: Int, height: Int) {
        if size == nil, width > 0, height > 0 { size = (width, height) }
    }

    /// The kind of file, if it is not JPEG or PNG; `nil` for an unknown kind.
    var otherKind: FileKind? { format == nil ? FileKind(head: head) : nil }
}
