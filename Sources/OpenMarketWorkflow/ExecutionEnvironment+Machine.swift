import OpenMarket
public import OpenMarketApply

extension ExecutionEnvironment {
    /// This machine's clock, date and random numbers.
    public static var machine: ExecutionEnvironment { ExecutionEnvironment(wallTime: { .now }) }
}
