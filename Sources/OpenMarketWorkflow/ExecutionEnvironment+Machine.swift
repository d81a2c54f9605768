import OpenMarket

extension ExecutionEnvironment {
    /// This machine's clock, date and random numbers.
    static var machine: ExecutionEnvironment { ExecutionEnvironment(wallTime: { .now }) }
}
