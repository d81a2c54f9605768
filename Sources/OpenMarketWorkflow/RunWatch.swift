package import OpenMarket

/// What a market's state says of its runs at a moment: of the one under way, else of the last one.
package enum RunStatus: Hashable, Sendable {
    /// There was no run yet.
    case none
    /// It goes on, so fast as far as that is known.
    case underWay(RunUnderWay, pace: RunPace?)
    /// It is over, or its sessions are gone.
    case ended(RunSummary)
}

/// How fast a run goes.
package struct RunPace: Hashable, Sendable {
    /// How many operations end in a second.
    var perSecond: Double
    /// How long the others take at that pace; `nil` where none ended.
    var left: Duration?

    init(perSecond: Double, left: Duration? = nil) {
        self.perSecond = perSecond
        self.left = left
    }
}

/// Looks at a market's runs, and compares what it sees with what it saw.
package struct RunWatch: Sendable {
    private struct Look: Sendable {
        var moment: Timestamp
        var ended: Int
    }

    /// Over how long the pace is taken, so that it neither jumps nor lags.
    private static let window = Duration.seconds(30)

    private let state: any StateReader
    /// The run that is followed to its end.
    private var followed: RunID?
    private var looks: [Look] = []

    /// - Parameter state: The market's state.
    package init(_ state: any StateReader) {
        self.state = state
    }

    /// Looks again.
    ///
    /// - Returns: The run under way; once that is over, how it ended, whatever began since.
    /// - Throws: `StateError`.
    package mutating func look() async throws -> RunStatus {
        while true {
            if let run = try await state.runUnderWay(), followed ?? run.record.id == run.record.id {
                followed = run.record.id
                return .underWay(run, pace: pace(of: run))
            }
            if let followed { return try await state.run(followed).map(RunStatus.ended) ?? .none }
            guard let last = try await state.runs(limit: 1).first else { return .none }
            // One that is not closed was killed, or began between the two questions.
            guard last.finishedAt == nil, try await state.runUnderWay()?.record.id == last.record.id else {
                return .ended(last)
            }
        }
    }

    /// Looks again and again until no run is under way.
    ///
    /// - Parameters:
    ///   - interval: How long to wait between two looks.
    ///   - clock: What waits.
    ///   - show: Takes what each look saw; the last one is not of a run under way.
    /// - Throws: `StateError`, what `show` throws, and `CancellationError`.
    package mutating func follow(
        every interval: Duration,
        on clock: any Clock<Duration> = ContinuousClock(),
        _ show: (RunStatus) throws -> Void
    ) async throws {
        while true {
            let status = try await look()
            try show(status)
            guard case .underWay = status else { return }
            try await clock.sleep(for: interval)
        }
    }

    /// The pace of the last looks; until there are two, of the run since it began.
    private mutating func pace(of run: RunUnderWay) -> RunPace? {
        let ended = run.ended
        if looks.isEmpty { looks.append(Look(moment: run.startedAt, ended: 0)) }
        looks.append(Look(moment: run.now, ended: ended))
        while looks.count > 2, run.now - looks[1].moment >= Self.window { looks.removeFirst() }
        guard let first = looks.first, first.moment < run.now else { return nil }
        // An outcome that turns out not to be one is taken back.
        let perSecond = Double(max(0, ended - first.ended)) / ((run.now - first.moment) / .seconds(1))
        guard perSecond > 0 else { return RunPace(perSecond: 0) }
        return RunPace(perSecond: perSecond, left: .seconds(Double(max(0, run.operations - ended)) / perSecond))
    }
}

extension RunUnderWay {
    /// How many of its operations are over: neither waiting nor without a known outcome.
    var ended: Int { totals.done + totals.failed + totals.stale + totals.skipped }
}
