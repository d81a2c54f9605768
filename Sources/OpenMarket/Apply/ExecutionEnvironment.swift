/// The machine's resources for work on a market: a clock to wait on, the date, random numbers.
///
/// Tests inject their own, so a simulated hour passes at once and each run repeats exactly.
package struct ExecutionEnvironment: Sendable {
    package let clock: any Clock<Duration>
    package let wallTime: @Sendable () -> Timestamp
    /// Random numbers in 0..<1 for the back-off and the names of runs.
    package let random: @Sendable () -> Double

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
