@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// How a run is cut into parts for several sessions.
struct RunChunkTests {
    private func create(_ key: String, name: String) -> PlannedOperation {
        Listing.with(key: key, name: name, price: 100, pictures: [1]).create
    }

    private func replace(_ key: String, name: String) -> PlannedOperation {
        let listing = Listing.with(key: key, name: name, price: 100, pictures: [1])
        return PlannedOperation(
            key: key,
            reason: "other pictures",
            work: .replace(
                PlannedOperation.Replacement(
                    id: 7,
                    changes: [],
                    product: NewProduct(values: listing.values, pictures: listing.pictures),
                    live: listing.values
                )
            )
        )
    }

    private func forget(_ key: String) -> PlannedOperation {
        PlannedOperation(key: key, reason: "gone", work: .forget(9, name: nil))
    }

    @Test func `parts follow the plan's order within each phase`() {
        let operations = [
            forget("a"), create("b", name: "B"), create("c", name: "C"), create("d", name: "D"), forget("e"),
        ]
        let chunks = RunChunk.cut(operations, size: 2)
        #expect(chunks.map(\.sequences) == [[1, 2], [3], [0, 4]])
        #expect(chunks.map(\.phase) == [1, 1, 5])
        #expect(RunChunk.cut(operations, size: 2) { $0 != 2 && $0 != 0 }.map(\.sequences) == [[1, 3], [4]])
        #expect(RunChunk.cut([], size: 2).isEmpty)
        #expect(RunChunk.cut(operations, size: 0).map(\.sequences) == [[1], [2], [3], [0], [4]])
    }

    @Test func `products of one name are never in two parts`() {
        let operations = [
            create("a", name: "Twin"), create("b", name: "B"), create("c", name: "C"), create("d", name: "Twin"),
            replace("e", name: "Twin"), replace("f", name: "F"), create("g", name: "Twin"),
        ]
        let chunks = RunChunk.cut(operations, size: 2)
        #expect(chunks.map(\.sequences) == [[0, 1, 3, 6, 4], [2], [5]])
        #expect(chunks.map(\.phase) == [1, 1, 3])
    }
}
