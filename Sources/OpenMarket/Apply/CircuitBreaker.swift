/// Detects that the market is down: many requests in a row without any answer.
struct CircuitBreaker: Hashable, Sendable {
    let threshold: Int
    private(set) var failures = 0

    var isOpen: Bool { failures >= threshold }

    /// Counts an outcome; a rate limit counts as an answer.
    mutating func observe(_ outcome: WriteOutcome) {
        switch outcome {
        case .succeeded, .refused: failures = 0
        case .notSent(let trouble), .uncertain(let trouble):
            failures = trouble.isOverload ? 0 : failures + 1
        }
    }
}
