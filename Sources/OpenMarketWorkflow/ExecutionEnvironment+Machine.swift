import OpenMarket

extension ExecutionEnvironment {
    static var machine: ExecutionEnvironment { ExecutionEnvironment(wallTime: { .now }) }
}
