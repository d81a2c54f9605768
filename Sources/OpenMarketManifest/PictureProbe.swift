import OpenMarket

/// Tells a picture's format and dimensions from its bytes, given in pieces of any size; total on any bytes.
struct PictureProbe {
    /// What the bytes so far say.
    private(set) var head: [UInt8] = []
    /// JPEG or PNG, once the first bytes said so.
    private(set) var format: PictureFormat?
    /// Width and height in pixels, once the header was seen.
    private(set) var size: (width: Int, height: Int)?

    private enum JPEGState {
        /// Between segments: `FF` is expected.
        case marker
        /// After `FF`: the segment's code, or more `FF`.
        case code
        /// The two bytes of a segment's length.
        case length(code: UInt8, bytes: [UInt8])
        /// Inside a segment that says nothing about dimensions.
        case skip(Int)
        /// Inside the frame header.
        case frame([UInt8])
        /// Nothing more to learn.
        case done
    }

    private var state = JPEGState.marker
    private static let headLength = 24

    /// Takes in the next bytes.
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
            if format == .png { return readPNGHeader() }
        }
        guard format == .jpeg else { return }
        walkJPEG(&rest)
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
            case .skip(let count):
                let skipped = min(count, rest.count)
                rest = rest.dropFirst(skipped)
                state = count == skipped ? .marker : .skip(count - skipped)
            case .marker:
                rest = rest.dropFirst()
                state = byte == 0xFF ? .code : .done
            case .code:
                rest = rest.dropFirst()
                switch byte {
                case 0xFF: break
                case 0xD8, 0x01, 0xD0...0xD7: state = .marker
                // Picture data, or the end, before any frame header.
                case 0x00, 0xD9, 0xDA: state = .done
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
                    state = length >= 7 ? .frame([]) : .done
                } else {
                    state = length == 2 ? .marker : .skip(length - 2)
                }
            case .frame(var bytes):
                rest = rest.dropFirst()
                bytes.append(byte)
                guard bytes.count == 5 else {
                    state = .frame(bytes)
                    break
                }
                setSize(width: Int(bytes[3]) << 8 | Int(bytes[4]), height: Int(bytes[1]) << 8 | Int(bytes[2]))
                state = .done
            }
        }
    }

    /// Whether they are a picture that can be converted.
    var isOtherPicture: Bool {
        switch otherKind {
        case "a GIF", "a WebP", "an AVIF", "a HEIC or a video", "a TIFF", "a BMP", "an SVG": true
        default: false
        }
    }

    /// What the bytes are instead of a JPEG or PNG, with its article; `nil` for bytes of no known kind.
    var otherKind: String? {
        func starts(_ text: String, at offset: Int = 0) -> Bool {
            head.count >= offset + text.utf8.count && head[offset..<offset + text.utf8.count].elementsEqual(text.utf8)
        }
        if starts("GIF8") { return "a GIF" }
        if starts("RIFF"), starts("WEBP", at: 8) { return "a WebP" }
        if starts("ftyp", at: 4) { return starts("avif", at: 8) ? "an AVIF" : "a HEIC or a video" }
        if head.starts(with: [0x49, 0x49, 0x2A, 0x00]) || head.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) {
            return "a TIFF"
        }
        if starts("BM") { return "a BMP" }
        if starts("%PDF") { return "a PDF" }
        if starts("<svg") { return "an SVG" }
        if starts("<?xml") || starts("<!DOCTYPE") || starts("<!doctype") || starts("<html") {
            return "an HTML or XML text"
        }
        if starts("version https://git-lfs") { return "a Git LFS pointer" }
        return nil
    }
}
