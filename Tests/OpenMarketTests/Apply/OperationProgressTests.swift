@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// What facts say together, whichever state keeps them.
struct OperationProgressTests {
    private static let first = RequestFingerprint(idempotencyKey: "first", references: ["up/1"])
    private static let second = RequestFingerprint(idempotencyKey: "second")

    private static func progress(_ facts: [JournalEvent.Fact]) -> OperationProgress {
        facts.enumerated().reduce(into: OperationProgress()) { progress, fact in
            progress.take(
                fact.element,
                number: fact.offset + 1,
                at: Timestamp(milliseconds: Int64(fact.offset + 1) * 1000)
            )
        }
    }

    @Test func `what is known of an earlier step stays known`() {
        var expected = OperationProgress()
        #expect(Self.progress([]) == expected)

        let create = JournalEvent.Fact.sent(.create, highWater: 41, fingerprint: Self.first)
        let lost = JournalEvent.Fact.unknown(.create, "lost", answered: 44)
        (expected.facts, expected.status, expected.step, expected.highWater) = (2, .unknown, .create, 41)
        (expected.message, expected.answered, expected.sentAt) = ("lost", 44, Timestamp(milliseconds: 1000))
        (expected.fingerprint, expected.firstSentAt) = (Self.first, Timestamp(milliseconds: 1000))
        #expect(Self.progress([create, lost]) == expected)

        // The same key again: it is known since the first request.
        let again = JournalEvent.Fact.sent(.create, highWater: nil, fingerprint: Self.first)
        (expected.facts, expected.status, expected.message) = (3, .sent, nil)
        expected.sentAt = Timestamp(milliseconds: 3000)
        #expect(Self.progress([create, lost, again]) == expected)

        // Another key is known since its own.
        let other = JournalEvent.Fact.sent(.create, highWater: 50, fingerprint: Self.second)
        (expected.facts, expected.highWater, expected.sentAt) = (4, 50, Timestamp(milliseconds: 4000))
        (expected.fingerprint, expected.firstSentAt) = (Self.second, Timestamp(milliseconds: 4000))
        #expect(Self.progress([create, lost, again, other]) == expected)

        // Later facts that name no product take none away.
        let facts = [
            create, lost, again, other, .unknown(.create, "lost"), .advanced(.create, created: 51),
            .advanced(.attach, created: nil), .sent(.deleteKey, highWater: nil),
        ]
        (expected.facts, expected.step, expected.product) = (8, .deleteKey, 51)
        expected.sentAt = Timestamp(milliseconds: 8000)
        #expect(Self.progress(facts) == expected)

        (expected.facts, expected.status, expected.message) = (9, .succeeded, "cut")
        #expect(Self.progress(facts + [.succeeded(nil, note: "cut")]) == expected)
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `the last facts alone say the same as all of them`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func step() -> RequestStep { [.create, .deleteKey, .delete].randomElement(using: &random) ?? .create }
        func product() -> MarketID? { [nil, 7, 8].randomElement(using: &random) ?? nil }
        func fingerprint() -> RequestFingerprint? {
            [nil, Self.first, Self.second].randomElement(using: &random) ?? nil
        }
        func sent() -> JournalEvent.Fact { .sent(step(), highWater: product(), fingerprint: fingerprint()) }
        var facts = [sent()]
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            switch Int.random(in: 0..<3, using: &random) {
            case 0: facts.append(sent())
            case 1: facts.append(.advanced(step(), created: product()))
            default: facts.append(.unknown(step(), "lost", answered: product()))
            }
        }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: facts.append(.succeeded(product(), note: nil))
        case 1: facts.append(.failed("no"))
        default: break
        }
        var whole = Self.progress(facts)
        var replayed = OperationProgress()
        for (index, fact) in whole.lastFacts.enumerated() {
            replayed.take(fact, number: whole.firstFact + index, at: whole.sentAt ?? .epoch)
        }
        // Since when a key is known is not a fact. What is over is not sent again.
        whole.firstSentAt = replayed.firstSentAt
        if !whole.isUnresolved { (whole.fingerprint, whole.answered) = (nil, nil) }
        #expect(replayed == whole, "\(facts)")
    }

    @Test func `a request that a later run sent again and was killed at may be under way still`() throws {
        let sent = JournalEvent.Fact.sent(.create, highWater: nil, fingerprint: Self.first)
        let lost = [sent, .unknown(.create, "lost")]
        for (facts, isOver) in [(lost, true), (lost + [sent], false)] {
            let journalled = JournalledOperation(
                run: RunID(rawValue: "run"),
                startedAt: .epoch,
                runEndedAt: Timestamp(milliseconds: 2500),
                sequence: 0,
                operation: PlannedOperation(key: "lamp", reason: "", work: .create(Lamp.new)),
                progress: Self.progress(facts)
            )
            #expect(try journalled.unresolved()?.runEndedAt == (isOver ? Timestamp(milliseconds: 2500) : nil))
        }
    }
}
