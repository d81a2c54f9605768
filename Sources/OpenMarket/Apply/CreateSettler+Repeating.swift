import Logging

/// Creates whose replies earlier runs lost, on markets that apply a repeated request once.
///
/// The same bytes are sent under the same idempotency key, and only while the market certainly recognizes it. Other
/// creates are searched for.
extension CreateSettler {
    /// Sends a create again until the market answers; `nil` means that it must be searched for.
    ///
    /// `open` is updated with everything that is recorded in `state`. Rethrows the journal's errors and throws
    /// `CancellationError`.
    func repeated(
        _ open: inout UnresolvedOperation,
        in state: any StateSession,
        _ snapshot: StateSnapshot
    ) async throws -> SettlementVerdict? {
        var order: String?
        let outcome = try await drain.untilAnswered(configuration, on: time.clock) {
            guard drain.reason == nil, let request = request(of: open) else { return nil }
            // The market may apply it late, so a later run needs the time.
            order = try await record(
                .sent(.create, highWater: nil, fingerprint: open.fingerprint),
                of: &open,
                in: state
            ).stop
            guard order == nil else { return nil }
            Logger.current.debug("sending a create again", metadata: ["key": "\(open.operation.key)"])
            let outcome = await state.send(request, to: market, drain)
            open.sentAt = time.wall()
            if let trouble = outcome.trouble {
                try await record(.unknown(.create, trouble.message), of: &open, in: state)
            }
            return outcome
        }
        if let order {
            drain.stop(.ordered(order))
            return .unresolved(order)
        }
        switch outcome {
        case .succeeded(let reply)?:
            if let shown = reply.product, let product = open.operation.newProduct,
                doubt(about: shown, made: product, by: open, snapshot) == nil
            {
                return .happened(shown, picturesAreCertain: true)
            }
            open.answered = reply.product?.id ?? open.answered
            let trouble = "the reply does not show the product"
            try await record(.unknown(.create, trouble, answered: reply.product?.id), of: &open, in: state)
        case .refused(let refusal)?: try await record(.unknown(.create, refusal.message), of: &open, in: state)
        case .notSent?, .uncertain?, nil: break
        }
        return nil
    }

    /// The original request; `nil` if it cannot be rebuilt, or the market may have forgotten it.
    private func request(of open: UnresolvedOperation) -> WriteRequest? {
        guard open.isOpenCreate, let product = open.operation.newProduct, let fingerprint = open.fingerprint,
            fingerprint.idempotencyKey != nil, let digest = fingerprint.digest, let since = open.firstSentAt,
            capabilities.repetition?.isKnown(after: time.wall() - since) == true
        else { return nil }
        var request = product.createRequest(open.operation.secret)
        request.key = configuration.sendsKeys ? open.operation.key : nil
        request.idempotencyKey = fingerprint.idempotencyKey
        request.references = fingerprint.references
        // Another version may encode the same product differently, and a picture's content may have changed.
        return market.bodyDigest(of: request) == digest ? request : nil
    }

    private func doubt(
        about shown: LiveProduct,
        made product: NewProduct,
        by open: UnresolvedOperation,
        _ snapshot: StateSnapshot
    ) -> String? {
        let key = open.operation.key
        let keys = ManagedKeys(snapshot.entries.keys, capabilities)
        let identity = VendorIdentity(claim: nil, state: snapshot, live: [:], keys: keys)
        let holder = snapshot.entries.values.first { $0.id == shown.id && $0.key != key }?.key
        return product.doubt(
            about: shown,
            carrying: configuration.sendsKeys ? key : nil,
            newerThan: open.highWater,
            capabilities,
            identity,
            holder: holder
        )
    }

    @discardableResult
    private func record(
        _ fact: JournalEvent.Fact,
        of open: inout UnresolvedOperation,
        in state: any StateSession
    ) async throws -> StateDirectives {
        let orders = try await state.record(open.next(fact))
        open.facts += 1
        return orders
    }
}
