import OpenMarket

/// A day in UTC: v2 lacks a time of day, and its time zone is unknown.
struct CalendarDay: Hashable, Sendable {
    /// Days since 1970-01-01.
    let number: Int

    /// The day of an instant; outside the years 1 to 9999 it is the nearest day within them.
    init(epochSeconds: Double) {
        number = Int((Self.bounded(epochSeconds) / 86_400).rounded(.down))
    }

    private static func bounded(_ epochSeconds: Double) -> Double {
        min(max(epochSeconds, -62_135_596_800), 253_402_300_799)
    }

    var parts: (year: Int, month: Int, day: Int) {
        // Years start in March, so that the leap day is the last of its year.
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        return (
            year: yearOfEra + era * 400 + (month >= 10 ? 1 : 0),
            month: month < 10 ? month + 3 : month - 9,
            day: dayOfYear - (153 * month + 2) / 5 + 1
        )
    }

    /// A text such as `2022-11-15`, or with another separator.
    func spelled(separator: String = "-") -> String {
        let (year, month, day) = parts
        return [String(year, width: 4), String(month, width: 2), String(day, width: 2)].joined(separator: separator)
    }
}

extension CalendarDay {
    /// An instant in HTTP's format: `Tue, 15 Nov 2022 08:12:31 GMT`.
    static func httpDate(epochSeconds: Double) -> String {
        let epochSeconds = bounded(epochSeconds)
        let day = CalendarDay(epochSeconds: epochSeconds)
        let second = Int(epochSeconds.rounded(.down)) - day.number * 86_400
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let (year, month, date) = day.parts
        let weekday = weekdays[((day.number % 7) + 7) % 7]
        let time = [second / 3600, second / 60 % 60, second % 60].map { String($0, width: 2) }.joined(separator: ":")
        return "\(weekday), \(String(date, width: 2)) \(months[month - 1]) \(String(year, width: 4)) \(time) GMT"
    }
}
