import OpenMarket
import OpenMarketApply

extension RunID {
    /// A new name: the time to the second and six random digits.
    static func new(in environment: ExecutionEnvironment) -> RunID {
        let stamp = environment.wallTime().iso8601ToTheSecond.filter { !"-:".contains($0) }
        let digits = String(Int(environment.random() * Double(1 << 24)), radix: 16, width: 6)
        return RunID(rawValue: "\(stamp)-\(digits)")
    }
}
