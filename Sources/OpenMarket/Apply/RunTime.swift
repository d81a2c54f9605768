/// A run's time: a clock to sleep on, the time since its start, and a date that only moves forward.
struct RunTime: Sendable {
    let clock: any Clock<Duration>
    private let start: Timestamp
    private let sinceStart: @Sendable () -> Duration

    init(_ environment: ExecutionEnvironment) {
        clock = environment.clock
        start = environment.wallTime()
        sinceStart = Self.stopwatch(clock)
    }

    var elapsed: Duration { sinceStart() }

    /// The date at the start plus the time since, so setting the clock shortens no wait.
    func wall() -> Timestamp { start + sinceStart() }

    /// The rest of a period that began at a time of ``wall()``; never more than the period.
    func remaining(of period: Duration, since moment: Timestamp) -> Duration {
        let age = wall() - moment
        return age < .zero ? period : max(.zero, period - age)
    }

    private static func stopwatch<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
