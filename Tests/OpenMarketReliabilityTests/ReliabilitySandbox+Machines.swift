import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

extension ReliabilitySandbox {
    /// Another machine with the same manifest, whose state is the one that all share.
    func machine(_ name: String, state: String) throws -> ReliabilitySandbox {
        let machine = folder + "/" + name
        try FileManager.default.createDirectory(atPath: machine, withIntermediateDirectories: true)
        for file in ["openmarket.yaml", "images"] {
            try FileManager.default.copyItem(atPath: folder + "/" + file, toPath: machine + "/" + file)
        }
        return ReliabilitySandbox(
            folder: machine,
            api: api,
            server: server,
            environment: environment.merging(["OPENMARKET_STATE": state]) { $1 }
        )
    }

    /// Checks that the market has so many products, each once, and that the tool knows them all.
    func expectEachOnce(_ count: Int, _ comment: Comment) async throws {
        let names = try MarketView(server, api).rows().compactMap { $0.row["name"]?.text }
        let wanted = Set(Assortment.plain(count).products.map(\.name))
        #expect(names.count == count, comment)
        #expect(Set(names) == wanted, comment)
        let plan = try await openmarket("plan", "--detailed-exitcode")
        #expect(plan.status == 0, "\(comment): \(plan.text)\(plan.errorText)")
        let listed = try await openmarket("state", "list").text
        #expect(listed.count { $0 == "\n" } == count, comment)
    }
}

/// A command that runs beside others, and what it says on stdout once it has begun.
struct Participant: Sendable {
    var program: Program
    var firstLine: String

    /// An apply that begins a run.
    static func apply(_ machine: ReliabilitySandbox, _ arguments: String...) -> Participant {
        Participant(
            program: machine.program(["apply", "--yes", "--json"] + arguments),
            firstLine: #""type":"started""#
        )
    }

    /// A worker that takes part in it.
    static func work(_ machine: ReliabilitySandbox, _ arguments: String...) -> Participant {
        Participant(program: machine.program(["work", "--json"] + arguments), firstLine: #""type":"joined""#)
    }

    /// Starts commands, each once the one before has begun, and does something while all of them run.
    ///
    /// What each left is in their order.
    static func run(
        _ participants: [Participant],
        _ body: ([RunningProcess]) async throws -> Void
    ) async throws -> [Program.Output] {
        try await run(participants[...], beside: [], body)
    }

    private static func run(
        _ participants: ArraySlice<Participant>,
        beside running: [RunningProcess],
        _ body: ([RunningProcess]) async throws -> Void
    ) async throws -> [Program.Output] {
        guard let next = participants.first else {
            try await body(running)
            return []
        }
        let ended = try await next.program.run { process in
            try await process.line(containing: next.firstLine)
            return try await run(participants.dropFirst(), beside: running + [process], body)
        }
        return [ended.output] + ended.value
    }
}

extension Program.Output {
    /// How many operations an apply or a worker carried out, as its events say.
    func carriedOut() throws -> Int {
        try text.split(separator: "\n").count { line in
            let event = try JSONValue.parse(Array(line.utf8))
            return event["type"]?.text == "finished" && event["status"]?.text == "done"
        }
    }
}
