import FoundationEssentials
import OpenMarket

extension Timestamp {
    static var now: Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }

    /// ISO 8601, UTC, to the millisecond, for programs: `2026-11-21T09:30:00.125Z`.
    var iso8601: String {
        Date(timeIntervalSince1970: Double(rawValue) / 1000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// The same to the second, for people: `2026-11-21T09:30:00Z`.
    var iso8601ToTheSecond: String {
        Date(timeIntervalSince1970: Double(rawValue / 1000)).formatted(.iso8601)
    }
}
