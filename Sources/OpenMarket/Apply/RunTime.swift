/// The time as a run sees it: a clock to sleep on, the time since its start, and the wall clock for the journal.
struct RunTime: Sendable {
    let clock: any Clock<Duration>
    let wall: @Sendable () -> Timestamp
    private let sinceStart: @Sendable () -> Duration

    init(_ environment: ExecutionEnvironment) {
        clock = environment.clock
        wall = environment.wallTime
        sinceStart = Self.stopwatch(clock)
    }

    var elapsed: Duration { sinceStart() }

    /// The rest of a period that began at a time of the wall clock.
    ///
    /// A change of the wall clock shortens nothing, and never gives more than the period.
    func remaining(of period: Duration, since moment: Timestamp) -> Duration {
        let age = wall() - moment
        return age < .zero ? period : max(.zero, period - age)
    }

    private static func stopwatch<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
