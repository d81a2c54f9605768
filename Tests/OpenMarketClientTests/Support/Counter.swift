import Glibc
import Synchronization

/// Counts up from 0.
final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    func next() -> Int { count.add(1, ordering: .sequentiallyConsistent).oldValue }
}

/// Lets other threads run, where a test's server has to wait for other requests.
func usleepBriefly() { usleep(500) }
