import OpenMarket
import OpenMarketFiles

/// Reads a picture's format and dimensions from its bytes, in pieces of any size; it accepts any bytes.
struct PictureProbe {
    private(set) var head: [UInt8] = []
    /// JPEG or PNG, after the first bytes show it.
    private(set) var format: PictureFormat?
    /// Width and height in pixels, after the header.
    private(set) var size: (width: Int, height: Int)?
    /// Whether the picture's end was read: the end marker of a JPEG, the last chunk of a PNG.
    private(set) var isWhole = false

    private enum JPEGState {
        /// Between segments: `FF` is expected.
        case marker
        /// After `FF`: the segment's code, or more `FF`.
        case code
        /// The two bytes of a segment's length.
        case length(code: UInt8, bytes: [UInt8])
        /// Inside a segment without dimensions; after a scan's header the coded picture begins.
        case skip(Int, isScan: Bool)
        /// Inside the frame header of `length` bytes.
        case frame([UInt8], length: Int)
        /// Inside the coded picture, up to the next marker.
        case picture
        /// After `FF` inside the coded picture: a byte of it, or a marker.
        case pictureCode
        case done
    }

    private enum PNGState {
        /// The bytes of a chunk's length and type.
        case head([UInt8])
        /// The remaining bytes of a chunk's content and checksum.
        case skip(Int, isLast: Bool)
    }

    private var state = JPEGState.marker
    private var chunk = PNGState.skip(8, isLast: false)
    private static let headLength = 24

    mutating func consume(_ bytes: [UInt8]) {
        var rest = bytes[...]
        if head.count < Self.headLength {
            let earlier = head
            head.append(contentsOf: rest.prefix(Self.headLength - head.count))
            if format == nil {
                format = PictureFormat(head: head)
                // The first bytes may have come one by one, before the format was known.
                if format == .jpeg { rest = (earlier + rest)[...] }
            }
            if format == .png {
                readPNGHeader()
                // The first bytes may have come one by one, before the format was known.
                if case .skip(8, false) = chunk, earlier.count < 8 { rest = (earlier + rest)[...] }
            }
        }
        switch format {
        case .jpeg: walkJPEG(&rest)
        case .png: walkPNG(&rest)
        case nil: break
        }
    }

    private mutating func walkPNG(_ rest: inout ArraySlice<UInt8>) {
        while let byte = rest.first, !isWhole {
            switch chunk {
            case .skip(let count, let isLast):
                let skipped = min(count, rest.count)
                rest = rest.dropFirst(skipped)
                chunk = skipped == count ? .head([]) : .skip(count - skipped, isLast: isLast)
                if skipped == count, isLast { isWhole = true }
            case .head(var bytes):
                rest = rest.dropFirst()
                bytes.append(byte)
                guard bytes.count == 8 else {
                    chunk = .head(bytes)
                    break
                }
                let length = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
                chunk = .skip(length + 4, isLast: bytes[4...].elementsEqual("IEND".utf8))
            }
        }
    }

    private mutating func readPNGHeader() {
        guard head.count >= 24, size == nil, head[12..<16].elementsEqual("IHDR".utf8) else { return }
        func number(at offset: Int) -> Int {
            head[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        setSize(width: number(at: 16), height: number(at: 20))
    }

    private mutating func setSize(width: Int, height: Int) {
        if width > 0, height > 0 { size = (width, height) }
    }

    private mutating func walkJPEG(_ rest: inout ArraySlice<UInt8>) {
        while let byte = rest.first {
            switch state {
            case .done:
                return
            case .skip(let count, let isScan):
                let skipped = min(count, rest.count)
                rest = rest.dropFirst(skipped)
                state =
                    count == skipped ? (isScan ? .picture : .marker) : .skip(count - skipped, isScan: isScan)
            case .marker:
                rest = rest.dropFirst()
                // Viewers skip stray bytes between segments, so they are skipped here, too.
                state = byte == 0xFF ? .code : size == nil ? .done : .marker
            case .code:
                rest = rest.dropFirst()
                switch byte {
                case 0xFF: break
                case 0xD8, 0x01, 0xD0...0xD7: state = .marker
                case 0xD9:
                    isWhole = true
                    state = .done
                case 0x00: state = .done
                default: state = .length(code: byte, bytes: [])
                }
            case .length(let code, let bytes):
                rest = rest.dropFirst()
                guard let high = bytes.first else {
                    state = .length(code: code, bytes: [byte])
                    break
                }
                let length = Int(high) << 8 | Int(byte)
                let isFrame = (0xC0...0xCF).contains(code) && code != 0xC4 && code != 0xC8 && code != 0xCC
                if length < 2 {
                    state = .done
                } else if isFrame {
                    state = length >= 7 ? .frame([], length: length - 2) : .done
                } else {
                    let isScan = code == 0xDA
                    state = length == 2 ? (isScan ? .picture : .marker) : .skip(length - 2, isScan: isScan)
                }
            case .picture:
                guard let end = rest.firstIndex(of: 0xFF) else {
                    rest = []
                    return
                }
                rest = rest[(end + 1)...]
                state = .pictureCode
            case .pictureCode:
                switch byte {
                case 0x00, 0xD0...0xD7:
                    rest = rest.dropFirst()
                    state = .picture
                case 0xFF: rest = rest.dropFirst()
                default: state = .code
                }
            case .frame(var bytes, let length):
                rest = rest.dropFirst()
                bytes.append(byte)
                guard bytes.count == 5 else {
                    state = .frame(bytes, length: length)
                    break
                }
                if size == nil {
                    setSize(width: Int(bytes[3]) << 8 | Int(bytes[4]), height: Int(bytes[1]) << 8 | Int(bytes[2]))
                }
                state = length == 5 ? .marker : .skip(length - 5, isScan: false)
            }
        }
    }

    /// What the bytes are, if they are not JPEG or PNG; `nil` for an unknown kind.
    var otherKind: FileKind? { format == nil ? FileKind(head: head) : nil }
}
