import FoundationEssentials
import OpenMarket

extension Milliseconds {
    /// ISO 8601, UTC, to the millisecond, for programs: `2026-11-21T09:30:00.125Z`.
    package var timestamp: String {
        Date(timeIntervalSince1970: Double(self) / 1000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// The same to the second, for people: `2026-11-21T09:30:00Z`.
    package var timeToTheSecond: String {
        Date(timeIntervalSince1970: Double(self / 1000)).formatted(.iso8601)
    }
}
