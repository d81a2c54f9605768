@testable import OpenMarket
@testable import OpenMarketState
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
import Synchronization
import Testing
@testable import OpenMarketWorkflow

/// Comparisons with earlier exports, as commands ask for them.
final class ExportComparisonTests: Sendable {
    private static let lamp = LiveProduct(id: MarketID(9), vendorID: 1, name: "Lamp", price: 5, currency: .usd)

    private let folder: TemporaryDirectory
    private let events = Mutex<[SessionEvent]>([])

    init() throws { folder = try TemporaryDirectory() }

    private func path(_ name: String) -> String { folder.path + "/" + name }

    private func work(
        _ market: StandInMarket,
        at url: String = "https://m.example"
    ) throws -> MarketWork<LocalConnection<StandInMarket>> {
        let settings = MarketSettings(url: url, profile: .v2b)
        return try MarketWork(LocalConnection(market), settings, beside: folder.path, onEvent: add)
    }

    private func add(_ event: SessionEvent) { events.withLock { $0.append(event) } }

    /// What was reported that has to do with the earlier export.
    private var remarks: [String] {
        events.withLock { events in
            events.compactMap { event in
                if case .note(let text) = event { text } else { nil }
            }
        }
    }

    /// Exports a lamp, at a price.
    private func export(_ name: String, price: ExactDecimal = 5) async throws {
        var lamp = Self.lamp
        lamp.price = price
        let target = try ExportTarget(path(name))
        let settings = MarketSettings(url: "https://m.example", profile: .v2b)
        let options = try ExportOptions(to: target, market: settings)
        _ = try await work(StandInMarket(list: [lamp]))
            .export(to: target, options, market: settings, access: CatalogLibraries())
    }

    private func compare(
        _ name: String,
        isVerified: Bool = false,
        _ market: StandInMarket = StandInMarket(list: [lamp]),
        at url: String = "https://m.example"
    ) async throws -> CatalogDifference {
        try await work(market, at: url)
            .compare(ExportOptions(), with: path(name), isVerified: isVerified, access: CatalogLibraries())
    }

    @Test func `an earlier export is compared as it is, and one that was changed or has no certificate as well`()
        async throws
    {
        try await export("a.csv")
        #expect(try await compare("a.csv").changes.changes.isEmpty)
        #expect(remarks == [])

        try folder.write("a.csv", folder.read("a.csv").split(separator: 10, maxSplits: 1).first.map { $0 + [10] } ?? [])
        let changes = try await compare("a.csv").changes
        #expect([.new, .changed, .gone].map(changes.count) == [1, 0, 0])
        #expect(
            remarks == [
                "warning: \(path("a.csv")) does not match its certificate: products that it lacks count as new"
            ]
        )

        try FileSystem.remove(path("a.csv.certificate.json"))
        #expect(try await compare("a.csv").changes.changes.count == 1)
        #expect(remarks.count == 1)
    }

    @Test func `an export of another market is compared with a warning, whether or not it was verified`() async throws {
        try await export("a.csv")
        let url = "https://other.example"
        let words = "warning: \(path("a.csv")) was exported from https://m.example, and is compared with \(url)"
        _ = try await compare("a.csv", at: url)
        #expect(remarks == [words])
        _ = try await compare("a.csv", isVerified: true, at: url)
        #expect(remarks == [words, words])
    }

    @Test func `a list that does not hold still is not compared`() async throws {
        try await export("a.csv")
        let moving = StandInMarket(list: [Self.lamp], completeness: .unsettled)
        await #expect(throws: CommandFailure.unsettled(passes: 3)) { try await compare("a.csv", moving) }
    }

    @Test func `a change is the reason before a gap is, and without one the gap is`() async throws {
        try await export("a.csv")
        var same = try await compare("a.csv")
        try same.requireUnchanged(since: "a.csv")
        same.reading.summary.catalogMoved = true
        let gap = try #require(CatalogGap(same.reading))
        #expect(throws: gap) { try same.requireWhole() }
        #expect(throws: gap) { try same.requireUnchanged(since: "a.csv") }

        try await export("b.csv", price: 7)
        var other = try await compare("b.csv")
        try other.requireWhole()
        other.reading.summary.catalogMoved = true
        #expect(throws: gap) { try other.requireWhole() }
        let error = #expect(throws: CommandFailure.self) { try other.requireUnchanged(since: "b.csv") }
        #expect(error?.description == "b.csv is whole, but the market has changed since")
    }

    // MARK: - Outputs

    @Test func `what changed takes neither the place of the earlier export nor that of its certificate`() {
        FileRegister.$current.withValue(FileRegister()) {
            for name in ["a.csv", "a.csv.certificate.json"] {
                let conflict = FileConflict(output: "--out", path: path(name), occupant: .input(.earlierExport))
                #expect(throws: conflict) {
                    try ExportTarget(path(name)).declareChanges(since: path("a.csv"), as: .json, checksName: false)
                }
            }
        }
    }

    @Test func `the name of the file counts where the format is named`() throws {
        try FileRegister.$current.withValue(FileRegister()) {
            let target = try ExportTarget(path("changes.csv"))
            #expect(throws: FileConflict.self) {
                try target.declareChanges(since: path("a.csv"), as: .json, checksName: true)
            }
            let other = try ExportTarget(path("more.csv"))
            try other.declareChanges(since: path("a.csv"), as: .json, checksName: false)
        }
    }

    @Test func `a document is compressed where the name of its file says so`() throws {
        let document = Array("what changed\n".utf8)
        try ExportTarget(path("a.md")).write(document, by: CatalogLibraries())
        #expect(try folder.read("a.md") == document)
        try ExportTarget(path("a.md.gz")).write(document, by: CatalogLibraries())
        let decompress = try CatalogLibraries().decompressor()
        let text = try decompress(folder.read("a.md.gz"))
        #expect(try text + decompress(nil) == document)
    }
}
