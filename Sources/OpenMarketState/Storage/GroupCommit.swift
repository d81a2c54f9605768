import OpenMarket

/// Lets many callers share one commit: while one commit is written, the next batch gathers.
///
/// The first caller leads: it commits the gathered events, then passes the lead to the first caller that came
/// meanwhile. So no extra task is needed, and an idle journal commits at once.
actor GroupCommit {
    /// Commits the events of several callers; returns an error for each caller, or throws one for all of them.
    typealias Commit = @Sendable ([[JournalEvent]]) async throws -> [StateError?]

    private enum Turn: Sendable {
        case committed(StateError?)
        case failed(any Error)
        case lead
    }

    private struct Waiting {
        var events: [JournalEvent]
        var turn: CheckedContinuation<Turn, Never>
    }

    private var waiting: [Waiting] = []
    private var isCommitting = false

    func record(_ events: [JournalEvent], commit: Commit) async throws {
        if isCommitting {
            switch await withCheckedContinuation({ waiting.append(Waiting(events: events, turn: $0)) }) {
            case .committed(nil): return
            case .committed(let error?): throw error
            case .failed(let error): throw error
            case .lead: break
            }
        }
        isCommitting = true
        // Lets callers that are ready now join: a commit costs more than its content.
        await Task.yield()
        // The leader is no longer among the waiting callers.
        let batch = waiting
        waiting = []
        defer { handOver() }
        let errors: [StateError?]
        do {
            errors = try await commit([events] + batch.map(\.events))
        } catch {
            for member in batch { member.turn.resume(returning: .failed(error)) }
            throw error
        }
        for (member, error) in zip(batch, errors.dropFirst()) { member.turn.resume(returning: .committed(error)) }
        if let error = errors.first ?? nil { throw error }
    }

    private func handOver() {
        guard !waiting.isEmpty else {
            isCommitting = false
            return
        }
        waiting.removeFirst().turn.resume(returning: .lead)
    }
}
