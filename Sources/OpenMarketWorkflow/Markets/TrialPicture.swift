import Crypto
import FoundationEssentials
package import OpenMarket

/// The pictures of a probe's product: single pixels.
package enum TrialPicture {
    /// A light grey pixel, and a dark one.
    private static let pixels = [
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==",
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNwAAAAQgBBhL+OYgAAAABJRU5ErkJggg==",
    ]
    .compactMap { Data(base64Encoded: $0) }

    /// Writes the pictures to the system's temporary folder, and removes them after `body`.
    package static func withFiles<Result>(_ body: ([Picture]) async throws -> Result) async throws -> Result {
        var pictures: [Picture] = []
        defer { for picture in pictures { try? FileManager.default.removeItem(atPath: picture.file) } }
        for (number, bytes) in pixels.enumerated() {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("openmarket-\(UUID()).png")
            try bytes.write(to: file)
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

    /// A picture that a market fetches itself; only its address is available.
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
