import OpenMarket

package enum ProgressText {
    private static let barWidth = 24

    /// The line, with rate and remaining time if available; `unit` names the counted items.
    package static func line(
        _ label: String,
        _ done: Int,
        of total: Int?,
        _ unit: String,
        after time: Duration,
        showsBar: Bool
    ) -> String {
        let seconds = time / .seconds(1)
        let rate = seconds > 0 ? Double(done) / seconds : 0
        var parts = [label]
        if let total, total > 0 {
            if showsBar { parts.append(bar(min(Double(done) / Double(total), 1))) }
            parts.append("\(done)/\(total) \(unit)")
        } else {
            parts.append("\(done) \(unit)")
        }
        if rate > 0 {
            let left = total.flatMap { $0 > done ? Double($0 - done) / rate : nil }
            parts += pace(rate, secondsLeft: left)
        }
        return parts.joined(separator: "  ")
    }

    /// The rate and the remaining time: `41/s`, `0:21 left`.
    static func pace(_ perSecond: Double, secondsLeft: Double?) -> [String] {
        let rate = perSecond >= 10 ? "\(Int(perSecond))/s" : "\(Double(Int(perSecond * 10)) / 10)/s"
        return [rate] + (secondsLeft.map { ["\(clock($0)) left"] } ?? [])
    }

    private static func bar(_ share: Double) -> String {
        let filled = Int(share * Double(barWidth))
        return "[" + String(repeating: "█", count: filled) + String(repeating: "░", count: barWidth - filled) + "]"
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(min(seconds, 359_999).rounded(.up))
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        return (hours > 0 ? "\(hours):\(String(minutes, width: 2))" : "\(minutes)") + ":\(String(rest, width: 2))"
    }
}
