import Crypto
import FoundationEssentials
package import OpenMarket

/// The pictures of a trial's product: single pixels.
package enum TrialPicture {
    /// A PNG of one pixel, from its image data including their checksum.
    private static func png(_ image: [UInt8]) -> [UInt8] {
        let head: [UInt8] = [
            0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
            0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3A, 0x7E, 0x9B, 0x55, 0x00, 0x00, 0x00,
            0x0A, 0x49, 0x44, 0x41, 0x54,
        ]
        let end: [UInt8] = [0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
        return head + image + end
    }

    /// A light grey pixel, and a dark one.
    private static let pixels = [
        png([0x78, 0xDA, 0x63, 0x68, 0x00, 0x00, 0x00, 0x82, 0x00, 0x81, 0xDA, 0x45, 0x08, 0x3B]),
        png([0x78, 0xDA, 0x63, 0x70, 0x00, 0x00, 0x00, 0x42, 0x00, 0x41, 0x84, 0xBF, 0x8E, 0x62]),
    ]

    /// Lends the pictures as files of the system's temporary folder.
    package static func withFiles<Result>(_ body: ([Picture]) async throws -> Result) async throws -> Result {
        var pictures: [Picture] = []
        defer { for picture in pictures { try? FileManager.default.removeItem(atPath: picture.file) } }
        for (number, bytes) in pixels.enumerated() {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("openmarket-\(UUID()).png")
            try Data(bytes).write(to: file)
            pictures.append(
                Picture(
                    path: "probe-\(number + 1).png",
                    file: file.path,
                    digest: ContentDigest(bytes: SHA256.hash(data: bytes)),
                    byteCount: bytes.count,
                    format: .png,
                    width: 1,
                    height: 1
                )
            )
        }
        return try await body(pictures)
    }

    /// A picture that a market fetches itself, of which only the address is known.
    package static func fetched(from address: String) -> Picture {
        Picture(
            path: address,
            file: "",
            digest: ContentDigest(bytes: SHA256.hash(data: Array(address.utf8))),
            byteCount: 0,
            format: .png,
            width: 1,
            height: 1,
            address: address
        )
    }
}
