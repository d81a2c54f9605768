import FoundationEssentials
import OpenMarket

extension RunID {
    /// A new name: the time to the second and six random digits.
    static func new(at now: Milliseconds, random: () -> Double) -> RunID {
        let date = Date(timeIntervalSince1970: Double(now / 1000))
        let stamp = date.formatted(.iso8601).filter { !"-:".contains($0) }
        let digits = String(Int(random() * Double(1 << 24)), radix: 16)
        return RunID(rawValue: stamp + "-" + String(repeating: "0", count: 6 - digits.count) + digits)
    }
}
