extension ExecutorConfiguration {
    /// The pause before a request is sent again; `nil` if it has failed too often.
    ///
    /// `jitter` is a random number in 0..<1, or 1 for the longest pause.
    package func pause(afterFailure failures: Int, _ trouble: WriteTrouble, jitter: Double) -> Duration? {
        guard failures < maximumAttempts else { return nil }
        return delays.delay(attempt: failures, jitter: jitter, retryAfter: trouble.retryAfter)
    }
}

extension StopSignal {
    /// Sends a request again until the market answers, as long as the run continues.
    ///
    /// The request must be read-only, or must take effect only once however often it is sent. Returns the last trouble
    /// if there is no answer, and `nil` if `send` did not send.
    func untilAnswered(
        _ configuration: ExecutorConfiguration,
        on clock: any Clock<Duration>,
        jitter: () -> Double = { 1 },
        _ send: () async throws -> WriteOutcome?
    ) async throws -> WriteOutcome? {
        var failures = 0
        while let outcome = try await send() {
            failures += 1
            guard let trouble = outcome.trouble, reason == nil,
                let pause = configuration.pause(afterFailure: failures, trouble, jitter: jitter())
            else { return outcome }
            try await self.pause(for: pause, on: clock)
        }
        return nil
    }
}

extension WriteOutcome {
    /// Why there is no answer; `nil` if there is one.
    var trouble: WriteTrouble? {
        switch self {
        case .succeeded, .refused: nil
        case .notSent(let trouble), .uncertain(let trouble): trouble
        }
    }

    /// The market's message, or why there is none; `nil` for a success.
    package var message: String? { if case .refused(let refusal) = self { refusal.message } else { trouble?.message } }

    var overload: WriteTrouble? { trouble.flatMap { $0.isOverload ? $0 : nil } }
}
