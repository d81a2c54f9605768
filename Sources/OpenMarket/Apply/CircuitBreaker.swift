/// Notices that the market is plainly down: many requests in a row without any answer.
struct CircuitBreaker: Hashable, Sendable {
    /// How many failures in a row open it.
    let threshold: Int
    /// How many there were.
    private(set) var failures = 0

    /// Whether it is open.
    var isOpen: Bool { failures >= threshold }

    /// Takes note of an outcome; being asked for less is an answer, too.
    mutating func observe(_ outcome: WriteOutcome) {
        switch outcome {
        case .succeeded, .refused: failures = 0
        case .notSent(let trouble), .uncertain(let trouble):
            failures = trouble.isOverload ? 0 : failures + 1
        }
    }
}
