@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// Every kind of fault against `plan`, `apply` and `export`: what the user sees, and what the market looks like then.
@Suite(.timeLimit(.minutes(10)))
struct FaultMatrixTests {
    /// A fault of a reading request and what becomes of `plan` and `export`.
    struct Reading: Sendable, CustomStringConvertible {
        var fault: String
        /// How often it happens; `nil` for always.
        var times: Int?
        var status: Int32
        /// What stderr says.
        var says = ""

        var description: String { "\(fault) \(times.map { "\($0) times" } ?? "always")" }
    }

    static let readings = [
        Reading(fault: "{latency: 20ms}", status: 0),
        Reading(fault: "{slow: 200, pause: 1ms}", status: 0),
        Reading(fault: "{status: 429, retry_after: 1}", times: 1, status: 0),
        Reading(fault: "{status: 503, retry_after_date: 1}", times: 1, status: 0),
        Reading(fault: "{status: 500}", times: 2, status: 0),
        Reading(fault: "{status: 502, when: after}", times: 2, status: 0),
        Reading(fault: "{cut: before}", times: 2, status: 0),
        Reading(fault: "{cut: after}", times: 2, status: 0),
        Reading(fault: "{cut: reply, after_bytes: 10}", times: 2, status: 0),
        Reading(fault: "{truncate: 10}", times: 2, status: 0),
        Reading(fault: "{status: 429}", status: 9, says: "429"),
        Reading(fault: "{status: 503}", status: 9, says: "503"),
        Reading(fault: "{cut: before}", status: 9, says: "cannot be reached"),
        Reading(fault: "{cut: reply, after_bytes: 10}", status: 9, says: "cannot be reached"),
        Reading(fault: "{truncate: 10}", status: 9, says: "cannot be reached"),
        Reading(fault: "{status: 401}", status: 8, says: "401"),
        Reading(fault: "{status: 418}", status: 1, says: "418"),
        Reading(fault: "{page: before}", status: 1, says: "is the URL right?"),
    ]

    @Test(arguments: ["v1b", "v2b"])
    func `a reading request that fails`(api: String) async throws {
        try await concurrently(Self.readings) { try await read(api, $0) }
    }

    private func read(_ api: String, _ reading: Reading) async throws {
        try await ReliabilitySandbox.open(api, .plain(3)) { sandbox in
            try await sandbox.applyUntilDone()
            var changed = Assortment.plain(4)
            changed.products[1].price += 1
            try sandbox.want(changed)
            let path = api == "v1b" ? "/items/*" : "/api/products"
            let times = reading.times.map { ", times: \($0)" } ?? ""
            let faults = "rules:\n  - {method: GET, path: '\(path)'\(times), fault: \(reading.fault)}\n"
            for command in ["plan", "export"] {
                try sandbox.server.setFaults(faults)
                let output = try await sandbox.openmarket(command)
                #expect(output.status == reading.status, "\(api) \(reading), \(command): \(output.errorText)")
                #expect(output.errorText.contains(reading.says), "\(api) \(reading), \(command)")
                // Nothing was ordered.
                #expect(try sandbox.server.writes() == [])
                #expect(try sandbox.server.fired()[0] >= (reading.times ?? 1))
                guard output.status == 0 else { continue }
                if command == "plan" {
                    #expect(
                        output.text.hasSuffix("Plan: 1 to add, 1 to change, 0 to replace, 0 to delete, 2 unchanged.\n")
                    )
                } else {
                    #expect(try StrictCSV(output.stdout).rows.count == 3)
                }
            }
            // An apply that cannot read the catalog begins nothing.
            try sandbox.server.setFaults(faults)
            let output = try await sandbox.openmarket("apply", "--yes")
            #expect(output.status == reading.status, "\(api) \(reading), apply: \(output.errorText)")
            if reading.status != 0 { #expect(try sandbox.server.writes() == []) }
        }
    }

    /// A fault that falls on the first of each kind of writing request, so often.
    static let writings: [(fault: String, times: Int)] = [
        ("{latency: 20ms}", 1), ("{slow: 20, pause: 1ms}", 1),
        ("{status: 429, retry_after: 1}", 2), ("{status: 503, retry_after_date: 1}", 1),
        ("{status: 500}", 1), ("{status: 502}", 2), ("{status: 503}", 1),
        ("{status: 500, when: after}", 1), ("{status: 502, when: after}", 2), ("{status: 503, when: after}", 1),
        ("{cut: before}", 2), ("{cut: after}", 2), ("{cut: reply, after_bytes: 5}", 2), ("{truncate: 5}", 2),
        ("{page: before}", 2), ("{page: after}", 2), ("{unsettled: 2}", 1),
    ]

    @Test(arguments: TestScope.sweptProfiles)
    func `a writing request that fails for a while`(api: String) async throws {
        try await concurrently(Self.writings) { try await write(api, $0.fault, times: $0.times) }
    }

    private func write(_ api: String, _ fault: String, times: Int) async throws {
        try await ReliabilitySandbox.open(api, .plain(4)) { sandbox in
            var view = MarketView(sandbox.server, api)
            var neighbours = Neighbours(of: sandbox)
            for number in 1...5 { try neighbours.list(Assortment.Product(number: number), view: view) }
            try await sandbox.applyUntilDone()
            var changed = Assortment.plain(6)
            changed.products[1].price += 1
            changed.products[2].pictures = [9]
            changed.products.removeFirst()
            try sandbox.want(changed)
            let rules = ["POST", "PATCH", "DELETE"].map { "  - {method: \($0), times: \(times), fault: \(fault)}\n" }
            try sandbox.server.setFaults("rules:\n" + rules.joined())
            let output = try await sandbox.openmarket("apply", "--yes")
            #expect(output.status == 0, "\(api) \(fault): \(output.errorText)")
            #expect(try sandbox.server.fired().allSatisfy { $0 == times }, "\(api) \(fault)")
            if fault.contains("retry_after") { #expect(output.errorText.contains("The market asks for less")) }
            try sandbox.server.setFaults()
            try await sandbox.expectExactly(changed, neighbours, &view, "\(api) \(fault)")
        }
    }

    /// A market that asks for a pause of an hour gets it: nothing is sent sooner than asked.
    @Test(arguments: ["v1b", "v2b"])
    func `9 when the market wants a longer pause than anybody waits for`(api: String) async throws {
        let faults = "rules:\n  - {method: POST, nth: 2, fault: {status: 429, retry_after: 3600}}\n"
        try await ReliabilitySandbox.open(api, .plain(4), faults: faults) { sandbox in
            let output = try await sandbox.openmarket("apply", "--yes", "--result", "result.json")
            #expect(output.status == 9)
            #expect(output.errorText.contains("accepts requests again in 3600 s"))
            let operations = try JSONValue.parse(sandbox.read("result.json"))["operations"]?.elements ?? []
            #expect(operations.map { $0["status"]?.text } == ["done", "skipped", "skipped", "skipped"])
            #expect(try sandbox.server.writes().count == 2)
        }
    }
}
