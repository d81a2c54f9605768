import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketState
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
import Synchronization
import Testing
@testable import OpenMarketWorkflow

/// Exports with market and state, as a command asks for them.
struct ExportRunTests {
    private static let settings = MarketSettings(url: "https://m.example", profile: .v2b, vendorID: 1)
    private static let lamp = LiveProduct(id: MarketID(9), vendorID: 1, name: "Lamp", price: 5, currency: .usd)

    private typealias Connection = LocalConnection<StandInMarket>

    /// A folder to export into, and what was reported meanwhile.
    private final class Folder: Sendable {
        let directory: TemporaryDirectory
        let events = Mutex<[SessionEvent]>([])

        init() throws { directory = try TemporaryDirectory() }

        func path(_ name: String) -> String { directory.path + "/" + name }
        var names: [String] { (FileSystem.names(in: directory.path) ?? []).sorted() }

        func connection(_ market: StandInMarket = StandInMarket(list: [lamp])) -> Connection {
            Connection(market)
        }

        func work(_ connection: Connection) throws -> MarketWork<Connection> {
            try MarketWork(connection, settings, beside: directory.path) { event in
                self.events.withLock { $0.append(event) }
            }
        }

        /// Exports into a file of the folder, or to `-`, with a register of files of its own, as each command has one.
        @discardableResult
        func export(
            _ name: String,
            as format: ExportFormat? = nil,
            images: String? = nil,
            restarts: Bool = false,
            discardsEdits: Bool = false,
            over connection: Connection? = nil,
            register: FileRegister = FileRegister(),
            access: any CatalogFileAccess = CatalogLibraries(),
            standardOutput: @escaping ([UInt8]) throws -> Void = { _ in }
        ) async throws -> ExportOutcome {
            try await FileRegister.$current.withValue(register) {
                let target = try ExportTarget(
                    name == "-" || name.hasPrefix("/") ? name : path(name),
                    discardingEdits: discardsEdits
                )
                try target.declare(as: format)
                let options = try ExportOptions(
                    to: target,
                    as: format,
                    images: images.map(path),
                    restarts: restarts,
                    market: settings
                )
                return try await work(connection ?? self.connection()).export(
                    to: target,
                    options,
                    market: settings,
                    access: access,
                    standardOutput: standardOutput
                )
            }
        }

        /// What people were told.
        func notes() -> [String] {
            events.withLock { events in
                defer { events = [] }
                return events.compactMap { event in
                    if case .note(let text) = event { text } else { nil }
                }
            }
        }
    }

    // MARK: - Declared files

    @Test func `the export and what is written beside it take the place of nothing that is read`() async throws {
        for (name, output) in [
            ("a.csv", "--out"), ("a.csv.certificate.json", "the certificate of --out"),
            (".a.csv.resume", "the replies that --out keeps"),
        ] {
            let folder = try Folder()
            let register = FileRegister()
            register.note(folder.path(name), as: .manifest)
            let conflict = FileConflict(output: output, path: folder.path(name), occupant: .input(.manifest))
            await #expect(throws: conflict) { try await folder.export("a.csv", register: register) }
            #expect(folder.names == [])
            // What an export wrote before is written again.
            let own = FileRegister()
            for name in ["a.csv", "a.csv.certificate.json"] { own.note(folder.path(name), as: .ownExport) }
            try await folder.export("a.csv", register: own)
            #expect(folder.names == ["a.csv", "a.csv.certificate.json"])
        }
    }

    @Test func `a picture that is kept is not replaced`() async throws {
        let folder = try Folder()
        try folder.directory.write("p/.content/1.png", SmallPicture.png(1))
        let conflict = FileConflict(
            output: "the replies that --out keeps",
            path: folder.path("p/.content/.a.csv.resume"),
            occupant: .input(.keptPicture)
        )
        await #expect(throws: conflict) {
            try await folder.export("p/.content/a.csv", images: "p")
        }
    }

    @Test func `the name of a file counts where the format is named, and a file of the user's is replaced`()
        async throws
    {
        let folder = try Folder()
        let other = FileConflict.Occupant.otherEnding("csv", written: .jsonl)
        await #expect(throws: FileConflict(output: "--out", path: folder.path("a.csv"), occupant: other)) {
            try await folder.export("a.csv", as: .jsonl)
        }
        for name in ["a.csv", "a.csv.certificate.json"] {
            let folder = try Folder()
            try folder.directory.write(name, "dear diary")
            try await folder.export("a.csv")
            #expect(folder.names == ["a.csv", "a.csv.certificate.json"])
        }
    }

    @Test(arguments: ["a.csv", "a.csv.gz", "a.jsonl", "a.sqlite"])
    func `an export that was edited since is replaced only where that is asked for`(name: String) async throws {
        let folder = try Folder()
        try await folder.export(name)
        try await folder.export(name)
        let own = try folder.directory.read(name)
        let certificate = try folder.directory.read(name + ".certificate.json")
        let conflict = FileConflict(output: "--out", path: folder.path(name), occupant: .editedExport)
        for edited in [own + [10], Array(own.dropLast()), []] {
            // Before the export, and while the market is read.
            for isLate in [false, true] {
                try folder.directory.write(name, isLate ? own : edited)
                let market = StandInMarket(
                    list: [Self.lamp],
                    onWalk: { _ in if isLate { try Data(edited).write(to: URL(fileURLWithPath: folder.path(name))) } }
                )
                await #expect(throws: conflict) { try await folder.export(name, over: folder.connection(market)) }
                #expect(try folder.directory.read(name) == edited)
                #expect(try folder.directory.read(name + ".certificate.json") == certificate)
                try? FileSystem.remove(folder.path("." + name + ".resume"))
            }
        }
        try await folder.export(name, discardsEdits: true)
        try CertifiedExport(path: folder.path(name)).check(by: CatalogLibraries())
    }

    @Test func `standard output has no certificate, and nothing is kept for it`() async throws {
        let folder = try Folder()
        var connection = folder.connection()
        connection.onOpen = { #expect($0 == nil) }
        var written: [UInt8] = []
        try await folder.export("-", over: connection) { written += $0 }
        try await folder.export("/dev/null", over: connection)
        #expect(String(decoding: written, as: UTF8.self).contains("Lamp"))
        #expect(folder.names == [])
    }

    // MARK: - Checkpoints

    @Test func `an export that is cut off is resumed by the next, unless that is to start again`() async throws {
        let folder = try Folder()
        var cut = folder.connection()
        cut.onOpen = { log in
            let page = KeptReply(number: 1, request: "number 100 1", status: 200)
            log?.keep(page: page, Array("{}".utf8).span)
        }
        func cutOff() async {
            let gone = StandInMarket(onWalk: { _ in throw MarketError(.unreachable, "gone") })
            var connection = folder.connection(gone)
            connection.onOpen = cut.onOpen
            await #expect(throws: MarketError.self) { try await folder.export("a.csv", over: connection) }
            #expect(folder.names == [".a.csv.resume"])
            #expect(folder.notes() == ["Kept 1 page: run the same export again within a day to resume there"])
        }
        var next = folder.connection()
        next.onOpen = { log in if try log?.earlier() != nil { log?.resume() } }
        await cutOff()
        let resumed = try await folder.export("a.csv", over: next)
        let began = try #require(resumed.certificate.document["started_at"]?.text)
        #expect(folder.notes() == ["Resuming the export that began at \(began): 1 page is there already"])
        #expect(folder.names == ["a.csv", "a.csv.certificate.json"])

        for name in folder.names { try FileSystem.remove(folder.path(name)) }
        await cutOff()
        try await folder.export("a.csv", restarts: true, over: next)
        #expect(folder.notes() == [])

        // What no export has left is not touched.
        for name in folder.names { try FileSystem.remove(folder.path(name)) }
        try folder.directory.write(".a.csv.resume", "dear diary, this is not a checkpoint")
        try await folder.export("a.csv", over: next)
        let reason =
            "warning: the read pages cannot be kept in \(folder.path(".a.csv.resume")): it is not one of an export's"
        #expect(folder.notes() == [reason])
        #expect(folder.names == [".a.csv.resume", "a.csv", "a.csv.certificate.json"])
    }

    @Test func `how many products there are is reported as soon as a page says it`() async throws {
        let folder = try Folder()
        var connection = folder.connection()
        connection.total = 70
        try await folder.export("a.csv", over: connection)
        guard case .advanced(.export, by: 0, total: 70)? = folder.events.withLock(\.first) else {
            Issue.record("not reported")
            return
        }
    }

    // MARK: - What is missing

    @Test func `a list that does not hold still says what there is of the export`() async throws {
        let folder = try Folder()
        let moving = folder.connection(StandInMarket(list: [Self.lamp], completeness: .unsettled))
        for name in ["a.csv", "-"] {
            await #expect(throws: CommandFailure.unsettled(passes: 3)) { try await folder.export(name, over: moving) }
        }
        #expect(folder.names == [])
    }

    /// Libraries on a machine without memory.
    private struct Exhausted: CatalogFileAccess {
        static let error = CatalogFileError("cannot compress: zlib reports -4", help: "free some memory")

        func compressor(isFast: Bool) throws -> ([UInt8]?) -> [UInt8] { throw Self.error }
        func decompressor() throws -> ([UInt8]?) throws -> [UInt8] { throw Self.error }
        func database(at path: String, columns: [CatalogColumn], ids: MarketID.Kind) throws -> any CatalogEncoder {
            throw Self.error
        }
        func rows(
            of path: String,
            as role: FileRole,
            ids: MarketID.Kind?,
            isLines: Bool,
            _ body: (CatalogRow) throws -> Void
        ) throws { throw Self.error }
    }

    @Test(arguments: ["a.csv.gz", "a.sqlite"])
    func `what a library cannot write is named`(name: String) async throws {
        let folder = try Folder()
        let error = await #expect(throws: CommandFailure.self) {
            try await folder.export(name, access: Exhausted())
        }
        #expect(error?.help == Exhausted.error.help)
        #expect(error?.description == "cannot write \(folder.path(name)): cannot compress: zlib reports -4")
        #expect(folder.names == [])
    }

    @Test func `pictures that are missing are reported, and are the reason why the export is not whole`() async throws {
        let folder = try Folder()
        var lamp = Self.lamp
        lamp.images = [LiveProduct.Image(url: "/1.png")]
        let outcome = try await folder.export(
            "a.csv",
            images: "p",
            over: folder.connection(StandInMarket(list: [lamp]))
        )
        #expect(folder.notes() == ["warning: lamp-9-1 is missing: no picture"])
        let error = #expect(throws: CommandFailure.self) { try outcome.requireWhole() }
        #expect(error?.description == "the catalog is complete, and 1 picture could not be downloaded")
        #expect(outcome.otherGap == nil)
    }

    @Test func `of a gap and missing pictures, the pictures decide, and the gap is known beside them`() async throws {
        let folder = try Folder()
        var outcome = try await folder.export("a.csv")
        try outcome.requireWhole()
        outcome.pictures = KeptPictures(folder: "p", count: 2)
        try outcome.requireWhole()
        #expect(outcome.otherGap == nil)
        for change: (inout CatalogReading) -> Void in [
            { $0.summary.catalogMoved = true }, { $0.summary.completeness = .unprovable }, { $0.lostRows = 1 },
            { $0.problems = 1 },
        ] {
            var lacking = outcome
            change(&lacking.reading)
            let gap = try #require(CatalogGap(lacking.reading))
            #expect(throws: gap) { try lacking.requireWhole() }
            #expect(lacking.otherGap == nil)
            lacking.pictures?.missing = 2
            let error = #expect(throws: CommandFailure.self) { try lacking.requireWhole() }
            #expect(error?.message == "the catalog is complete, and 2 pictures could not be downloaded")
            #expect(lacking.otherGap == gap)
        }
    }

    @Test func `an export is complete without an error, and with a gap where something proves that it is`() throws {
        #expect(ExportOutcome.isComplete(after: nil))
        for (isProved, moved, lost) in [(true, true, 0), (true, false, 2), (false, false, 0), (false, true, 1)] {
            let gap = try #require(CatalogGap(isProved: isProved, moved: moved, lostRows: lost))
            #expect(ExportOutcome.isComplete(after: gap) == isProved)
        }
        let others: [any Error] = [
            CommandFailure(.partialFailure), MarketError(.unreachable, "gone"), CancellationError(),
        ]
        for error in others { #expect(!ExportOutcome.isComplete(after: error)) }
    }

    @Test func `what a manifest leaves out is counted`() async throws {
        let folder = try Folder()
        let foreign = LiveProduct(id: MarketID(4), vendorID: 2, name: "Mug", price: 6, currency: .usd)
        let market = StandInMarket(list: [Self.lamp, foreign])
        let outcome = try await folder.export("a.yaml", over: folder.connection(market))
        #expect(outcome.certificate.rows == 1 && outcome.foreignProducts == 1)
        let table = try await folder.export("a.csv", over: folder.connection(market))
        #expect(table.foreignProducts == 0 && table.omittedValues == 0)
    }
}
