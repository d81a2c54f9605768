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
        guard words.count == 6, words[5] == "GMT", words[3].utf8.count == 4,
            let month = months.firstIndex(of: words[2].lowercased())
        else { return nil }
        let instant = "\(words[3])-\(month + 1)-\(words[1])T\(words[4])Z"
        return (try? Date(instant, strategy: .iso8601)).map { Int64($0.timeIntervalSince1970) }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
}
