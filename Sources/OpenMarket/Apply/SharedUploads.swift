/// The uploads of a run: equal bytes are sent once for all products.
final class SharedUploads: Sendable {
    private struct State {
        var done: [ContentDigest: (outcome: WriteOutcome, since: Duration)] = [:]
        var underWay: Set<ContentDigest> = []
    }

    private let state = Monitor(State())

    /// The outcome of an earlier upload of a picture that the market still keeps, or of the one that `send` performs.
    ///
    /// The market keeps an upload for `lifetime`; `nil` means forever.
    func outcome(
        of picture: ContentDigest,
        knownFor lifetime: Duration?,
        _ elapsed: @Sendable () -> Duration,
        sending send: @Sendable () async -> WriteOutcome
    ) async -> WriteOutcome {
        let known = await state.wait { state -> WriteOutcome?? in
            guard !state.underWay.contains(picture) else { return nil }
            // Its product has to be written while the market keeps it.
            if let known = state.done[picture], lifetime.map({ elapsed() - known.since < $0 / 2 }) ?? true {
                return known.outcome
            }
            state.underWay.insert(picture)
            return .some(nil)
        }
        if let known { return known }
        let outcome = await send()
        state.change { state in
            state.underWay.remove(picture)
            if case .succeeded(let reply) = outcome, reply.reference != nil {
                state.done[picture] = (outcome, elapsed())
            }
        }
        return outcome
    }
}
