import OpenMarket

extension RunID {
    /// A new name: the time to the second and six random digits.
    static func new(in environment: ExecutionEnvironment) -> RunID {
        let stamp = environment.wallTime().iso8601ToTheSecond.filter { !"-:".contains($0) }
        let digits = String(Int(environment.random() * Double(1 << 24)), radix: 16, width: 6)
        return RunID(rawValue: "\(stamp)-\(digits)")
    }

    /// Whether ``new(in:)`` creates names of this form.
    var isOfThisTool: Bool { rawValue.wholeMatch(of: /[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}/) != nil }
}
