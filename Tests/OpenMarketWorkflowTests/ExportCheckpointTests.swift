import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
import Synchronization
import Testing
@testable import OpenMarketWorkflow

/// What an export makes of the replies that an interrupted one has kept.
struct ExportCheckpointTests {
    private static let market = MarketScope(url: "http://127.0.0.1", profile: .v2b, identifier: nil)
    private static let night = Timestamp(milliseconds: 1_700_000_000_000)
    private static let day: Duration = .seconds(24 * 60 * 60)

    /// An export's file in a folder of its own.
    private final class Export {
        let directory: TemporaryDirectory
        let events = Events()

        init() throws { directory = try TemporaryDirectory() }

        var path: String { directory.path + "/.a.csv.resume" }
        var exists: Bool { FileSystem.exists(path) }
        var foreign: String { "warning: the read pages cannot be kept in \(path): it is not one of an export's" }
        var damaged: String { "warning: \(path), left by an interrupted export, is damaged: starting again" }

        func checkpoint(
            scope: MarketScope = market,
            details: Bool = false,
            parallelism: Int = 4,
            restarts: Bool = false,
            tool: String = "1",
            now: Timestamp = night
        ) -> ExportCheckpoint {
            ExportCheckpoint(
                output: directory.path + "/a.csv",
                scope: scope,
                description: MarketProfile.v2b.digest,
                details: details,
                parallelism: parallelism,
                restarts: restarts,
                tool: tool,
                now: now,
                onNote: events.add
            )
        }

        /// Reads some pages, with a product's reply behind the second, and is killed.
        func interrupt(pages: Int = 3, parallelism: Int = 4, now: Timestamp = night) {
            let checkpoint = checkpoint(parallelism: parallelism, now: now)
            for page in 1...pages {
                keep(page, in: checkpoint)
                guard page == 2 else { continue }
                checkpoint.keep(product: MarketID(9), Array("detail".utf8).span)
                checkpoint.keep(product: MarketID(8), nil)
            }
        }

        func keep(_ page: Int, in checkpoint: ExportCheckpoint) {
            checkpoint.keep(page: Export.reply(page), Export.body(page).span)
        }

        /// A reply with all that is kept beside a body.
        static func reply(_ page: Int) -> KeptReply {
            KeptReply(
                number: page,
                request: "next 100 /items?page=\(page)\n\u{1F980}",
                status: 206,
                headers: [.init(name: "Link", value: "</items?page=\(page &+ 1)>; rel=\"next\"")]
            )
        }

        static func body(_ page: Int) -> [UInt8] { Array("page \(page)".utf8) }
    }

    private final class Events: Sendable {
        private let all = Mutex<[String]>([])

        func add(_ event: String) { all.withLock { $0.append(event) } }
        func take() -> [String] {
            all.withLock { events in
                defer { events = [] }
                return events
            }
        }
    }

    private static func pages(of checkpoint: ExportCheckpoint) throws -> [KeptPage] {
        var pages: [KeptPage] = []
        while let page = try checkpoint.nextPage() { pages.append(page) }
        return pages
    }

    private static func resumed(_ began: Timestamp, _ pages: String) -> String {
        "Resuming the export that began at \(began.iso8601): \(pages) there already"
    }

    private static func kept(_ pages: String) -> String {
        "Kept \(pages): run the same export again within a day to resume there"
    }

    private static func page(_ number: Int) -> KeptPage { KeptPage(Export.reply(number), body: Export.body(number)) }

    // MARK: - Branches

    @Test func `without a file there is nothing to resume, and none is made before a page came`() throws {
        let export = try Export()
        let checkpoint = export.checkpoint()
        #expect(try checkpoint.earlier() == nil)
        #expect(try checkpoint.nextPage() == nil)
        #expect(try checkpoint.product(MarketID(9)) == nil)
        #expect(!export.exists)
        export.keep(1, in: checkpoint)
        #expect(export.exists)
        checkpoint.remove()
        #expect(!export.exists)
        #expect(export.events.take() == [])
    }

    @Test(arguments: 0..<4) func `where a reply holds a credential, no reply is kept`(place: Int) throws {
        let secret = "hush-hush-hush"
        let body = Array(#"{"name": "hush\u002dHUSH%2dhush"}"#.utf8)
        try KnownSecrets.$current.withValue(KnownSecrets([Secret(secret)])) {
            let export = try Export()
            let checkpoint = export.checkpoint()
            export.keep(1, in: checkpoint)
            #expect(export.exists)
            switch place {
            case 0: checkpoint.keep(page: Export.reply(2), body.span)
            case 1: checkpoint.keep(product: MarketID(9), body.span)
            case 2: checkpoint.keep(product: try #require(MarketID(text: secret)), nil)
            default:
                let link = KeptReply.Header(name: "Link", value: "</items?token=\(secret)>")
                checkpoint.keep(page: KeptReply(number: 2, request: "a", status: 200, headers: [link]), Span())
            }
            #expect(!export.exists)
            export.keep(3, in: checkpoint)
            #expect(!export.exists)
            #expect(export.events.take() == [])
        }
    }

    @Test func `an interrupted export is resumed with all that it kept, and goes on keeping`() throws {
        let export = try Export()
        export.interrupt()
        let checkpoint = export.checkpoint(parallelism: 8, now: Self.night + Self.day)
        #expect(try checkpoint.earlier() == EarlierReading(parallelism: 4, marks: [Self.page(1), Self.page(3)]))
        #expect(checkpoint.resumedStart == nil)
        #expect(try checkpoint.product(MarketID(9)) == nil)
        checkpoint.resume()
        #expect(checkpoint.resumedStart == Self.night)
        #expect(export.events.take() == [Self.resumed(Self.night, "3 pages are")])
        #expect(try checkpoint.nextPage() == Self.page(1))
        #expect(try checkpoint.nextPage() == Self.page(2))
        #expect(try checkpoint.product(MarketID(8)) == KeptProduct(body: nil))
        #expect(try checkpoint.product(MarketID(9)) == KeptProduct(body: Array("detail".utf8)))
        #expect(try checkpoint.product(MarketID(7)) == nil)
        #expect(try checkpoint.nextPage() == Self.page(3))
        #expect(try checkpoint.nextPage() == nil)
        export.keep(4, in: checkpoint)
        checkpoint.end(after: MarketError(.unreachable, "gone"))
        #expect(export.events.take() == [Self.kept("4 pages")])
        #expect(try FileManager.default.attributesOfItem(atPath: export.path)[.posixPermissions] as? Int == 0o600)
    }

    @Test func `a run that resumed is resumed again`() throws {
        let export = try Export()
        export.interrupt()
        do {
            let second = export.checkpoint(now: Self.night + .seconds(60))
            second.resume()
            _ = try Self.pages(of: second)
            export.keep(4, in: second)
        }
        let third = export.checkpoint(now: Self.night + .seconds(120))
        third.resume()
        #expect(try Self.pages(of: third) == (1...4).map(Self.page))
        #expect(third.resumedStart == Self.night)
    }

    @Test func `older than a day or from the future, it is read from the beginning`() throws {
        for moment in [Self.night + Self.day + .milliseconds(1), Self.night + .milliseconds(-1)] {
            let export = try Export()
            export.interrupt()
            let checkpoint = export.checkpoint(now: moment)
            let reason = "The interrupted export began at \(Self.night.iso8601), more than a day from now"
            #expect(export.events.take() == ["\(reason): starting again"])
            #expect(try checkpoint.earlier() == nil && checkpoint.nextPage() == nil)
            export.keep(1, in: checkpoint)
            #expect(try export.checkpoint(now: moment).earlier() == nil, "it is in use")
        }
    }

    @Test func `another export's replies are not taken`() throws {
        let export = try Export()
        let other = MarketScope(url: "http://localhost", profile: .v2b, identifier: nil)
        let v2a = MarketScope(url: Self.market.url, profile: .v2a, identifier: nil)
        for change in ["market", "profile", "details", "tool"] {
            export.interrupt()
            let checkpoint =
                switch change {
                case "market": export.checkpoint(scope: other)
                case "profile": export.checkpoint(scope: v2a)
                case "details": export.checkpoint(details: true)
                default: export.checkpoint(tool: "2")
                }
            let reason = "The interrupted export is of another market, choice of details or version"
            #expect(export.events.take() == ["\(reason): starting again"], "\(change)")
            #expect(try checkpoint.earlier() == nil && checkpoint.nextPage() == nil, "\(change)")
        }
        // Another vendor reads the same list.
        export.interrupt()
        #expect(
            try export.checkpoint(
                scope: MarketScope(
                    url: Self.market.url,
                    profile: .v2b,
                    identifier: ContentDigest(bytes: Array(repeating: 1, count: 32))
                )
            ).earlier()
                != nil
        )
    }

    @Test func `on demand, nothing that was kept is used`() throws {
        let export = try Export()
        export.interrupt()
        let checkpoint = export.checkpoint(restarts: true)
        #expect(try checkpoint.earlier() == nil && checkpoint.nextPage() == nil)
        #expect(export.events.take() == [])
        #expect(try export.directory.read(".a.csv.resume") == [])
    }

    @Test func `what moved since is dropped, and what is read again is kept`() throws {
        let export = try Export()
        export.interrupt()
        do {
            let checkpoint = export.checkpoint(now: Self.night + .seconds(1))
            checkpoint.restart()
            #expect(export.events.take() == ["The catalog moved since \(Self.night.iso8601): starting again"])
            #expect(try checkpoint.earlier() == nil && checkpoint.nextPage() == nil)
            #expect(checkpoint.resumedStart == nil)
            export.keep(1, in: checkpoint)
        }
        let again = export.checkpoint(now: Self.night + .seconds(2))
        #expect(try again.earlier() == EarlierReading(parallelism: 4, marks: [Self.page(1)]))
        again.resume()
        #expect(export.events.take() == [Self.resumed(Self.night + .seconds(1), "1 page is")])
    }

    @Test func `while another run has the file, nothing is kept, and the file stays`() throws {
        let export = try Export()
        let first = export.checkpoint()
        export.keep(1, in: first)
        let kept = try export.directory.read(".a.csv.resume")
        let second = export.checkpoint()
        let reason = "Another export of the same file is running: this one cannot be resumed"
        #expect(export.events.take() == [reason])
        export.keep(1, in: second)
        second.end(after: CancellationError())
        second.remove()
        #expect(try export.directory.read(".a.csv.resume") == kept)
        #expect(export.events.take() == [])
        withExtendedLifetime(first) {}
    }

    @Test func `only what stopped the export from outside leaves a file to resume`() throws {
        let export = try Export()
        let ends: [(any Error, Bool)] = [
            (CancellationError(), true), (MarketError(.unreachable, "gone"), true),
            (MarketError(.unreadable, "odd"), false), (CommandFailure.unsettled(passes: 3), false),
        ]
        for (error, stays) in ends {
            let checkpoint = export.checkpoint(restarts: true)
            export.keep(1, in: checkpoint)
            checkpoint.end(after: error)
            #expect(export.exists == stays, "\(error)")
            #expect(export.events.take() == (stays ? [Self.kept("1 page")] : []), "\(error)")
        }
        let early = export.checkpoint()
        early.end(after: CancellationError())
        #expect(!export.exists)
        #expect(export.events.take() == [])
    }

    @Test func `where nothing can be written, the export goes on without`() throws {
        let export = try Export()
        let checkpoint = ExportCheckpoint(
            output: export.directory.path + "/missing/a.csv",
            scope: Self.market,
            description: MarketProfile.v2b.digest,
            details: false,
            parallelism: 4,
            tool: "1",
            onNote: export.events.add
        )
        export.keep(1, in: checkpoint)
        export.keep(2, in: checkpoint)
        let reason = "warning: the read pages cannot be kept in \(checkpoint.path): No such file or directory"
        #expect(export.events.take() == [reason])
    }

    // MARK: - Hostile files

    /// Cut off at any byte, it has the pages that are whole; the records behind the cut are gone.
    ///
    /// Too short to be known as a checkpoint, it is left alone.
    @Test func `torn at any byte, the whole pages are resumed`() throws {
        let export = try Export()
        export.interrupt()
        let whole = try export.directory.read(".a.csv.resume")
        var counts: Set<Int> = []
        for length in whole.indices {
            try export.directory.write(".a.csv.resume", whole.prefix(length))
            let checkpoint = export.checkpoint()
            let pages = try checkpoint.earlier() == nil ? [] : Self.pages(of: checkpoint)
            #expect(pages == (0..<pages.count).map { Self.page($0 + 1) }, "\(length)")
            counts.insert(pages.count)
            #expect(export.events.take() == ((1..<8).contains(length) ? [export.foreign] : []), "\(length)")
        }
        #expect(counts == [0, 1, 2])
    }

    @Test func `with any byte changed, no page is another one`() throws {
        let export = try Export()
        export.interrupt()
        let whole = try export.directory.read(".a.csv.resume")
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 0x41
            try export.directory.write(".a.csv.resume", bytes)
            let checkpoint = export.checkpoint()
            let pages = try checkpoint.earlier() == nil ? [] : Self.pages(of: checkpoint)
            #expect(pages == (0..<pages.count).map { Self.page($0 + 1) }, "\(index)")
            #expect(pages.count < 3, "\(index)")
            #expect([[], [export.damaged], [export.foreign]].contains(export.events.take()), "\(index)")
        }
    }

    @Test(arguments: ["mine", "my own text, which is longer than the head of a record", "{}"])
    func `a file that no export left is left alone`(text: String) throws {
        for restarts in [false, true] {
            let export = try Export()
            try export.directory.write(".a.csv.resume", Array(text.utf8))
            let checkpoint = export.checkpoint(restarts: restarts)
            #expect(try checkpoint.earlier() == nil)
            #expect(export.events.take() == [export.foreign])
            export.keep(1, in: checkpoint)
            checkpoint.remove()
            #expect(try export.directory.read(".a.csv.resume") == Array(text.utf8))
        }
    }

    @Test func `numbers that no run writes are damage, whatever their checksum`() throws {
        for parallelism in [0, -1, 1025, 1 << 62, .min, .max] {
            let export = try Export()
            export.interrupt(pages: 1, parallelism: parallelism)
            #expect(try export.checkpoint().earlier() == nil, "\(parallelism)")
            #expect(export.events.take() == [export.damaged], "\(parallelism)")
        }
        for page in [0, -1, 1_000_001, .min, .max] {
            let export = try Export()
            export.keep(page, in: export.checkpoint())
            #expect(try export.checkpoint().earlier() == nil, "\(page)")
            #expect(export.events.take() == [export.damaged], "\(page)")
        }
        for moment in [Int64.min, -1, .max] {
            let export = try Export()
            export.interrupt(pages: 1, now: Timestamp(milliseconds: moment))
            #expect(try export.checkpoint().earlier() == nil, "\(moment)")
            #expect(export.events.take() == [export.damaged], "\(moment)")
        }
    }

    /// Records in another order, twice, cut and with other bytes: an error at most.
    @Test func `any bytes are survived`() throws {
        let export = try Export()
        export.interrupt(pages: 5)
        let whole = try export.directory.read(".a.csv.resume")
        var random = SeededGenerator(seed: 20)
        for _ in 0..<500 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let start = Int.random(in: 0...bytes.count, using: &random)
                let end = Int.random(in: start...bytes.count, using: &random)
                let other = Int.random(in: 0..<whole.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.removeSubrange(start..<end)
                case 1: bytes.insert(contentsOf: whole[other...], at: start)
                default:
                    bytes.replaceSubrange(
                        start..<end,
                        with: (start..<end).map { _ in UInt8.random(in: 0...255, using: &random) }
                    )
                }
            }
            try export.directory.write(".a.csv.resume", bytes)
            let checkpoint = export.checkpoint()
            if try checkpoint.earlier() != nil {
                checkpoint.resume()
                for page in try Self.pages(of: checkpoint) {
                    #expect(page == Self.page(page.reply.number))
                    _ = try checkpoint.product(MarketID(9))
                }
            }
            export.keep(6, in: checkpoint)
            _ = export.events.take()
        }
    }

    /// A file under two names, one that others can write, a link, a folder, a pipe.
    @Test(arguments: [
        "ln $F other", "chmod g+w $F", "chmod o+w $F", "mv $F other; ln -s other $F", "rm $F; mkdir $F",
        "rm $F; mkfifo $F",
    ])
    func `what is not our own file is neither taken nor touched`(spoil: String) async throws {
        let export = try Export()
        export.interrupt(pages: 1)
        func look() async throws -> String {
            let list =
                "ls -lin .a.csv.resume other; test ! -f other || cat other; test ! -f .a.csv.resume || cat .a.csv.resume"
            return try await Program("/bin/sh", ["-c", list], folder: export.directory.path).run().text
        }
        let line = "F=.a.csv.resume; \(spoil)"
        #expect(try await Program("/bin/sh", ["-c", line], folder: export.directory.path).run().status == 0)
        let before = try await look()
        let checkpoint = export.checkpoint()
        #expect(try checkpoint.earlier() == nil)
        export.keep(2, in: checkpoint)
        checkpoint.remove()
        #expect(try await look() == before)
        let events = export.events.take()
        #expect(events.count == 1)
        #expect(events.first?.hasPrefix("warning: the read pages cannot be kept in ") == true, "\(events)")
    }
}
