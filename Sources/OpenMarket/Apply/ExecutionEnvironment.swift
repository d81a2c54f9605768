/// What work on a market takes from the machine that it runs on: a clock to wait on, the date, random numbers.
///
/// Tests give their own, so that a simulated hour takes no time and each run repeats exactly.
package struct ExecutionEnvironment: Sendable {
    /// What to wait on.
    package let clock: any Clock<Duration>
    /// The time of this machine.
    package let wallTime: @Sendable () -> Timestamp
    /// Random numbers in 0..<1, for the back-off and the names of runs.
    package let random: @Sendable () -> Double

    /// An environment.
    ///
    /// - Parameters:
    ///   - clock: What to wait on.
    ///   - wallTime: The time of this machine.
    ///   - random: Random numbers in 0..<1.
    package init(
        clock: any Clock<Duration> = ContinuousClock(),
        wallTime: @escaping @Sendable () -> Timestamp,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.clock = clock
        self.wallTime = wallTime
        self.random = random
    }
}
