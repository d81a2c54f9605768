import Dispatch
import Synchronization

/// Waits for an async function on a thread that tasks do not share, such as a database's.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let outcome = Mutex<Result<Value, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    let report: @Sendable (Result<Value, any Error>) -> Void = { result in
        outcome.withLock { $0 = result }
        done.signal()
    }
    Task {
        do { report(.success(try await body())) } catch { report(.failure(error)) }
    }
    done.wait()
    guard let result = outcome.withLock(\.self) else { throw CancellationError() }
    return try result.get()
}
