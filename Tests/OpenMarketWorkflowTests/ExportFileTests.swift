import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketState
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
import Synchronization
import Testing
@testable import OpenMarketWorkflow

/// Exports into files, and what earlier exports have to do with them.
struct ExportFileTests {
    private static let scope = MarketScope(url: "https://m.example", profile: .v2b, identifier: nil)
    private static let lamp = LiveProduct(id: MarketID(9), vendorID: 1, name: "Lamp", price: 5, currency: .usd)
    private static let mug = LiveProduct(id: MarketID(4), vendorID: 1, name: "Mug", price: 6, currency: .usd)

    /// A folder to export into.
    private final class Folder {
        let directory: TemporaryDirectory

        init() throws { directory = try TemporaryDirectory() }

        func path(_ name: String) -> String { directory.path + "/" + name }
        var names: [String] { (FileSystem.names(in: directory.path) ?? []).sorted() }

        @discardableResult
        func export(
            _ name: String,
            _ market: StandInMarket = StandInMarket(list: [lamp, mug]),
            format: ExportFormat? = nil,
            keeping keep: Int? = nil,
            images: String? = nil,
            allowsEmpty: Bool = false,
            allowsMissing: Set<CatalogColumn> = [],
            checkpoint: ExportCheckpoint? = nil,
            register: FileRegister = FileRegister(),
            onEvent: @escaping @Sendable (SessionEvent) -> Void = { _ in }
        ) async throws -> ExportOutcome {
            let target = try ExportTarget(path(name), keeping: keep)
            let settings = MarketSettings(url: scope.url, profile: .v2b, vendorID: 1)
            let options = try ExportOptions(
                to: target,
                as: format,
                details: images != nil,
                images: images.map(path),
                allowsEmpty: allowsEmpty,
                allowsMissing: allowsMissing,
                market: settings
            )
            let session = try await session(market, onEvent: onEvent)
            // As each command has one.
            return try await FileRegister.$current.withValue(register) {
                try await session.export(
                    to: target,
                    options,
                    market: settings,
                    checkpoint: checkpoint,
                    access: CatalogLibraries()
                )
            }
        }

        func compare(_ name: String, _ market: StandInMarket, allowsEmpty: Bool = false) async throws
            -> CatalogDifference
        {
            let session = try await session(market)
            return try await FileRegister.$current.withValue(FileRegister()) {
                try await session.compare(
                    ExportOptions(allowsEmpty: allowsEmpty),
                    with: path(name),
                    access: CatalogLibraries()
                )
            }
        }

        private func session(
            _ market: StandInMarket,
            onEvent: @escaping @Sendable (SessionEvent) -> Void = { _ in }
        ) async throws -> Session {
            Session(market: market, reading: try await MemoryState().read(scope), tool: "test 1", onEvent: onEvent)
        }
    }

    private static func rows(_ path: String) throws -> [String] {
        var names: [String] = []
        try CatalogLibraries().rows(of: path, as: .earlierExport, ids: .number, isLines: false) {
            names.append($0.text(.name) ?? "")
        }
        return names
    }

    // MARK: - Files

    @Test(arguments: ["a.csv", "a.tsv", "a.jsonl", "a.csv.gz", "a.sqlite"])
    func `a file is what its certificate says, and can be read back`(name: String) async throws {
        let folder = try Folder()
        let outcome = try await folder.export(name)
        #expect(folder.names == [name, name + ".certificate.json"])
        #expect(try Self.rows(folder.path(name)) == ["Lamp", "Mug"])
        let certified = try CertifiedExport(path: folder.path(name))
        #expect(certified.certificate.digest == outcome.certificate.digest)
        #expect(certified.certificate.rows == 2)
        try certified.check(by: CatalogLibraries())
    }

    @Test(arguments: ["a.csv", "a.tsv", "a.jsonl", "a.csv.gz", "a.jsonl.gz", "a.sqlite", "a.yaml", "a.yaml.gz"])
    func `a field that the file shows and no row has any more keeps the file`(name: String) async throws {
        let folder = try Folder()
        var (full, other) = (Self.lamp, Self.mug)
        full.stock = 3
        // In a manifest, lines that look like those of further products.
        full.description = "Warm light.\nname: oak\n- key: ash\n  name: ash"
        other.stock = 1
        // One row has a sale; each has a stock.
        full.sale = .price(4)
        try await folder.export(name, StandInMarket(list: [full, other]))
        let before = try InputFile.bytes(of: folder.path(name), as: .ownExport)
        // No row shows a stock any more: it is unset in some, or missing in all.
        func market(_ missing: Set<CatalogColumn>) -> StandInMarket {
            StandInMarket(list: [Self.lamp, Self.mug], missing: missing)
        }
        await expectAsyncEnd(.refused, "has 'stock' any more, as in \(folder.path(name))", "--allow-missing stock ") {
            try await folder.export(name, market([.stock, .createdAt, .salePrice]))
        }
        #expect(try InputFile.bytes(of: folder.path(name), as: .ownExport) == before)
        if !name.contains("yaml") {
            await #expect(throws: CommandFailure.self) { _ = try await folder.compare(name, market([.stock])) }
        }
        try await folder.export(name, market([.stock]), allowsMissing: [.stock])
        #expect(try InputFile.bytes(of: folder.path(name), as: .ownExport) != before)
        // Yesterday's file shows none now.
        try await folder.export(name, market([.stock]))
    }

    @Test func `rows that all lack their id keep the file`() async throws {
        let folder = try Folder()
        try await folder.export("a.csv", StandInMarket(list: [Self.lamp]))
        let before = try InputFile.bytes(of: folder.path("a.csv"), as: .ownExport)
        var unread = StandInMarket()
        unread.problems = [RowProblem(place: "page 1, row 1", message: "id is missing")]
        await expectAsyncEnd(.refused, "has 'id' any more") { try await folder.export("a.csv", unread) }
        #expect(try InputFile.bytes(of: folder.path("a.csv"), as: .ownExport) == before)
    }

    @Test func `a field that is unset in every row, or that the list never shows, is no fault`() async throws {
        let folder = try Folder()
        var full = Self.lamp
        full.stock = 3
        full.images = [LiveProduct.Image(id: MarketID(1), url: "https://p.example/1.jpg")]
        try await folder.export("a.csv", StandInMarket(list: [full]))
        try await folder.export("a.csv", StandInMarket(list: [Self.lamp], missing: [.images]))
        let text = String(decoding: try InputFile.bytes(of: folder.path("a.csv"), as: .ownExport), as: UTF8.self)
        #expect(!text.contains("https://"))
    }

    @Test(arguments: ["a.csv", "a.tsv", "a.jsonl", "a.JSONL", "a.jsonl.gz", "a.csv.gz", "a.sqlite", "a.dat"])
    func `an export without products is one all the same`(name: String) async throws {
        let folder = try Folder()
        // The name may say nothing.
        try await folder.export(name, StandInMarket(), format: name == "a.dat" ? .jsonl : nil)
        try CertifiedExport(path: folder.path(name)).check(by: CatalogLibraries())
        if name != "a.dat" { #expect(try Self.rows(folder.path(name)) == []) }
        #expect(try await folder.compare(name, StandInMarket()).changes.changes.isEmpty)
    }

    @Test(arguments: ["a.csv", "a.csv.gz", "a.sqlite"])
    func `an export that fails leaves what is there, and the same catalog gives the same bytes`(
        name: String
    ) async throws {
        let folder = try Folder()
        try await folder.export(name)
        let before = try folder.directory.read(name)
        for market in [
            StandInMarket(list: [Self.lamp], completeness: .unsettled),
            StandInMarket(onWalk: { _ in throw MarketError(.unreachable, "gone") }),
        ] {
            await #expect(throws: (any Error).self) { try await folder.export(name, market) }
            #expect(try folder.directory.read(name) == before)
            #expect(folder.names == [name, name + ".certificate.json"])
        }
        try await folder.export(name)
        #expect(try folder.directory.read(name) == before)
    }

    @Test func `an export that is cut off keeps its replies, and one that cannot begin leaves those of another`()
        async throws
    {
        let folder = try Folder()
        func checkpoint(keeping page: Int?) -> ExportCheckpoint {
            let checkpoint = ExportCheckpoint(
                output: folder.path("a.yaml"),
                scope: Self.scope,
                description: MarketProfile.v2b.digest,
                details: false,
                parallelism: 1,
                tool: "1"
            ) { _ in }
            if let page {
                let reply = KeptReply(number: page, request: "number 100 \(page)", status: 200)
                checkpoint.keep(page: reply, Array("{}".utf8).span)
            }
            return checkpoint
        }
        let gone = StandInMarket(onWalk: { _ in throw MarketError(.unreachable, "gone") })
        await #expect(throws: MarketError.self) {
            try await folder.export("a.yaml", gone, checkpoint: checkpoint(keeping: 1))
        }
        #expect(folder.names == [".a.yaml.resume"])
        try folder.directory.write("a.yaml", "products: []\n")
        await #expect(throws: CommandFailure.self) {
            try await folder.export("a.yaml", checkpoint: checkpoint(keeping: nil))
        }
        #expect(folder.names == [".a.yaml.resume", "a.yaml"])
        try FileSystem.remove(folder.path("a.yaml"))
        try await folder.export("a.yaml", checkpoint: checkpoint(keeping: nil))
        #expect(folder.names == ["a.yaml", "a.yaml.certificate.json"])
    }

    @Test func `standard output gets the bytes, and no certificate`() async throws {
        var written: [UInt8] = []
        var file = try ExportFile(path: "-", standardOutput: { written += $0 })
        try file.write(Array("id\n".utf8))
        try file.finish()
        #expect(written == Array("id\n".utf8))
        #expect(throws: ExportOptions.notRegular("-")) { try file.databasePlace() }
    }

    @Test func `what keeps the certificate away keeps the export away`() async throws {
        let folder = try Folder()
        try folder.directory.write("a.csv.certificate.json/x", "")
        await #expect(throws: FileError.self) { try await folder.export("a.csv") }
        #expect(folder.names == ["a.csv.certificate.json"])
        let long = String(repeating: "n", count: 240)
        await #expect(throws: FileError.self) { try await folder.export(long) }
        #expect(folder.names == ["a.csv.certificate.json"])
    }

    @Test func `a database is replaced only where no program left a file beside it`() async throws {
        let folder = try Folder()
        try await folder.export("a.sqlite")
        let before = try folder.directory.read("a.sqlite")
        func expectRefusal(_ market: StandInMarket, _ ending: String) async throws {
            await expectAsyncEnd(.failure, "a.sqlite\(ending) into the new \(folder.path("a.sqlite"))") {
                try await folder.export("a.sqlite", market)
            }
            #expect(try folder.directory.read("a.sqlite") == before)
            try FileSystem.remove(folder.path("a.sqlite" + ending))
        }
        for ending in ["-wal", "-shm", "-journal"] {
            try folder.directory.write("a.sqlite" + ending, "x")
            try await expectRefusal(StandInMarket(list: [Self.lamp]), ending)
        }
        // One that appears while the market is read.
        let late = folder.path("a.sqlite-wal")
        let market = StandInMarket(list: [Self.lamp], onWalk: { _ in try Data().write(to: URL(fileURLWithPath: late)) })
        try await expectRefusal(market, "-wal")
        // Some programs keep an empty journal.
        try folder.directory.write("a.sqlite-journal", "")
        try await folder.export("a.sqlite", StandInMarket(list: [Self.lamp]))
        #expect(try Self.rows(folder.path("a.sqlite")) == ["Lamp"])
    }

    @Test(arguments: ["a.yaml", "a.yaml.gz"])
    func `a manifest is written over where it is an export to the letter`(name: String) async throws {
        let folder = try Folder()
        let outcome = try await folder.export(name)
        #expect(outcome.certificate.rows == 2)
        let first = try folder.directory.read(name)
        try await folder.export(name)
        #expect(try folder.directory.read(name) == first)
        let certificate = name + ".certificate.json"
        try CertifiedExport(path: folder.path(name)).check(by: CatalogLibraries())
        let own = try folder.directory.read(certificate)
        for spoilt in [first, first + [10], Array(first.dropLast()), Array("products: []\n".utf8)] {
            for isCertified in spoilt == first ? [false] : [true, false] {
                if isCertified {
                    try folder.directory.write(certificate, own)
                } else {
                    try FileSystem.remove(folder.path(certificate))
                }
                try folder.directory.write(name, spoilt)
                let how = isCertified ? "was edited since it was exported" : "exists, and differs from an export's"
                await expectAsyncEnd(.refused, "\(folder.path(name)) \(how)") { try await folder.export(name) }
                #expect(try folder.directory.read(name) == spoilt)
            }
        }
    }

    @Test func `a manifest that was edited while the market was read is left alone`() async throws {
        let folder = try Folder()
        try await folder.export("a.yaml")
        let path = folder.path("a.yaml")
        let market = StandInMarket(
            list: [Self.lamp],
            onWalk: { _ in try Data("products: []\n".utf8).write(to: URL(fileURLWithPath: path)) }
        )
        await #expect(throws: CommandFailure.self) { try await folder.export("a.yaml", market) }
        #expect(try folder.directory.read("a.yaml") == Array("products: []\n".utf8))
        // One that appears meanwhile stays, too.
        let other = folder.path("b.yaml")
        let late = StandInMarket(
            list: [Self.lamp],
            onWalk: { _ in try Data("products: []\n".utf8).write(to: URL(fileURLWithPath: other)) }
        )
        await #expect(throws: (any Error).self) { try await folder.export("b.yaml", late) }
        #expect(try folder.directory.read("b.yaml") == Array("products: []\n".utf8))
    }

    // MARK: - Empty lists

    @Test func `the newest products of an earlier export are found, also where it is cut off`() throws {
        let folder = try Folder()
        func newest(_ name: String, _ text: String) throws -> [Int64]? {
            try folder.directory.write(name, text)
            let earlier = EarlierExport(path: folder.path(name), role: .ownExport, access: CatalogLibraries())
            return earlier.newestProducts(ids: .number, atMost: 2)?.map(\.whole)
        }
        #expect(try newest("a.csv", "id,name\r\n9,a\r\n8,b\r\n7,\"c") == [9, 8])
        #expect(try newest("a.csv", "name,stock,id\r\n\"2026, a\",3,9\r\nb,1\r\n") == [9])
        #expect(try newest("a.jsonl", "{\"stock\":1,\"id\":9}\n{\"id\":8,\"na") == [9])
        #expect(try newest("a.yaml", "products:\n  - key: a\n    id: 9\n  - id: \"8\"\n    id: \"\\x37\"\n") == [9, 8])
        // Rows without ids, and damaged files.
        for text in ["name\r\na\r\n", "id,id\n1,1\n", "name\n\"a", "9,a\n"] {
            #expect(try newest("a.csv", text) == [], "\(text)")
        }
        #expect(try newest("a.jsonl", "{\"stock\":9}\n") == [])
        #expect(try newest("a.yaml.gz", "products:\n") == [])
        #expect(try newest("a.yaml", "products:\n- key: a\n") == [])
        // No rows.
        #expect(try newest("a.csv", "id,name\r\n") == nil)
        #expect(try newest("a.csv", "") == nil)
        #expect(try newest("a.yaml", "market:\n") == nil)
    }

    @Test func `an empty list replaces an export only where its products are gone`() async throws {
        let folder = try Folder()
        try await folder.export("a.csv")
        let before = try folder.directory.read("a.csv")
        await expectAsyncEnd(.refused, "product \(Self.mug.id) is on the market") {
            try await folder.export("a.csv", StandInMarket(details: [Self.mug]))
        }
        #expect(try folder.directory.read("a.csv") == before)
        try await folder.export("a.csv", StandInMarket())
        #expect(try Self.rows(folder.path("a.csv")) == [])
        try await folder.export("b.csv")
        try await folder.export("b.csv", StandInMarket(details: [Self.mug]), allowsEmpty: true)
        #expect(try Self.rows(folder.path("b.csv")) == [])
        // What cannot be looked into confirms nothing.
        try folder.directory.write("c.csv.gz", [0x1F, 0x8B, 0, 0, 0, 0])
        await #expect(throws: CommandFailure.self) { try await folder.export("c.csv.gz", StandInMarket()) }
    }

    @Test func `a vendor number that makes every product another's empties no manifest`() async throws {
        let folder = try Folder()
        var (ours, theirs) = (Self.lamp, Self.lamp)
        (ours.vendorID, theirs.vendorID) = (1, 2)
        for names in [("a.yaml", "a.yaml"), ("day-2020-01-01.yaml", "day-{date}.yaml")] {
            try await folder.export(names.0, StandInMarket(list: [ours]))
            let before = try folder.directory.read(names.0)
            await expectAsyncEnd(.refused, "another vendor than vendor 1; \(folder.path(names.0)) was not changed") {
                try await folder.export(names.1, StandInMarket(list: [theirs]), keeping: names.0 == names.1 ? nil : 1)
            }
            #expect(try folder.directory.read(names.0) == before)
        }
        let outcome = try await folder.export("a.yaml", StandInMarket(list: [theirs]), allowsEmpty: true)
        #expect(outcome.foreignProducts == 1 && outcome.certificate.rows == 0)
    }

    @Test func `of dated exports the newest says which products there were`() async throws {
        let folder = try Folder()
        try await folder.export("day-2020-01-01.csv")
        await #expect(throws: CommandFailure.self) {
            try await folder.export("day-{date}.csv", StandInMarket(details: [Self.lamp]))
        }
        #expect(folder.names == ["day-2020-01-01.csv", "day-2020-01-01.csv.certificate.json"])
    }

    // MARK: - Pictures

    @Test func `pictures are kept under names of their products, and those that are missing are counted`() async throws
    {
        let folder = try Folder()
        var lamp = Self.lamp
        lamp.images = ["/1.png", "/2.png"].map { LiveProduct.Image(url: $0) }
        let market = StandInMarket(details: [lamp], pictures: ["/1.png": SmallPicture.png(1)])
        let missing = Mutex<[String]>([])
        let outcome = try await folder.export("a.csv", market, images: "p") { event in
            guard case .note(let text) = event else { return }
            missing.withLock { $0.append(text) }
        }
        #expect(outcome.pictures == KeptPictures(folder: folder.path("p"), count: 1, fetched: 1, missing: 1))
        #expect(missing.withLock(\.self) == ["warning: lamp-9-2 is missing: no picture"])
        #expect(try folder.directory.read("p/lamp-9-1.png") == SmallPicture.png(1))
        let again = try await folder.export("a.csv", market, images: "p")
        #expect(again.pictures == KeptPictures(folder: folder.path("p"), count: 1, fetched: 0, missing: 1))
    }

    // MARK: - Comparisons

    @Test func `what changed since an export, of any format`() async throws {
        for name in ["a.csv", "a.jsonl", "a.tsv.gz", "a.sqlite"] {
            let folder = try Folder()
            try await folder.export(name)
            var lamp = Self.lamp
            lamp.price = 7
            let difference = try await folder.compare(name, StandInMarket(list: [lamp]))
            #expect(difference.changes.changes.count == 2, "\(name)")
            #expect(difference.changes.unchanged == 0, "\(name)")
        }
    }

    @Test func `what cannot be compared is refused`() async throws {
        let folder = try Folder()
        try await folder.export("a.yaml")
        await expectAsyncEnd(.invalidInput, "\(folder.path("a.yaml")) is a manifest") {
            try await folder.compare("a.yaml", StandInMarket())
        }
        try folder.directory.write("b.csv", "colour\nred\n")
        for name in ["b.csv", "missing.csv"] {
            await expectAsyncEnd(.invalidInput, "cannot read the export \(folder.path(name))") {
                try await folder.compare(name, StandInMarket())
            }
        }
        try await folder.export("c.csv")
        await #expect(throws: CommandFailure.self) {
            try await folder.compare("c.csv", StandInMarket(details: [Self.mug]))
        }
        let gone = try await folder.compare("c.csv", StandInMarket(details: [Self.mug]), allowsEmpty: true)
        #expect(gone.changes.changes.count == 2)
    }

    // MARK: - Certificates

    @Test func `each way in which a certificate does not hold has its own error`() async throws {
        let folder = try Folder()
        func fault(_ name: String) -> String? {
            do throws(CommandFailure) {
                _ = try CertifiedExport(path: folder.path(name))
                return nil
            } catch {
                return error.message
            }
        }
        #expect(fault("a.csv") == "the file \(folder.path("a.csv")) is missing")
        try await folder.export("a.csv")
        #expect(fault("a.csv") == nil)
        try folder.directory.write("b.csv", "id\n")
        #expect(fault("b.csv")?.hasPrefix("\(folder.path("b.csv")) lacks its certificate") == true)
        try folder.directory.write("b.csv.certificate.json", "{}")
        #expect(fault("b.csv") == "\(folder.path("b.csv.certificate.json")) is not an export certificate")
        try folder.directory.write("a.csv", "id\n9\n")
        let changed = try CertifiedExport(path: folder.path("a.csv"))
        #expect(try !changed.isWhole())
        expectEnd(.invalidInput, "and the certificate has \(changed.certificate.digest.hexadecimal)") {
            try changed.check(by: CatalogLibraries())
        }
    }

    // MARK: - Older exports

    @Test func `the newest stay, and only what an export wrote goes`() async throws {
        let folder = try Folder()
        try await folder.export("day-2020-01-01.csv")
        for name in ["2020-01-02", "2020-01-03", "2020-01-04", "2020-02-32", "2999-01-01"] {
            for ending in [".csv", ".csv.certificate.json"] {
                try folder.directory.write("day-\(name)\(ending)", folder.directory.read("day-2020-01-01\(ending)"))
            }
        }
        try folder.directory.write("day-2020-01-02.csv", "edited")
        try folder.directory.write("day-2020-01-05.csv", "no certificate")
        try FileSystem.makeLink(folder.path("day-2020-01-06.csv"), to: "day-2020-01-04.csv")
        // Names that are not of such an export, and a folder.
        let others = [
            "day-.csv", "day-2020-01-0x.csv", "day-2020-01-011.csv", "day-2020-01-03.csv.bak", "day-2020-01-03.tsv",
            "other-2020-01-01.csv",
        ]
        for name in others { try folder.directory.write(name, "mine") }
        try folder.directory.write("day-2020-01-00.csv/x", "")
        let outcome = try await folder.export("day-{date:utc}.csv", keeping: 2)
        let today = "day-\(Timestamp.now.iso8601.prefix(10)).csv"
        #expect(outcome.removal.count == 3)
        #expect(outcome.removal.altered == [folder.path("day-2020-01-02.csv")])
        #expect(outcome.removal.faults == [])
        let kept = ["day-2020-01-02", "day-2020-02-32", "day-2999-01-01", String(today.dropLast(4))]
        #expect(
            folder.names
                == (kept.flatMap { ["\($0).csv", "\($0).csv.certificate.json"] } + others + [
                    "day-2020-01-00.csv", "day-2020-01-05.csv", "day-2020-01-06.csv",
                ]).sorted()
        )
        // A failure removes nothing.
        let before = folder.names
        let gone = StandInMarket(onWalk: { _ in throw MarketError(.unreachable, "gone") })
        await #expect(throws: MarketError.self) { try await folder.export("day-{date:utc}.csv", gone, keeping: 1) }
        #expect(folder.names == before)
        // What was just written stays although a clock that was wrong has left an export of a later day.
        try await folder.export("day-{date:utc}.csv", keeping: 1)
        let removed = before.filter { !folder.names.contains($0) }
        #expect(removed == ["day-2999-01-01.csv", "day-2999-01-01.csv.certificate.json"])
    }

    @Test func `what is read in the same run stays`() async throws {
        let folder = try Folder()
        try await folder.export("day-2020-01-01.yaml")
        let register = FileRegister()
        register.note(folder.path("day-2020-01-01.yaml"), as: .manifest)
        let outcome = try await folder.export("day-{date}.yaml", keeping: 1, register: register)
        #expect(outcome.removal.count == 0)
        #expect(FileSystem.exists(folder.path("day-2020-01-01.yaml")))
    }

    @Test func `the day is once, and in the file's name`() throws {
        let moment = Timestamp(milliseconds: 1_700_000_000_000)
        #expect(try ExportTarget("a/b-{date:utc}.csv", now: moment).path == "a/b-2023-11-14.csv")
        #expect(try ExportTarget("-").isStandardOutput && ExportTarget(nil).isStandardOutput)
        #expect(try !ExportTarget("/dev/null").isRegular)
        #expect(try ExportTarget("missing/a.csv").isRegular)
        for wrong in [
            "a-{date}-{date}", "{date}/a", "{date:utc}/a-{date}", "a-{date}-{date:utc}", "{date:utc}{date:utc}",
        ] {
            expectEnd(.usage, "'\(wrong)': {date} may occur once") { try ExportTarget(wrong) }
        }
        for unknown in ["{datum}", "{Date}", "{date:local}", "{}", "{ date }"] {
            for name in ["a-\(unknown).csv", "folder/\(unknown)", "a-{date}-\(unknown).csv"] {
                let target = try ExportTarget(name, now: moment)
                let conflict = FileConflict(output: "--out", path: target.path, occupant: .placeholder(unknown))
                #expect(throws: conflict) { try target.declare(as: nil) }
            }
        }
        let target = try ExportTarget("{folder}/a-{date:utc}{.csv", now: moment)
        #expect(target.path == "{folder}/a-2023-11-14{.csv")
        try target.declare(as: nil)
        expectEnd(.usage, "the exports of other days cannot be recognised") { try ExportTarget("a.csv", keeping: 2) }
        // Where what is kept counts only for names with a day.
        #expect(try ExportTarget("a.csv", keeping: 2, needsDate: false).path == "a.csv")
        #expect(throws: CommandFailure.self) { try ExportTarget("{date}/a.csv", keeping: 2, needsDate: false) }
    }

    @Test func `a folder that is not there is not looked through`() async throws {
        let folder = try Folder()
        await expectAsyncEnd(.failure, "cannot look for earlier exports") {
            try await folder.export("missing/day-{date}.csv")
        }
    }
}
