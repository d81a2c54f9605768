@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketClient

/// A folder with pictures that goes away with its test.
final class PictureFolder: Sendable {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Writes a picture and describes it as a manifest would.
    func picture(_ name: String, _ bytes: [UInt8], format: PictureFormat = .jpeg) throws -> Picture {
        Picture(
            path: "images/" + name,
            file: try folder.write(name.filter { $0.isLetter || $0.isNumber || $0 == "." }, bytes),
            digest: ContentDigest(hashing: bytes.span),
            byteCount: bytes.count,
            format: format,
            width: 1,
            height: 1
        )
    }
}

/// A clock that never makes anybody wait, and remembers what it was asked for.
final class InstantClock: Clock, Sendable {
    typealias Instant = ContinuousClock.Instant
    var now: Instant { ContinuousClock.now }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
    }
}

/// The head of a JPEG, and content that tries the multipart builder's patience.
let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array("\r\n--\r\n--openmarket\r\n\r\n\0".utf8)
let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Array("png".utf8)

func configuration(
    _ url: String,
    _ profile: MarketProfile,
    credentials: Credentials? = nil,
    attempts: Int = 3,
    timeout: Duration = .seconds(20)
) -> ClientConfiguration {
    var result = ClientConfiguration(
        url: url,
        profile: profile,
        credentials: credentials
            ?? Credentials(
                identifier: Secret("00000000-0000-11ed-0000-000000000000"),
                secret: Secret("example=&#$secret"),
                itemSecrets: [.environment("LAMP"): Secret("lamp \"own\" pass")]
            )
    )
    result.connectTimeout = .seconds(5)
    result.idleTimeout = timeout
    result.requestTimeout = timeout
    result.readAttempts = attempts
    result.clock = InstantClock()
    result.userAgent = "openmarket/test"
    result.boundary = "openmarket-boundary"
    result.acceptedDescription = profile.digest
    return result
}
