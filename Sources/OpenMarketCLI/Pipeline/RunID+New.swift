import FoundationEssentials
import OpenMarket

extension RunID {
    /// A new name: the time to the second and six random digits.
    static func new(at now: Milliseconds) -> RunID {
        let date = Date(timeIntervalSince1970: Double(now / 1000))
        let stamp = date.formatted(.iso8601).filter { !"-:".contains($0) }
        let random = String(UInt32.random(in: 0..<(1 << 24)), radix: 16)
        return RunID(rawValue: stamp + "-" + String(repeating: "0", count: 6 - random.count) + random)
    }
}
