/// The progress of an operation.
///
/// Only this type derives a status from facts.
package struct OperationProgress: Hashable, Sendable {
    /// The number of the last fact; 0 if there is none.
    package var facts = 0
    package var status = OperationStatus.intended
    /// The last step that was requested or succeeded.
    package var step: RequestStep?
    /// The newest id before a create was sent.
    package var highWater: MarketID?
    /// The product that it created or changed, if known.
    package var product: MarketID?
    /// The product that a reply to a create named but that was not accepted as the new one.
    package var answered: MarketID?
    package var message: String?
    /// When the last request was sent.
    package var sentAt: Timestamp?
    /// The fingerprint for repeating the last request.
    package var fingerprint: RequestFingerprint?
    /// When a request with this idempotency key was first sent.
    package var firstSentAt: Timestamp?

    package init() {}

    /// Applies the next fact; data from earlier steps is kept.
    package mutating func take(_ fact: JournalEvent.Fact, number: Int, at time: Timestamp) {
        facts = number
        status = fact.status
        message = fact.message
        switch fact {
        case .sent(let step, let highWater, let fingerprint):
            self.step = step
            self.highWater = highWater ?? self.highWater
            sentAt = time
            guard let fingerprint else { break }
            if firstSentAt == nil || fingerprint.idempotencyKey != self.fingerprint?.idempotencyKey {
                firstSentAt = time
            }
            self.fingerprint = fingerprint
        case .advanced(let step, let created):
            self.step = step
            product = created ?? product
            sentAt = sentAt ?? time
        case .unknown(let step, _, let answered):
            self.step = step
            self.answered = answered ?? self.answered
            sentAt = sentAt ?? time
        case .succeeded(let product, _): self.product = product ?? self.product
        case .failed, .skipped: break
        }
    }

    package var isUnresolved: Bool { OperationStatus.unresolved.contains(status) }

    /// The last facts, which contain all data; the first has the number ``firstFact``.
    package var lastFacts: [JournalEvent.Fact] {
        let text = message ?? ""
        // The next step's request keeps the product of an earlier step.
        let goesOn = [.sent, .unknown, .failed].contains(status)
        let made = goesOn ? product.map { JournalEvent.Fact.advanced(.create, created: $0) } : nil
        let sent = step.map {
            JournalEvent.Fact.sent($0, highWater: highWater, fingerprint: isUnresolved ? fingerprint : nil)
        }
        // It also keeps the product that an earlier reply named.
        let named =
            isUnresolved && status != .unknown
            ? answered.map { JournalEvent.Fact.unknown(.create, "", answered: $0) } : nil
        let last: JournalEvent.Fact? =
            switch status {
            case .intended, .sent: nil
            case .advanced: step.map { .advanced($0, created: product) }
            case .succeeded: .succeeded(product, note: message)
            case .failed: .failed(text)
            case .unknown: step.map { .unknown($0, text, answered: answered) }
            case .skipped: .skipped(text)
            }
        return [named, made, sent, last].compactMap(\.self)
    }

    /// The number of the first of ``lastFacts``; earlier ones are not needed, but the next number has to follow.
    package var firstFact: Int { max(1, facts - lastFacts.count + 1) }
}
