/// A moment of the wall clock: whole milliseconds since 1970, UTC.
///
/// How long something takes is a `Duration`; two moments have one between them.
package struct Timestamp: RawRepresentable, Hashable, Comparable, Sendable {
    /// The milliseconds since 1970, UTC.
    package var rawValue: Int64

    /// A moment by its milliseconds.
    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// A moment by its milliseconds since 1970.
    package init(milliseconds: Int64) {
        self.init(rawValue: milliseconds)
    }

    /// The start of 1970: earlier than any run.
    package static let epoch = Timestamp(milliseconds: 0)

    /// Orders by time.
    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.rawValue < right.rawValue }

    /// The time from the second moment to the first; negative where the second is the later one.
    package static func - (left: Timestamp, right: Timestamp) -> Duration {
        .milliseconds(left.rawValue - right.rawValue)
    }

    /// The moment so much later, to the millisecond.
    package static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return Timestamp(milliseconds: moment.rawValue + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
