import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketWorkflow

/// Exports of described markets that are killed at any page, however the list is cut into pages.
@Suite(.timeLimit(.minutes(5)))
struct ResumedListTests {
    typealias Style = ListingMarket.Style

    /// A folder with the description of a market that runs.
    private struct Exports: Sendable {
        let market: ListingMarket
        let url: String
        let folder: String
        /// Whether details are read, too.
        var isDetailed = false

        func program(_ name: String) -> Program {
            Program(
                Openmarket.path,
                ["export", "-o", name, "--url", url, "--api", "./listing.market.yaml", "--parallelism", "1"]
                    + (isDetailed ? ["--details"] : []),
                environment: ["OPENMARKET_SECRET": ReferenceServer.secret],
                folder: folder
            )
        }

        func read(_ name: String) throws -> [UInt8] {
            [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
        }

        /// The certificate without what two exports of one catalog differ in.
        func certificate(of name: String) throws -> [JSONValue.Member] {
            let members = try JSONValue.parse(read(name + ".certificate.json")).members ?? []
            return members.filter { $0.name != "started_at" && $0.name != "ended_at" }
        }

        /// Exports until a page is held and the replies before it are kept, and kills it there.
        func kill(at page: Int, keeping kept: Int? = nil, _ name: String) async throws {
            try? FileManager.default.removeItem(atPath: folder + "/" + name)
            _ = try await program(name).run { process in
                // Once the file is there, the program has not been held.
                while !FileManager.default.fileExists(atPath: folder + "/" + name) {
                    let bytes = (try? read(".\(name).resume")) ?? []
                    let isHeld = market.requests.contains { $0.hasSuffix(" 0") }
                    if isHeld, ResumedExportTests.records(of: .page, in: bytes) >= kept ?? page - 1 { break }
                    try await Task.sleep(for: .milliseconds(20))
                }
                process.send(.kill)
            }
        }

        /// The addresses of the details that were answered.
        var details: [String] {
            market.requests.filter { $0.contains("/products/") && $0.hasSuffix(" 200") }
        }

        /// Exports until a request is held and the details before it are kept, and kills it there; returns those details.
        func killAmongDetails(_ name: String) async throws -> Set<String> {
            try? FileManager.default.removeItem(atPath: folder + "/" + name)
            _ = try await program(name).run { process in
                while !FileManager.default.fileExists(atPath: folder + "/" + name) {
                    let isHeld = market.requests.contains { $0.hasSuffix(" 0") }
                    let kept = ResumedExportTests.records(of: .product, in: (try? read(".\(name).resume")) ?? [])
                    if isHeld, details.count == kept { break }
                    try await Task.sleep(for: .milliseconds(20))
                }
                process.send(.kill)
            }
            return Set(details)
        }

        /// Resumes, and compares what is written with an export that nothing interrupted; returns how many pages were asked
        /// for.
        func expectSame(_ name: String, as calm: String, _ comment: Comment, saying words: String) async throws -> Int {
            let output = try await program(name).run()
            #expect(output.status == 0, "\(comment): \(output.errorText)")
            #expect(output.errorText.contains(words), "\(comment): \(output.errorText)")
            #expect(try read(name) == read(calm), comment)
            #expect(try certificate(of: name) == certificate(of: calm), comment)
            #expect((try? read(".\(name).resume")) == nil, comment)
            return market.requests.count
        }
    }

    /// A market of a style, with an export that nothing interrupted and how many pages it asked for.
    private static func open(
        _ style: Style,
        isDetailed: Bool = false,
        _ body: (Exports, Int) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let detail = "description: {at: /text}}\noperations: {detail: {path: \"/products/{id}\"}}"
        let detailed = style.description.replacing("{at: /name}}", with: "{at: /name}, \(detail)")
        try directory.write(
            "listing.market.yaml",
            isDetailed ? detailed + "  omits: [description]\n" : style.description
        )
        try await ListingMarket.run(style) { market, server in
            let exports = Exports(market: market, url: server.url, folder: directory.path, isDetailed: isDetailed)
            let calm = try await exports.program("calm.csv").run()
            #expect(calm.status == 0, "\(style): \(calm.errorText)")
            try await body(exports, market.requests.count)
        }
        withExtendedLifetime(directory) {}
    }

    @Test(arguments: Style.allCases)
    func `killed at any page, it goes on there and writes the same bytes`(style: Style) async throws {
        try await Self.open(style) { exports, pages in
            #expect(style == .whole ? pages == 1 : pages >= 4, "\(pages)")
            for page in 1...pages {
                exports.market.set(hold: page)
                try await exports.kill(at: page, "catalog.csv")
                exports.market.set()
                let kept = page - 1
                let words = kept == 0 ? "Exported 13" : ": \(kept) \(kept == 1 ? "page is" : "pages are") there already"
                let asked = try await exports.expectSame("catalog.csv", as: "calm.csv", "page \(page)", saying: words)
                // The first page that was kept and the last one are looked at again.
                #expect(asked <= pages - kept + 2, "page \(page): \(asked)")
            }
        }
    }

    @Test(arguments: Style.allCases)
    func `killed among details, it asks for none again that was answered`(style: Style) async throws {
        try await Self.open(style, isDetailed: true) { exports, requests in
            for place in [6, 9, requests - 2] {
                exports.market.set(hold: place)
                let answered = try await exports.killAmongDetails("catalog.csv")
                exports.market.set()
                _ = try await exports.expectSame(
                    "catalog.csv",
                    as: "calm.csv",
                    "request \(place)",
                    saying: " there already"
                )
                let asked = Set(exports.details)
                #expect(asked.isDisjoint(with: answered) && asked.count + answered.count == ListingMarket.count)
            }
        }
    }

    @Test(arguments: [Style.cursor, .next, .link])
    func `where what was kept leads nowhere any more, it begins again`(style: Style) async throws {
        try await Self.open(style) { exports, pages in
            exports.market.set(hold: 4)
            try await exports.kill(at: 4, "catalog.csv")
            exports.market.set(expires: true)
            let asked = try await exports.expectSame(
                "catalog.csv",
                as: "calm.csv",
                "expired",
                saying: ": starting again"
            )
            #expect(asked <= pages + 2)
        }
    }

    @Test(arguments: [Style.cursor, .next, .link])
    func `a token that expired while the list was read is not asked for again`(style: Style) async throws {
        try await Self.open(style) { exports, pages in
            exports.market.set(refuse: 3)
            #expect(try await exports.program("refused.csv").run().status == 0)
            let whole = exports.market.requests.count
            // The third page is refused and the list begun again; it is killed on its second way.
            exports.market.set(hold: 6, refuse: 3)
            try await exports.kill(at: 6, "catalog.csv")
            exports.market.set()
            let asked = try await exports.expectSame(
                "catalog.csv",
                as: "refused.csv",
                "refused",
                saying: " there already"
            )
            #expect(try exports.read("refused.csv") == exports.read("calm.csv"))
            #expect(whole == pages + 3 && asked <= whole - 5 + 2, "\(asked) of \(whole)")
        }
    }
}
