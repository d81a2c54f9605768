import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// Several machines in one run: the real program with a state in PostgreSQL.
@Suite(.enabled(if: PostgreSQLServer.isAvailable, "no PostgreSQL server is installed"), .timeLimit(.minutes(5)))
struct PostgreSQLWorkerTests {
    /// So many that there is a part for each of three.
    private static let count = 700
    /// The first part is still under way when the others join, because its machine sends one request after the other.
    private static let slowly = "rules:\n  - {method: POST, path: /api/products, fault: {latency: 20ms}}\n"

    /// Three machines with the same manifest and state, and nothing done.
    ///
    /// The lease is the standard one, because a busy machine may stop any program for longer than a short one lasts.
    private func open(_ body: (ReliabilitySandbox, [ReliabilitySandbox]) async throws -> Void) async throws {
        let schema = "work_" + UUID().uuidString.prefix(8).lowercased()
        let url = try await PostgreSQLServer.shared.url(schema: schema, "&lease=30")
        try await ReliabilitySandbox.open("v2b", .plain(Self.count), faults: Self.slowly) { sandbox in
            try await body(sandbox, ["anna", "ben", "runner"].map { try sandbox.machine($0, state: url) })
        }
    }

    @Test func `workers take parts of a run, and its result is that of all of them`() async throws {
        try await open { sandbox, machines in
            let outputs = try await Participant.run([
                .apply(machines[0], "--result", "result.json"), .work(machines[1], "--parallelism", "8"),
                .work(machines[2], "--parallelism", "8"),
            ]) { _ in
                let status = try JSONValue.parse(try await machines[2].openmarket("status", "--json").stdout)
                #expect(status["sessions"]?.elements?.compactMap { $0["command"]?.text } == ["apply", "work", "work"])
                #expect(status["operation_count"]?.integer == Int64(Self.count))
            }
            #expect(outputs.map(\.status) == [0, 0, 0], "\(outputs.map(\.errorText))")
            let shares = try outputs.map { try $0.carriedOut() }
            // The apply reports what became of all of it.
            #expect(shares[0] == Self.count && shares[1] > 0 && shares[2] > 0, "\(shares)")
            #expect(shares[1] + shares[2] < Self.count, "\(shares)")
            let result = try JSONValue.parse(machines[0].read("result.json"))
            #expect(result["totals"]?["done"]?.integer == Int64(Self.count))
            #expect(result["operations"]?.elements?.count == Self.count)
            try await machines[1].expectEachOnce(Self.count, "after three worked on it")
        }
    }

    @Test func `Ctrl-C in a worker gives its part back, and the others go on`() async throws {
        try await open { sandbox, machines in
            let outputs = try await Participant.run([
                .apply(machines[0], "--parallelism", "4"), .work(machines[1]),
            ]) { running in
                try await running[1].line(containing: #""type":"finished""#)
                running[1].send(.interrupt)
            }
            #expect(outputs.map(\.status) == [0, 130], "\(outputs.map(\.errorText))")
            #expect(outputs[1].errorText.contains("the other machines of the run go on"))
            try await machines[2].expectEachOnce(Self.count, "after a worker was interrupted")
        }
    }

    @Test func `a run is joined with its own manifest only, once there is one`() async throws {
        try await open { sandbox, machines in
            let none = try await machines[1].openmarket("work")
            #expect(none.status == 1)
            #expect(none.errorText.contains("no run is under way in the state "), "\(none.errorText)")
            let other = try sandbox.machine("other", state: machines[0].environment["OPENMARKET_STATE"] ?? "")
            try other.want(.plain(Self.count + 1))
            let late = Participant(
                program: machines[2].program(["work", "--json", "--wait", "60s"]),
                firstLine: #""type":"joined""#
            )
            let waiting = Task { try await Participant.run([late]) { _ in }[0] }
            let outputs = try await Participant.run([.apply(machines[0], "--parallelism", "2")]) { _ in
                let refused = try await other.openmarket("work")
                #expect(refused.status == 4)
                #expect(refused.errorText.contains("was planned from another manifest than the one here"))
            }
            #expect(outputs[0].status == 0, "\(outputs[0].errorText)")
            let joined = try await waiting.value
            #expect(joined.status == 0, "\(joined.errorText)")
            try await machines[1].expectEachOnce(Self.count, "after one that waited for it")
        }
    }

    @Test func `a picture that is another one here ends the worker with 4, and not the run`() async throws {
        try await open { sandbox, machines in
            try machines[1].write("images/3.png", SmallPicture.png(99))
            let outputs = try await Participant.run([.apply(machines[0], "--parallelism", "4"), .work(machines[1])]) {
                _ in
            }
            #expect(outputs.map(\.status) == [0, 4], "\(outputs.map(\.errorText))")
            #expect(outputs[1].errorText.contains("is not the picture that the run is to send"))
            try await machines[2].expectEachOnce(Self.count, "after a worker without its pictures")
        }
    }
}
