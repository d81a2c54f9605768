/// A wall-clock time in whole milliseconds since 1970, UTC; differences are `Duration`s.
package struct Timestamp: RawRepresentable, Hashable, Comparable, Sendable {
    package var rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    package init(milliseconds: Int64) {
        self.init(rawValue: milliseconds)
    }

    /// The moments that a file may contain: until the year 9999.
    package static let possible = epoch...Timestamp(milliseconds: 253_402_300_799_999)

    /// The start of 1970, before any run.
    package static let epoch = Timestamp(milliseconds: 0)

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.rawValue < right.rawValue }

    /// The time from the second moment to the first; negative if the second is later.
    ///
    /// Cannot overflow, because files may contain any moments.
    package static func - (left: Timestamp, right: Timestamp) -> Duration {
        .milliseconds(left.rawValue) - .milliseconds(right.rawValue)
    }

    package static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = (Duration.milliseconds(moment.rawValue) + duration).components
        let milliseconds = Int128(seconds) * 1000 + Int128(attoseconds / 1_000_000_000_000_000)
        return Timestamp(milliseconds: Int64(clamping: milliseconds))
    }
}
