import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// Our folder with a manifest and its pictures, a market with another seller beside us, and the promise to keep.
struct ReliabilitySandbox: Sendable {
    let folder: String
    let api: String
    let server: ReferenceServer
    /// Further variables of every command.
    var environment: [String: String] = [:]

    /// Opens a market, with a second vendor on v2, and closes it whatever the body does.
    static func open(
        _ api: String,
        _ assortment: Assortment,
        faults: String = "rules: []\n",
        _ body: (ReliabilitySandbox) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let vendors = """
            vendors:
              - {name: ours, identifier: \(ReferenceServer.identifier), secret: \(ReferenceServer.secret)}
              - {name: foreign, identifier: \(ForeignSeller.identifier), secret: \(ForeignSeller.secret)}
            """
        try directory.write("market/vendors.yaml", vendors)
        for number in Assortment.pictures { try directory.write("images/\(number).png", SmallPicture.png(number)) }
        try await ReferenceServer.run(
            api,
            folder: directory.path + "/market",
            faults: faults,
            arguments: ["--vendors", "vendors.yaml"]
        ) { server in
            let sandbox = ReliabilitySandbox(folder: directory.path, api: api, server: server)
            try sandbox.want(assortment)
            try await body(sandbox)
        }
    }

    /// Writes another manifest.
    func want(_ assortment: Assortment) throws {
        try write("openmarket.yaml", Array(assortment.yaml.utf8))
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + name))
    }

    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
    }

    /// The tool, about to be run in the folder.
    ///
    /// One request after the other, so that requests can be counted, and no wait for late effects, which this market
    /// does not have unless a fault asks for them.
    func program(_ arguments: [String], environment: [String: String] = [:]) -> Program {
        let standard = [
            "OPENMARKET_URL": server.url,
            "OPENMARKET_API": api,
            "OPENMARKET_IDENTIFIER": ReferenceServer.identifier,
            "OPENMARKET_SECRET": ReferenceServer.secret,
            "OPENMARKET_PARALLELISM": "1",
            "OPENMARKET_SETTLE_DELAY": "0s",
            "OPENMARKET_MAX_DELETE": "100%",
            // The neighbours list what looks like ours, and we say that it is theirs.
            "OPENMARKET_ALLOW_NAMESAKES": "1",
        ]
        return Program(
            Openmarket.path,
            arguments,
            environment: standard.merging(self.environment) { $1 }.merging(environment) { $1 },
            folder: folder
        )
    }

    /// Runs a line of shell, in which `openmarket` is the tool.
    func sh(_ line: String, environment: [String: String] = [:]) async throws -> Program.Output {
        var shell = program(["-c", "openmarket() { '\(Openmarket.path)' \"$@\"; }\n" + line], environment: environment)
        shell.path = "/bin/sh"
        return try await shell.run()
    }

    /// Runs the tool to its end.
    func openmarket(_ arguments: String..., environment: [String: String] = [:]) async throws -> Program.Output {
        try await program(arguments, environment: environment).run()
    }

    /// Applies until there is nothing left to mend, and returns how many runs that took.
    @discardableResult
    func applyUntilDone(
        _ arguments: [String] = [],
        atMost runs: Int = 1,
        environment: [String: String] = [:]
    ) async throws -> Int {
        var last: Program.Output?
        for run in 1...runs {
            let output = try await program(["apply", "--yes"] + arguments, environment: environment).run()
            if output.status == 0 { return run }
            last = output
        }
        throw NotDone(description: "exit \(last?.status ?? -1) after \(runs) runs: \(last?.errorText ?? "")")
    }

    struct NotDone: Error, CustomStringConvertible {
        var description: String
    }
}

/// Who else sells here, and what it looked like before we came.
struct Neighbours: Sendable {
    /// A product as it was listed: its row, and all of it.
    typealias Seen = (row: JSONValue, whole: [UInt8])

    /// How closely they are looked at.
    enum Look {
        /// Each product by itself.
        case whole
        /// The rows of the list, which are read anyway, and whether a request of ours was about one of them.
        ///
        /// For a sweep, which looks at each product once it is over.
        case rows
    }

    private(set) var products: [Int64: Seen] = [:]
    private let seller: ForeignSeller

    init(of sandbox: ReliabilitySandbox) {
        seller = ForeignSeller(server: sandbox.server, api: sandbox.api)
    }

    /// Lists a product that looks like ours.
    mutating func list(_ product: Assortment.Product, view: MarketView) throws {
        let id = try seller.list(product)
        guard let row = try view.rows().first(where: { $0.id == id })?.row, let whole = try view.raw(id) else {
            throw NotListed(id: id)
        }
        products[id] = (row, whole)
    }

    /// The products that a request was about which the market did not reject: on v1 a PATCH with our password is how one
    /// finds out whose a product is.
    func written(by requests: [ReferenceServer.Request]) -> [Int64] {
        let accepted = requests.filter { ($0.status ?? 0) < 400 }
        return products.keys.filter { id in accepted.contains { $0.path.split(separator: "/").contains("\(id)") } }
    }

    struct NotListed: Error {
        var id: Int64
    }
}

extension ReliabilitySandbox {
    /// Checks the promise: what is ours on the market is the assortment and nothing else, each product once; no
    /// other product was touched; and the tool thinks so, too.
    func expectExactly(
        _ assortment: Assortment,
        _ neighbours: Neighbours,
        _ view: inout MarketView,
        _ comment: Comment,
        look: Neighbours.Look = .whole,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) async throws {
        let rows = try view.rows()
        let ids = rows.map(\.id)
        #expect(Set(ids).count == ids.count, comment, sourceLocation: sourceLocation)
        var ours: [MarketView.Shown] = []
        for id in ids where neighbours.products[id] == nil {
            if let shown = try view.shown(id) { ours.append(shown) }
        }
        let wanted = assortment.products.map { MarketView.Shown($0, api: api).words }.sorted()
        let shown = ours.map(\.words).sorted()
        let difference = shown.difference(from: wanted)
        #expect(difference.isEmpty, comment, sourceLocation: sourceLocation)
        for (id, before) in neighbours.products {
            let isSame =
                switch look {
                case .rows: rows.contains { $0.id == id && $0.row == before.row }
                case .whole: try view.raw(id) == before.whole
                }
            #expect(isSame, "\(comment): foreign product \(id)", sourceLocation: sourceLocation)
        }
        #expect(neighbours.written(by: try server.writes()) == [], comment, sourceLocation: sourceLocation)
        let plan = try await openmarket("plan", "--detailed-exitcode")
        #expect(plan.status == 0, "\(comment): \(plan.text)\(plan.errorText)", sourceLocation: sourceLocation)
        #expect(!plan.errorText.contains("unresolved"), comment, sourceLocation: sourceLocation)
    }
}

extension ReliabilitySandbox {
    /// Starts an apply, and kills it as soon as the market holds the request; it ends by itself if it never sends that one.
    func killed(_ kill: Kill, _ arguments: [String] = []) async throws -> Program.Output {
        try await program(["apply", "--yes"] + arguments).run { process in
            try await untilEnd(of: process) {
                try await waitUntil { kill.isReached(try server.writes()) }
                process.send(.kill)
            }
        }.output
    }

    /// Does something while a program runs, and gives up when the program has ended.
    func untilEnd(
        of process: RunningProcess,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // No line has this text, so what comes is the end.
                do { try await process.line(containing: "\u{0}") } catch is EndedWithoutLine {}
            }
            group.addTask {
                do { try await body() } catch is CancellationError {}
            }
            try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// Asks again and again until something is so; there is no event for it, and asking without pause would slow down what is
    /// waited for.
    func waitUntil(_ isSo: () throws -> Bool) async throws {
        while try !isSo() { try await Task.sleep(for: .milliseconds(20)) }
    }
}
