import FoundationEssentials

/// A day in UTC: v2 lacks a time of day, and its time zone is unknown.
enum CalendarDay {
    /// Days since 1970-01-01.
    static func number(_ epochSeconds: Double) -> Int { Int((epochSeconds / 86_400).rounded(.down)) }

    /// `2022-11-15`, or `20221115`.
    static func spelled(_ epochSeconds: Double, separator: Date.ISO8601FormatStyle.DateSeparator = .dash) -> String {
        let style = Date.ISO8601FormatStyle(dateSeparator: separator).year().month().day()
        return Date(timeIntervalSince1970: epochSeconds).formatted(style)
    }

    /// An instant in HTTP's format: `Tue, 15 Nov 2022 08:12:31 GMT`.
    static func httpDate(_ epochSeconds: Double) -> String {
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = spelled(epochSeconds).split(separator: "-")
        let time = Date(timeIntervalSince1970: epochSeconds)
            .formatted(Date.ISO8601FormatStyle().time(includingFractionalSeconds: false))
        let month = months[(Int(parts[1]) ?? 1) - 1]
        return "\(weekdays[number(epochSeconds) % 7]), \(parts[2]) \(month) \(parts[0]) \(time) GMT"
    }
}
