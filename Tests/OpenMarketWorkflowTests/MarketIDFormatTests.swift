@testable import OpenMarket
@testable import OpenMarketState
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// Ids through every format and back: no two become one, and none another.
struct MarketIDFormatTests {
    /// An export's format, and a market's kind of ids.
    struct Case: Sendable, CustomTestStringConvertible {
        var format: ExportFormat
        var kind: MarketID.Kind
        var isForSpreadsheets = false

        static let all = ExportFormat.ofExports.flatMap { format in
            MarketID.Kind.allCases.flatMap { kind in
                [Case(format: format, kind: kind)]
                    + (format == .csv ? [Case(format: format, kind: kind, isForSpreadsheets: true)] : [])
            }
        }

        var testDescription: String { "\(format) of \(kind)s\(isForSpreadsheets ? " for spreadsheets" : "")" }
        var profile: MarketProfile { .v2b.naming(productsBy: kind) }

        /// Texts that formats may take for something else, or for each other.
        var ids: [MarketID] {
            switch kind {
            case .number: [12, 9, 4, .number(.max)]
            case .text:
                [
                    "prod_1", "007", "7", "0", "-1", "+7", "1e3", "1.50", "\u{E9}", "e\u{301}", "true", "null", "~",
                    "=1+1",
                    "a,b", "a;b", "a\"b", "it's", "#1", "- a", "a: b", "{a}", "상품", "2024-01-01",
                    String(repeating: "x", count: MarketID.longestText),
                ].map(MarketID.text)
            }
        }

        func market(_ ids: [MarketID]) -> StandInMarket {
            let products = ids.enumerated().map { number, id in
                LiveProduct(
                    id: id,
                    vendorID: 1,
                    name: "Lamp \(number)",
                    description: "A lamp that is described.",
                    price: 5,
                    currency: .usd,
                    stock: 3,
                    images: [.init(url: "https://m.example/\(number).png")]
                )
            }
            return StandInMarket(profile: profile, list: products)
        }

        func session(_ market: StandInMarket) async throws -> Session {
            let scope = MarketScope(url: "https://m.example", profile: profile, identifier: nil)
            return Session(market: market, reading: try await MemoryState().read(scope), tool: "test 1")
        }

        /// Exports into a folder.
        func export(_ market: StandInMarket, in directory: borrowing TemporaryDirectory) async throws -> String {
            let path = directory.path + "/a." + format.endings[0]
            let target = try ExportTarget(path)
            let settings = MarketSettings(url: "https://m.example", profile: profile, vendorID: 1)
            let options = try ExportOptions(to: target, isForSpreadsheets: isForSpreadsheets, market: settings)
            _ = try await session(market).export(to: target, options, market: settings, access: CatalogLibraries())
            return path
        }

        /// The ids that a manifest or table pins products by.
        func pinned(_ path: String) async -> Set<MarketID> {
            var options = ManifestOptions(environment: [:])
            options.marketOverride = .builtIn(profile)
            options.readsPictures = false
            let loaded = await ManifestLoader(options: options).load([path])
            return Set(loaded.manifest?.listings.compactMap(\.pinnedID) ?? [])
        }
    }

    @Test(arguments: Case.all)
    func `ids come back as they were`(_ form: Case) async throws {
        let directory = try TemporaryDirectory()
        let ids = form.ids
        let path = try await form.export(form.market(ids), in: directory)
        switch form.format {
        case .manifest: #expect(await form.pinned(path) == Set(ids))
        default:
            var read: [MarketID] = []
            var pictures: [CatalogValue] = []
            try CatalogLibraries().rows(of: path, as: .earlierExport, ids: form.kind, isLines: false) { row in
                read.append(row.id)
                pictures.append(row[.images])
            }
            #expect(Set(read) == Set(ids) && read.count == ids.count)
            #expect(Set(pictures).count == ids.count, "pictures of another product")
            if form.format == .csv || form.format == .tsv {
                // In a cell, what programs write where there is no value is refused.
                let pinned = await form.pinned(path)
                #expect(Set(ids).subtracting(pinned).isSubset(of: [.text("null")]))
                #expect(pinned.isSubset(of: ids))
            }
        }
        withExtendedLifetime(directory) {}
    }

    @Test(arguments: Case.all.filter { $0.format != .manifest })
    func `a comparison with an earlier export takes each product for itself`(_ form: Case) async throws {
        let directory = try TemporaryDirectory()
        let path = try await form.export(form.market(form.ids), in: directory)
        let same = try await form.session(form.market(form.ids))
            .compare(ExportOptions(), with: path, access: CatalogLibraries())
        #expect(same.changes.changes.isEmpty && same.changes.unchanged == form.ids.count)

        let gone = form.ids[1]
        let new: MarketID = form.kind == .number ? 13 : .text("07")
        let later = form.market(form.ids.map { $0 == gone ? new : $0 })
        let other = try await form.session(later).compare(ExportOptions(), with: path, access: CatalogLibraries())
        #expect(Set(other.changes.changes.map(\.row.id)) == [gone, new])
        #expect(other.changes.unchanged == form.ids.count - 1)
        withExtendedLifetime(directory) {}
    }

    @Test(arguments: Case.all.filter { $0.format != .manifest })
    func `an export of the other kind of ids is refused`(_ form: Case) async throws {
        let directory = try TemporaryDirectory()
        let path = try await form.export(form.market(form.ids), in: directory)
        let other: MarketID.Kind = form.kind == .number ? .text : .number
        // A table has no kinds: there digits are texts as well.
        if form.kind == .number, form.format == .csv || form.format == .tsv { return }
        #expect(throws: (any Error).self) {
            try CatalogLibraries().rows(of: path, as: .earlierExport, ids: other, isLines: false) { _ in }
        }
        withExtendedLifetime(directory) {}
    }
}
