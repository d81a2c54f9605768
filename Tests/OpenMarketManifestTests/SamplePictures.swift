/// The smallest bytes that are pictures to the manifest.
enum SamplePictures {
    /// A JPEG of 640 × 480 with an EXIF segment before its frame header; `salt` makes different files.
    static func jpeg(salt: UInt8 = 0) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE1, 0x00, 0x06, 0x45, 0x78, 0x69, salt]
            + [0xFF, 0xFF, 0xDB, 0x00, 0x03, 0x00]
            + [0xFF, 0xC0, 0x00, 0x0B, 0x08, 0x01, 0xE0, 0x02, 0x80, 0x01, 0x01, 0x11, 0x00]
            + [0xFF, 0xDA, 0x00, 0x02, 0x00, 0xFF, 0xD9]
    }

    /// A PNG of 3 × 2.
    static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 0, 3, 0, 0, 0, 2, 8, 2, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0] + Array("IEND".utf8) + [0, 0, 0, 0]

    /// A GIF.
    static let gif: [UInt8] = Array("GIF89a".utf8) + Array(repeating: 0, count: 40)
}
