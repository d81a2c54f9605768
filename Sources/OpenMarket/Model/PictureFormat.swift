/// The picture formats that the market accepts (docs/reference/open-market-versions.md, "Limits").
package enum PictureFormat: String, Sendable, CaseIterable {
    /// JPEG, by its first bytes `FF D8 FF`.
    case jpeg
    /// PNG, by its eight-byte signature.
    case png

    /// Detects the format by at least the first 8 bytes, whatever the file's name.
    ///
    /// `nil` if the bytes are neither JPEG nor PNG.
    package init?(head: some Collection<UInt8>) {
        if head.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else {
            return nil
        }
    }

    /// `image/jpeg` or `image/png`.
    package var mediaType: String { "image/\(rawValue)" }

    package var name: String { rawValue.uppercased() }

    /// `jpg` or `png`.
    package var fileExtension: String { self == .jpeg ? "jpg" : "png" }
}
