import FoundationEssentials
import OpenMarket

/// The wait that a market requests (RFC 9110, 10.2.3): seconds, or a date.
enum RetryAfter {
    /// The wait that a reply requests; `nil` if it has none, or an unreadable one.
    ///
    /// A date is relative to the reply's `Date` if it has one, so that a wrong clock does no harm.
    static func wait(_ value: String?, date: String?) -> Duration? {
        guard let text = value?.trimmed, !text.isEmpty else { return nil }
        if let seconds = number(text) { return wait(seconds: seconds) }
        guard let until = seconds(date: text) else { return nil }
        let now = date.flatMap { seconds(date: $0.trimmed) }
        let wait = until - (now ?? Int64(Date().timeIntervalSince1970))
        return .seconds(min(max(wait, 0), Int64(maximum)))
    }

    static func wait(seconds: Double) -> Duration { .milliseconds(Int64(min(max(seconds, 0), maximum) * 1000)) }

    /// Digits, optionally with a fraction: no signs, no exponents, no hexadecimal digits.
    static func number(_ text: String) -> Double? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") } ? Double(text) : nil
    }

    /// The longest wait: a day, in seconds.
    private static let maximum: Double = 86_400

    /// Seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func seconds(date: some StringProtocol) -> Int64? {
        let words = date.split(whereSeparator: { $0 == " " || $0 == "," })
        guard words.count == 6, words[5] == "GMT",
            let day = Int64(words[1]), (1...31).contains(day),
            let month = months.firstIndex(of: words[2].lowercased()),
            let year = Int64(words[3]), (1970...9999).contains(year)
        else { return nil }
        let time = words[4].split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) }
        guard time.count == 3, let hour = time[0], let minute = time[1], let second = time[2],
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        // Days since 1970; years begin in March so that the leap day comes last.
        let m = Int64(month) + 1
        let y = m > 2 ? year : year - 1
        let dayOfYear = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + day - 1
        let days = y * 365 + y / 4 - y / 100 + y / 400 + dayOfYear - 719_468
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
}
