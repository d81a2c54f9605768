import OpenMarket

/// A picture's format and dimensions, read from its bytes, which may be any.
struct PictureProbe {
    private let bytes: [UInt8]
    /// The format that the first bytes show.
    let format: PictureFormat?
    /// Width and height in pixels, according to the header.
    private(set) var size: (width: Int, height: Int)?
    /// Whether the picture's end is there: the end marker of a JPEG, the last chunk of a PNG.
    private(set) var isWhole = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        format = PictureFormat(head: bytes)
        // The signature of a PNG comes first.
        var next = format == .png ? 8 : 0
        while format != nil, !isWhole, let end = format == .png ? endOfChunk(at: next) : endOfSegment(at: next) {
            next = end
        }
    }

    /// Reads a chunk of a PNG and returns its end; `nil` if the bytes end in it.
    private mutating func endOfChunk(at start: Int) -> Int? {
        guard start + 12 <= bytes.count else { return nil }
        let type = bytes[(start + 4)..<(start + 8)]
        if type.elementsEqual("IEND".utf8) { isWhole = true }
        if type.elementsEqual("IHDR".utf8) {
            guard start + 16 <= bytes.count else { return nil }
            setSize(width: number(at: start + 8, bytes: 4), height: number(at: start + 12, bytes: 4))
        }
        return start + 12 + number(at: start, bytes: 4)
    }

    /// Reads a segment of a JPEG and returns its end; `nil` if the bytes end in it.
    ///
    /// The coded picture and stray bytes, which viewers skip, last until the next marker.
    private mutating func endOfSegment(at start: Int) -> Int? {
        guard start + 2 <= bytes.count else { return nil }
        guard bytes[start] == 0xFF else { return bytes[start...].firstIndex(of: 0xFF) }
        switch bytes[start + 1] {
        case 0xFF: return start + 1
        case 0xD9:
            isWhole = true
            return start + 2
        // A byte of the coded picture, or a marker without content.
        case 0x00, 0x01, 0xD0...0xD8: return start + 2
        case let code:
            let isFrame = (0xC0...0xCF).contains(code) && ![0xC4, 0xC8, 0xCC].contains(code)
            guard start + (isFrame ? 9 : 4) <= bytes.count else { return nil }
            if isFrame { setSize(width: number(at: start + 7, bytes: 2), height: number(at: start + 5, bytes: 2)) }
            return start + 2 + number(at: start + 2, bytes: 2)
        }
    }

    private func number(at place: Int, bytes count: Int) -> Int {
        bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func setSize(width: Int, height: Int) {
        if size == nil, width > 0, height > 0 { size = (width, height) }
    }
}
