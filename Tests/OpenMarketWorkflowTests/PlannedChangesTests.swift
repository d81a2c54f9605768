@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketWorkflow

/// What a plan leaves to do, and what a review of it shows.
struct PlannedChangesTests {
    private static let scope = MarketScope(url: "https://a.example", profile: .v2b, identifier: nil)

    private static let delete = PlannedOperation(
        key: "lamp",
        reason: "not in the manifest any more",
        work: .delete(
            PlannedOperation.Deletion(
                id: 7,
                live: ProductValues(name: "Lamp"),
                livePictures: LivePictures(images: [LiveProduct.Image(url: "/lamp.png")])
            )
        )
    )

    private static func planned(
        _ plan: Plan,
        _ state: MemoryState = MemoryState()
    ) async throws -> PlannedChanges {
        try await state.reading(scope) { reader in
            let recovered = try await Session(market: StandInMarket(), reading: reader, tool: "test").preview()
            return PlannedChanges(plan: plan, snapshot: recovered.snapshot, recovery: recovered)
        }
    }

    @Test func `a plan with an operation is pending`() async throws {
        #expect(try await !Self.planned(Plan()).isPending)
        #expect(try await Self.planned(Plan(operations: [Self.delete])).isPending)
    }

    @Test func `what an earlier run left unresolved is pending, too`() async throws {
        let state = MemoryState()
        try await state.holding(Self.scope, for: "test") { held in
            let run = RunID(rawValue: "r")
            let record = RunRecord(id: run, manifest: nil, tool: "test")
            try await held.begin(record, operations: [Self.delete])
            let sent = JournalEvent(run: run, sequence: 0, number: 1, fact: .sent(.delete, highWater: nil))
            _ = try await held.record(sent)
        }
        #expect(try await Self.planned(Plan(), state).isPending)
    }

    @Test func `a review's pictures come from the market once, and from what was kept then`() async throws {
        let folder = try TemporaryDirectory()
        let store = ContentStore(folder.path + "/pictures", isPrivate: true)
        let market = StandInMarket(pictures: ["/lamp.png": SmallPicture.png(1)])
        let review = PlanReview(Plan(operations: [Self.delete]))
        let side = try #require(review.pictures.first)
        for _ in 0..<2 {
            let pictures = try await MemoryState().reading(Self.scope) { reader in
                await Session(market: market, reading: reader, tool: "test").pictures(of: review, keptIn: store)
            }
            #expect(pictures[side] == .shown(SmallPicture.png(1), .png, remark: nil))
        }
        #expect(market.asked.pictures.count == 1)
    }
}
