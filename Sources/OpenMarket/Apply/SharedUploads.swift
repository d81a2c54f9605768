/// The uploads of a run: equal bytes are sent once, however many products have them.
actor SharedUploads {
    private var done: [ContentDigest: (outcome: WriteOutcome, since: Duration)] = [:]
    /// Who waits for uploads that are under way.
    private var waiting: [ContentDigest: [CheckedContinuation<Void, Never>]] = [:]

    /// The outcome of an earlier upload of a picture that the market still knows, or of the one that `send` carries out.
    ///
    /// The market knows an upload for `lifetime`, without an end if that is `nil`.
    func outcome(
        of picture: ContentDigest,
        knownFor lifetime: Duration?,
        _ elapsed: @Sendable () -> Duration,
        sending send: @Sendable () async -> WriteOutcome
    ) async -> WriteOutcome {
        while waiting[picture] != nil { await withCheckedContinuation { waiting[picture]?.append($0) } }
        // Its product has to be written while the market knows it.
        if let known = done[picture], lifetime.map({ elapsed() - known.since < $0 / 2 }) ?? true {
            return known.outcome
        }
        waiting[picture] = []
        let outcome = await send()
        if case .succeeded(let reply) = outcome, reply.reference != nil { done[picture] = (outcome, elapsed()) }
        for waiter in waiting.removeValue(forKey: picture) ?? [] { waiter.resume() }
        return outcome
    }
}
