import CZlib

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

/// A drawn picture of a product: a file of `drawings` in the product's colours.
package struct SeedDrawing: Hashable, Sendable {
    enum Shape: String, CaseIterable {
        case bag, book, bottle, cup, cushion, jar, lamp, plate

        /// A PNG of 256 × 256 pixels, whose palette begins behind the 33 bytes of the signature and the header.
        fileprivate var file: [UInt8] {
            switch self {
            case .bag: PackageResources.bag_png
            case .book: PackageResources.book_png
            case .bottle: PackageResources.bottle_png
            case .cup: PackageResources.cup_png
            case .cushion: PackageResources.cushion_png
            case .jar: PackageResources.jar_png
            case .lamp: PackageResources.lamp_png
            case .plate: PackageResources.plate_png
            }
        }
    }

    var shape: Shape
    var colour: SeedColour
    /// Views differ in their background.
    var view: Int

    private static let grounds: [UInt32] = [0xF6EFDF, 0xE3EAEE, 0xECE4EE]

    package static let deskLamp = SeedDrawing(shape: .lamp, colour: .white, view: 0)
    package static let litDeskLamp = SeedDrawing(shape: .lamp, colour: .yellow, view: 0)
    package static let mug = SeedDrawing(shape: .cup, colour: .celadon, view: 0)

    package func png() -> [UInt8] {
        let ground = Self.bigEndian(Self.grounds[view % Self.grounds.count]).dropFirst()
        let palette: [UInt8] =
            Array("PLTE".utf8) + ground + ground.map { $0 - $0 / 8 }
            + [colour.body, colour.shade].flatMap { Self.bigEndian($0).dropFirst() }
        var bytes = shape.file
        bytes.replaceSubrange(37..<57, with: palette + Self.bigEndian(UInt32(crc32(0, palette, UInt32(palette.count)))))
        return bytes
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
