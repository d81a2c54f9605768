import Crypto
import FoundationEssentials
package import OpenMarket

/// The picture of a trial's product: a single pixel.
package enum TrialPicture {
    /// A PNG of one grey pixel.
    private static let bytes: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
        0x00,
        0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3A, 0x7E, 0x9B, 0x55, 0x00, 0x00, 0x00, 0x0A,
        0x49,
        0x44, 0x41, 0x54, 0x78, 0xDA, 0x63, 0x68, 0x00, 0x00, 0x00, 0x82, 0x00, 0x81, 0xDA, 0x45, 0x08, 0x3B, 0x00,
        0x00,
        0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]

    /// Lends the picture as a file of the system's temporary folder.
    ///
    /// - Throws: what writing the file and the body throw.
    package static func withFile<Result>(_ body: (Picture) async throws -> Result) async throws -> Result {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("openmarket-\(UUID()).png")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body(
            Picture(
                path: "probe.png",
                file: file.path,
                digest: ContentDigest(bytes: SHA256.hash(data: bytes)),
                byteCount: bytes.count,
                format: .png,
                width: 1,
                height: 1
            )
        )
    }
}
