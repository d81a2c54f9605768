@testable import OpenMarket
import Testing
@testable import OpenMarketServer

struct FaultScheduleTests {
    private func fired(_ rule: FaultRule, seed: UInt64 = 0, _ requests: [(String, String)]) -> [Int] {
        var schedule = FaultSchedule(FaultPlan(seed: seed, rules: [rule]))
        return requests.indices.filter {
            !schedule.firings(method: requests[$0].0, path: requests[$0].1).isEmpty
        }
    }

    private let posts = Array(repeating: ("POST", "/api/products"), count: 8)

    @Test func `a rule without conditions meets every request`() {
        #expect(fired(FaultRule(fault: .cut(.before)), posts) == Array(0..<8))
    }

    @Test func `nth counts the matching requests only`() {
        let requests = [
            ("GET", "/items/1"), ("POST", "/item"), ("GET", "/items/2"), ("POST", "//item/"), ("post", "/item"),
        ]
        let rule = FaultRule(method: "POST", path: "/item", nth: [2, 3], fault: .cut(.after))
        #expect(fired(rule, requests) == [3, 4])
    }

    @Test func `times limits how often a rule fires`() {
        #expect(fired(FaultRule(times: 2, fault: .cut(.after)), posts) == [0, 1])
        #expect(fired(FaultRule(times: 0, fault: .cut(.after)), posts) == [])
    }

    @Test func `chance is the same for the same seed`() {
        let many = Array(repeating: ("GET", "/items/1"), count: 1000)
        let rule = FaultRule(probability: 0.25, fault: .cut(.before))
        let first = fired(rule, seed: 7, many)
        #expect(first == fired(rule, seed: 7, many))
        #expect(first != fired(rule, seed: 8, many))
        #expect((200...300).contains(first.count), "\(first.count)")
        #expect(fired(FaultRule(probability: 0, fault: .cut(.before)), many) == [])
    }

    @Test func `a further rule does not change the chances of the others`() {
        let rule = FaultRule(probability: 0.5, fault: .cut(.before))
        var alone = FaultSchedule(FaultPlan(seed: 3, rules: [rule]))
        var together = FaultSchedule(
            FaultPlan(seed: 3, rules: [rule, FaultRule(probability: 0.5, fault: .cut(.after))])
        )
        for _ in 0..<100 {
            let one = alone.firings(method: "GET", path: "/")
            #expect(together.firings(method: "GET", path: "/").filter { $0.rule == 0 } == one)
        }
    }

    @Test func `several rules meet a request in their order, and count`() {
        var schedule = FaultSchedule(
            FaultPlan(rules: [
                FaultRule(fault: .latency(.seconds(1))), FaultRule(method: "GET", fault: .cut(.before)),
                FaultRule(nth: [1], fault: .page(.after)),
            ])
        )
        #expect(schedule.firings(method: "POST", path: "/").map(\.fault) == [.latency(.seconds(1)), .page(.after)])
        #expect(schedule.firings(method: "GET", path: "/").map(\.fault) == [.latency(.seconds(1)), .cut(.before)])
        #expect(schedule.counters == [.init(seen: 2, fired: 2), .init(seen: 1, fired: 1), .init(seen: 2, fired: 1)])
    }

    @Test(arguments: [
        ("/item", "/item", true), ("/item/", "//item", true), ("/item/1", "/item", false), ("/item/1", "/item*", true),
        ("/items/1", "/item/*", false), ("/api/products/5/secret", "/api/*/secret", true),
        ("/api/secret", "/api/*/secret", false),
        ("/a/b/c", "*b*", true), ("/a/x/c", "*b*", false), ("/anything", "*", true), ("/aXbXc", "/a*b*c", true),
        ("/ab", "/ab*b", false),
    ])
    func `a star stands for any characters`(path: String, pattern: String, matches: Bool) {
        #expect(FaultSchedule.matches(FaultSchedule.normalized(path), pattern: pattern) == matches)
    }
}

struct FaultPlanFileTests {
    private func plan(_ text: String) throws -> FaultPlan {
        try FaultPlan(yaml: Array(text.utf8), file: "faults.yaml")
    }

    @Test func `every fault can be written`() throws {
        let text = """
            seed: 42
            rules:
              - {fault: {latency: 250ms}}
              - {method: POST, path: /api/products, nth: 3, fault: {status: 429, retry_after: 2}}
              - {nth: [1, 4], fault: {status: 503, retry_after_date: 5, when: after}}
              - {probability: 0.25, times: 2, fault: {status: 500}}
              - {fault: {cut: before}}
              - {fault: {cut: reply, after_bytes: 10}}
              - {fault: {cut: after}}
              - {fault: {truncate: 20}}
              - {fault: {slow: 64, pause: 0.5s}}
              - {fault: {page: before}}
              - {fault: {page: after}}
              - {fault: {unsettled: 2}}
              - {fault: {appear: 3}}
              - {fault: {vanish: 1}}
            """
        #expect(
            try plan(text)
                == FaultPlan(
                    seed: 42,
                    rules: [
                        FaultRule(fault: .latency(.milliseconds(250))),
                        FaultRule(
                            method: "POST",
                            path: "/api/products",
                            nth: [3],
                            fault: .status(429, retryAfter: .seconds(2), .before)
                        ),
                        FaultRule(nth: [1, 4], fault: .status(503, retryAfter: .date(secondsAhead: 5), .after)),
                        FaultRule(probability: 0.25, times: 2, fault: .status(500, retryAfter: nil, .before)),
                        FaultRule(fault: .cut(.before)),
                        FaultRule(fault: .cutReply(afterBytes: 10)),
                        FaultRule(fault: .cut(.after)),
                        FaultRule(fault: .truncate(bytes: 20)),
                        FaultRule(fault: .slow(chunkBytes: 64, pause: .milliseconds(500))),
                        FaultRule(fault: .page(.before)),
                        FaultRule(fault: .page(.after)),
                        FaultRule(fault: .unsettled(reads: 2)),
                        FaultRule(fault: .appear(rows: 3)),
                        FaultRule(fault: .vanish(rows: 1)),
                    ]
                )
        )
    }

    @Test func `JSON does as well`() throws {
        #expect(
            try plan(#"{"seed": 1, "rules": [{"fault": {"cut": "after"}}]}"#)
                == FaultPlan(seed: 1, rules: [FaultRule(fault: .cut(.after))])
        )
    }

    @Test(arguments: [
        ("rules: [{fault: {cut: never}}]", "faults.yaml:1:23: 'never' is not before, reply or after"),
        (
            "rules: [{falt: {cut: after}}]",
            "faults.yaml:1:10: unknown key 'falt' (did you mean 'fault'?)"
        ),
        ("rules: [{method: GET}]", "faults.yaml:1:9: 'rules[0]' needs the key 'fault'"),
        (
            "rules: [{fault: {cut: after, status: 500}}]",
            "faults.yaml:1:23: 'status' and 'cut' exclude each other"
        ),
        ("rules: [{fault: {slow: 64}}]", "faults.yaml:1:24: 'slow' needs 'pause'"),
        (
            "rules: [{fault: {}}]",
            "faults.yaml:1:17: one of 'latency', 'status', 'cut', 'truncate', 'slow', 'page', 'unsettled', 'appear' and 'vanish' is needed here"
        ),
        ("rules: [{nth: 0, fault: {cut: after}}]", "faults.yaml:1:15: 0 is not a whole number of at least 1"),
        ("rules: [{probability: 2, fault: {cut: after}}]", "faults.yaml:1:23: '2' is not a probability from 0 to 1"),
        ("rules: [{fault: {latency: 3}}]", "faults.yaml:1:27: '3' is not a duration such as 250ms or 2s"),
        ("rules: [{fault: {status: 199}}]", "faults.yaml:1:26: 199 is not a whole number from 200 to 599"),
        (
            "rules: [{fault: {status: 503, retry_after_date: 9223372036854775807}}]",
            "faults.yaml:1:49: 9223372036854775807 is not a whole number from 0 to 1000000000"
        ),
        (
            "rules: [{fault: {unsettled: 9223372036854775807}}]",
            "faults.yaml:1:29: 9223372036854775807 is not a whole number from 0 to 10000"
        ),
        ("rules: {}", "faults.yaml:1:8: a list is needed here, and this is a mapping"),
        ("- 1", "faults.yaml:1:1: a mapping is needed here, and this is a list"),
        ("", "faults.yaml: the document is empty"),
    ])
    func `a mistake is named with its place`(text: String, message: String) {
        let error = #expect(throws: ServerError.self) { try plan(text) }
        #expect(error == ServerError(.input, message))
    }
}

struct VendorFileTests {
    private func vendors(_ text: String) throws -> [Vendor] {
        try Vendor.list(yaml: Array(text.utf8), file: "vendors.yaml")
    }

    @Test func `vendors are read`() throws {
        let text = """
            vendors:
              - name: example
                identifier: 00000000-0000-11ed-0000-000000000000
                secret: 007
                id: 29
              - {name: no, identifier: x, secret: !env HOME}
            """
        let list = try vendors(text)
        #expect(
            list[0]
                == Vendor(
                    id: 29,
                    name: "example",
                    identifier: "00000000-0000-11ed-0000-000000000000",
                    secret: Secret("007")
                )
        )
        #expect(list[1].name == "no")
        #expect(list[1].secret.revealed.hasPrefix("/"))
        #expect(list.count == 2)
    }

    @Test(arguments: [
        (
            "vendors: [{name: a, identifier: b, secret: c, id: 9223372036854775807}]",
            "vendors.yaml:1:51: 9223372036854775807 is not a whole number from 1 to 9007199254740991"
        ),
        ("vendors: []", "vendors.yaml:1:10: this list is empty"),
        ("vendors: [{name: a, secret: b}]", "vendors.yaml:1:11: 'vendors[0]' needs the key 'identifier'"),
        ("vendors: [{name: a, identifier: b, secret: ''}]", "vendors.yaml:1:44: the text is empty"),
        (
            "vendors: [{name: a, identifier: b, secret: !env OPENMARKET_NOT_SET}]",
            "vendors.yaml:1:44: the environment variable OPENMARKET_NOT_SET is not set"
        ),
        (
            "vendors: [{name: a, identifier: b, secret: c}, {name: a, identifier: B, secret: c}]",
            "vendors.yaml:1:48: another vendor has this identifier"
        ),
    ])
    func `a mistake is named with its place`(text: String, message: String) {
        let error = #expect(throws: ServerError.self) { try vendors(text) }
        #expect(error == ServerError(.input, message))
    }
}
