package import OpenMarket

extension ExecutionEnvironment {
    /// This machine's clock, date and random numbers.
    package static var machine: ExecutionEnvironment { ExecutionEnvironment(wallTime: { .now }) }
}
