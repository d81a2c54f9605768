import Synchronization

/// Data that tasks share under a lock, and whose changes other tasks wait for.
final class Monitor<State: Sendable>: Sendable {
    private struct Content {
        var state: State
        var waiting: [(number: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
        var lastNumber: UInt64 = 0
    }

    private let content: Mutex<Content>

    init(_ state: State) {
        content = Mutex(Content(state: state))
    }

    /// Reads the data, or changes parts that no task waits for.
    func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        content.withLock { body(&$0.state) }
    }

    /// Changes the data and wakes the waiting tasks.
    @discardableResult
    func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, waiting) = content.withLock { content in
            let result = body(&content.state)
            defer { content.waiting = [] }
            return (result, content.waiting)
        }
        for waiter in waiting { waiter.continuation.resume() }
        return result
    }

    /// Waits until `condition` returns a result; it may change the data, which wakes no task.
    ///
    /// It is evaluated again after each change, and when the task is cancelled.
    @discardableResult
    func wait<Result: Sendable>(for condition: (inout State) -> Result?) async -> Result {
        let number = content.withLock { content in
            content.lastNumber += 1
            return content.lastNumber
        }
        return await withTaskCancellationHandler {
            var result: Result?
            while true {
                if let result { return result }
                await withCheckedContinuation { continuation in
                    result = content.withLock { content in
                        let result = condition(&content.state)
                        if result == nil { content.waiting.append((number, continuation)) }
                        return result
                    }
                    if result != nil { continuation.resume() }
                }
            }
        } onCancel: {
            let own = content.withLock { content in
                content.waiting.firstIndex { $0.number == number }.map { content.waiting.remove(at: $0).continuation }
            }
            own?.resume()
        }
    }
}
