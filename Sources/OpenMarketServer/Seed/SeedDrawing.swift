import CZlib
import YAML

struct SeedColour: Hashable, Sendable {
    var english: String
    var korean: String
    /// The colours are 0xRRGGBB.
    var body: UInt32
    var shade: UInt32

    static let white = SeedColour(english: "White", korean: "흰", body: 0xF2EFE6, shade: 0xC9C3B4)
    static let celadon = SeedColour(english: "Celadon", korean: "청자색", body: 0x9DBFAE, shade: 0x6C9582)
    static let indigo = SeedColour(english: "Indigo", korean: "쪽빛", body: 0x3E548A, shade: 0x273863)
    static let red = SeedColour(english: "Red", korean: "빨간", body: 0xC2453A, shade: 0x8C2C25)
    static let yellow = SeedColour(english: "Yellow", korean: "노란", body: 0xE8B83F, shade: 0xB08522)
    static let black = SeedColour(english: "Black", korean: "검은", body: 0x3A3A40, shade: 0x1E1E23)
    static let pink = SeedColour(english: "Pink", korean: "분홍", body: 0xE3A0AE, shade: 0xB46F80)
    static let oak = SeedColour(english: "Oak", korean: "참나무색", body: 0xC09360, shade: 0x8C653A)

    static let all: [SeedColour] = [.white, .celadon, .indigo, .red, .yellow, .black, .pink, .oak]
}

/// A drawn picture of a product: a PNG of 256 × 256 pixels in four colours.
package struct SeedDrawing: Hashable, Sendable {
    enum Shape: String, ClosedList {
        case bag, book, bottle, cup, cushion, jar, lamp, plate
    }

    var shape: Shape
    var colour: SeedColour
    /// The first view shows the whole product; the others are closer and have another background.
    var view: Int

    private static let side = 256
    private static let grounds: [UInt32] = [0xF6EFDF, 0xE3EAEE, 0xECE4EE]

    /// The parts of a picture; the raw value is the index in the palette.
    private enum Part: UInt8 {
        case ground, shadow, body, shade
    }

    package static let deskLamp = SeedDrawing(shape: .lamp, colour: .white, view: 0)
    package static let litDeskLamp = SeedDrawing(shape: .lamp, colour: .yellow, view: 0)
    package static let mug = SeedDrawing(shape: .cup, colour: .celadon, view: 0)

    package func png() -> [UInt8] {
        let ground = Self.bigEndian(Self.grounds[view % Self.grounds.count]).dropFirst()
        let palette =
            ground + ground.map { $0 - $0 / 8 }
            + [colour.body, colour.shade].flatMap { Self.bigEndian($0).dropFirst() }
        var rows: [UInt8] = []
        rows.reserveCapacity(Self.side * (Self.side / 4 + 1))
        for y in 0..<Self.side {
            // The row uses no PNG filter and has four pixels per byte.
            rows.append(0)
            for x in stride(from: 0, to: Self.side, by: 4) {
                rows.append((0..<4).reduce(0) { $0 << 2 | part(x + $1, y).rawValue })
            }
        }
        let side = Self.bigEndian(UInt32(Self.side))
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + Self.chunk("IHDR", side + side + [2, 3, 0, 0, 0])
            + Self.chunk("PLTE", Array(palette))
            + Self.chunk("IDAT", Self.compressed(rows))
            + Self.chunk("IEND", [])
    }

    private func part(_ column: Int, _ row: Int) -> Part {
        let zoom = 1 - 0.2 * Double(view)
        let x = (Double(column) / Double(Self.side) * 2 - 1) * zoom
        let y = (Double(row) / Double(Self.side) * 2 - 1) * zoom
        if isInside(x, y) { return isInside(x + 0.16, y + 0.04) ? .body : .shade }
        return Self.ellipse(x, y - 0.72, 0.62, 0.09) ? .shadow : .ground
    }

    private func isInside(_ x: Double, _ y: Double) -> Bool {
        switch shape {
        case .jar:
            Self.ellipse(x, y - 0.05, 0.6, 0.62) || Self.box(x, y + 0.58, 0.24, 0.1)
                || Self.box(x, y - 0.66, 0.26, 0.06)
        case .cup:
            Self.box(x + 0.08, y - 0.1, 0.42, 0.5)
                || Self.ring(x - 0.42, y - 0.05, outer: 0.27, inner: 0.16)
        case .lamp:
            y > -0.62 && y < -0.08 && abs(x) < 0.22 + (y + 0.62) * 0.7
                || Self.box(x, y - 0.28, 0.045, 0.38) || Self.ellipse(x, y - 0.66, 0.34, 0.08)
        case .bag:
            y > -0.12 && y < 0.68 && abs(x) < 0.42 + (y + 0.12) * 0.18
                || y <= -0.1 && Self.ring(x, y + 0.1, outer: 0.34, inner: 0.26)
        case .book:
            Self.box(x, y - 0.02, 0.46, 0.64) && !Self.box(x + 0.34, y - 0.02, 0.015, 0.64)
        case .plate:
            Self.ellipse(x, y - 0.1, 0.78, 0.5) && !Self.ring(x, (y - 0.1) * 1.56, outer: 0.56, inner: 0.52)
        case .bottle:
            Self.box(x, y - 0.16, 0.28, 0.52) || Self.box(x, y + 0.44, 0.14, 0.14) || Self.box(x, y + 0.62, 0.19, 0.07)
        case .cushion:
            abs(x) < 0.66 - y * y * 0.25 && abs(y - 0.1) < 0.5 - x * x * 0.25
        }
    }

    private static func ellipse(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Bool {
        (x / width) * (x / width) + (y / height) * (y / height) < 1
    }

    private static func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Bool {
        abs(x) < width && abs(y) < height
    }

    private static func ring(_ x: Double, _ y: Double, outer: Double, inner: Double) -> Bool {
        ellipse(x, y, outer, outer) && !ellipse(x, y, inner, inner)
    }

    // MARK: PNG

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let named = Array(type.utf8) + content
        return bigEndian(UInt32(content.count)) + named + bigEndian(UInt32(crc32(0, named, UInt32(named.count))))
    }

    private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        var size = compressBound(UInt(bytes.count))
        return [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, filled in
            let code = compress(buffer.baseAddress, &size, bytes, UInt(bytes.count))
            precondition(code == Z_OK, "the buffer has the size that zlib asked for")
            filled = Int(size)
        }
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
