@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketClient

/// What proves a list whole, for each style and order that a description can say: with others who write meanwhile, and
/// where the market does not keep what its description says.
struct ProofTests {
    typealias Plan = SimulatedList.Plan
    typealias Fault = SimulatedList.Fault

    private static let byID = "order: {by: [/id], direction: falling, moves: never}"
    private static let byRisingID = "order: {by: [/id], direction: rising, moves: never}"
    private static let byDate = "order: {by: [/date, /id], direction: falling, moves: never}"
    private static let total = "total: {at: /count}"
    private static let number = "page: {by: number, param: page, size: {param: size, standard: 10}}"
    private static let offset = "page: {by: offset, param: offset, size: {param: limit, standard: 10}}"

    /// A row of the design's table, or a way to cut a list, each.
    static let plans: [Plan] = [
        Plan(
            name: "numbers of pages, newest first, with totals",
            list: [number, total, byID, "complete: ranks"],
            proof: .ranks,
            tellsTotal: true
        ),
        Plan(
            name: "offsets, newest first by date, with totals",
            list: [offset, total, byDate, "complete: ranks"],
            proof: .ranks,
            isKeyed: true,
            tellsTotal: true
        ),
        Plan(
            name: "numbers of pages that are capped silently",
            list: [number, total, byID, "complete: ranks"],
            proof: .ranks,
            tellsTotal: true,
            cap: 4
        ),
        Plan(
            name: "numbers of pages of the market's own size, with totals",
            list: ["page: {by: number, param: page, size: {standard: 10}}", total, byID, "complete: ranks"],
            proof: .ranks,
            tellsTotal: true
        ),
        Plan(
            name: "offsets with a silent cap, without totals",
            list: [offset, "complete: twice"],
            proof: .twice,
            cap: 4
        ),
        Plan(
            name: "oldest first, with totals",
            list: [number, total, byRisingID, "complete: twice"],
            proof: .sightings,
            isFalling: false,
            tellsTotal: true
        ),
        Plan(
            name: "in no order, with totals",
            list: [number, total, "complete: twice"],
            proof: .sightings,
            isScrambled: true,
            tellsTotal: true
        ),
        Plan(
            name: "behind an id, rising",
            list: [
                "page: {by: keyset, last: /id, query: {after: \"{last}\"}, size: {param: limit, standard: 10}}",
                byRisingID,
                "complete: keyset",
            ],
            proof: .keyset,
            knowsCalm: false,
            isFalling: false
        ),
        Plan(
            name: "behind an id, falling, with totals and a last page that says so",
            list: [
                "page: {by: keyset, last: /id, query: {before: \"{last}\"}, size: {param: limit, standard: 10}}", byID,
                total, "more: {at: /more}", "complete: keyset",
            ],
            proof: .keyset,
            knowsCalm: false,
            tellsTotal: true,
            tellsEnd: true
        ),
        Plan(
            name: "behind the time of the last change, rising",
            list: [
                "page: {by: keyset, last: /date, unique: true, query: {since: \"{last}\"}, size: {standard: 10}}",
                "order: {by: [/date], direction: rising, moves: up}", "complete: keyset",
            ],
            proof: .keyset,
            knowsCalm: false,
            isFalling: false,
            isKeyed: true,
            hasUniqueKeys: true,
            hasEdits: true
        ),
        Plan(
            name: "behind a time that products may share, with totals",
            list: [
                "page: {by: keyset, last: /date, query: {since: \"{last}\"}, size: {standard: 10}}",
                "order: {by: [/date], direction: rising, moves: up}", total, "complete: twice",
            ],
            proof: .sightings,
            isFalling: false,
            isKeyed: true,
            hasUniqueKeys: true,
            tellsTotal: true,
            hasEdits: true
        ),
        Plan(
            name: "cursors that hold a row",
            list: [
                "page: {by: cursor, param: cursor, next: {at: /next}, size: {param: limit, standard: 10}}", byID,
                "complete: twice",
            ],
            proof: .twice,
            tellsEnd: true
        ),
        Plan(
            name: "cursors that count rows, in no order",
            list: ["page: {by: cursor, param: cursor, next: {at: /next}}", "complete: twice"],
            proof: .twice,
            isScrambled: true,
            tellsEnd: true,
            tokensCount: true,
            cap: 8
        ),
        Plan(
            name: "addresses that count rows, with totals",
            list: [
                "page: {by: next, next: {at: /next}, query: {limit: \"{size}\"}, size: {standard: 10}}", total,
                byID, "complete: twice",
            ],
            proof: .sightings,
            tellsTotal: true,
            tellsEnd: true,
            tokensCount: true
        ),
        Plan(
            name: "numbers of pages without totals",
            list: [
                "page: {by: number, param: page, size: {standard: 10}}",
                "complete: twice",
            ],
            proof: .twice,
            isScrambled: true
        ),
        Plan(
            name: "numbers of pages without totals, and a last one that says so",
            list: [number, "more: {at: /more}", byID, "complete: twice"],
            proof: .twice,
            tellsEnd: true
        ),
        Plan(
            name: "one answer",
            list: ["page: {by: none}", total, "complete: whole"],
            proof: .whole,
            tellsTotal: true,
            tellsEnd: true
        ),
        Plan(name: "no proof", list: [number, total, byID, "complete: never"], proof: nil, tellsTotal: true),
    ]

    private func walk(_ plan: Plan, ahead: Int, passes: Int = 10) throws -> CatalogWalk {
        CatalogWalk(try #require(plan.form, "\(plan.description)"), ahead: ahead, queued: ahead, maximumPasses: passes)
    }

    @Test(arguments: plans)
    func `a list that holds still is proved as its description says, each row once`(plan: Plan) throws {
        var generator = SeededGenerator(seed: 1)
        for count in [0, 1, 4, 9, 10, 11, 20, 95] {
            var list = SimulatedList(plan, count: count)
            let reading = list.read(try walk(plan, ahead: 4), using: &generator)
            #expect(reading.error == nil, "\(count)")
            #expect(reading.rows.sorted() == list.ids.sorted(), "\(count)")
            guard let proof = plan.proof else {
                #expect(reading.summary?.completeness == .unprovable)
                #expect(reading.summary?.passes == 1)
                continue
            }
            let held = reading.summary?.proof
            let moved = reading.summary?.catalogMoved
            if held == .numbers {
                // Numbers that follow one another leave no gap, and do not show what moved.
                #expect(plan.form?.proofs.contains(.numbers) == true && moved != true, "\(count)")
            } else {
                // What one page shows as all there is needs no second look: it is called by the strongest proof.
                #expect(held == proof || count <= 10 && held == plan.form?.proofs.first, "\(count): \(held as Any)")
                #expect(moved == (plan.knowsCalm ? false : nil) || count <= 10, "\(count)")
            }
        }
    }

    @Test(arguments: plans)
    func `whatever others write, what was there throughout comes exactly once under any proof`(plan: Plan) async throws
    {
        var proved = 0
        var held: Set<CatalogProof> = []
        let seeds = TestScope.seeds(640)
        for seed in seeds {
            if seed % 64 == 0 { await Task.yield() }
            var generator = SeededGenerator(seed: seed)
            var list = SimulatedList(plan, count: .random(in: 0...70, using: &generator))
            var throughout = list.ids
            var changes = Int.random(in: 0...12, using: &generator)
            let reading = list.read(
                try walk(plan, ahead: .random(in: 1...4, using: &generator), passes: 40),
                using: &generator
            ) { list, generator in
                while changes > 0, Int.random(in: 0..<3, using: &generator) == 0 {
                    changes -= 1
                    list.change(using: &generator)
                }
                throughout.formIntersection(list.ids)
            }
            #expect(Set(reading.rows).count == reading.rows.count, "seed \(seed): a row came twice")
            #expect(reading.error == nil, "seed \(seed)")
            guard let proof = reading.summary?.proof else { continue }
            proved += 1
            held.insert(proof)
            let missing = throughout.subtracting(reading.rows)
            #expect(missing.isEmpty, "seed \(seed): \(proof) held, and \(missing.sorted()) are missing")
        }
        #expect(proved == (plan.proof == nil ? 0 : seeds.count))
        if let proof = plan.proof { #expect(held.contains(proof), "\(held)") }
    }

    @Test(arguments: ["cursors that hold a row", "numbers of pages of the market's own size, with totals"])
    func `numbers prove a list that never holds still`(name: String) throws {
        let plan = try #require(Self.plans.first { $0.name == name })
        var held: [CatalogProof?: Int] = [:]
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var list = SimulatedList(plan, count: 60)
            var throughout = list.ids
            let reading = list.read(try walk(plan, ahead: 1, passes: 30), using: &generator) { list, generator in
                list.change(using: &generator)
                throughout.formIntersection(list.ids)
            }
            held[reading.summary?.proof, default: 0] += 1
            guard reading.summary?.isComplete == true else { continue }
            #expect(throughout.isSubset(of: reading.rows), "seed \(seed)")
        }
        #expect((held[.numbers] ?? 0) > 150, "\(held)")
    }

    @Test(arguments: plans.filter { [.keyset, .cursor, .next].contains($0.form?.style) })
    func `a list whose next page is refused is read from its start, three times at most`(plan: Plan) throws {
        for refusals in [1, 3, 4] {
            var list = SimulatedList(plan, count: 25)
            var walk = try walk(plan, ahead: 1)
            var left = refusals
            var pages: [Int: LivePage] = [:]
            var rows: [Int64] = []
            var proof: CatalogProof?
            var actions = walk.start()
            while !actions.isEmpty {
                var following: [CatalogWalk.Action] = []
                for action in actions {
                    switch action {
                    case .deliver(let number, let places, _):
                        rows += places.compactMap { pages[number]?.ids[$0].number }
                    case .finish(let summary): proof = summary.proof
                    case .fail(let error): Issue.record("\(error)")
                    case .fetch: break
                    }
                }
                for case .fetch(let number, let address) in actions {
                    if number == 2, left > 0 {
                        left -= 1
                        following = walk.refused(number: number) ?? []
                    } else {
                        let page = list.page(address)
                        pages[number] = page
                        following = walk.received(page, number: number)
                    }
                }
                actions = following
            }
            #expect(left == 0)
            #expect((proof != nil) == (refusals < 4))
            #expect(rows.sorted() == list.ids.sorted() || refusals == 4)
        }
    }

    // MARK: - Preconditions

    /// What is said of a fault that leaves nothing to prove the list with; `nil` where it is another proof that holds, or
    /// either.
    private static func words(of fault: Fault, in plan: Plan) -> [String] {
        switch fault {
        case .ignoresFilter, .includesLast: ["leads back to a page that was read already"]
        // Where only the count of the market proves the list, it shows that a row is missing.
        case .tiesKeys where plan.proof == .sightings: ["however often its list is read"]
        case .tiesKeys: ["two products have the '/date'"]
        case .mixesDates, .scramblesOrder: ["do not come in the order of", "the list cannot be proved complete"]
        case .forgetsLastKey: ["the value to read the next page by"]
        case .ignoresPage, .repeatsLastPage, .repeatsAPage, .cutsOff:
            ["however often its list is read", "repeats itself"]
        case .hidesRows:
            [
                "however often its list is read", "in its only answer",
                "this does not prove that the list ends there",
            ]
        case .countsMore: ["however often its list is read", "in its only answer"]
        case .countsFewer: ["in its only answer", "which its pages contradict"]
        case .forgetsTotal: ["do not show how many products there are"]
        case .leadsBack: ["leads back to a page that was read already"]
        case .leadsElsewhere: ["its host is another one"]
        case .repeatsForEver: ["repeats itself at page", "leads back"]
        case .endsWithoutWords: ["its reply does not match the API"]
        case .saysMore: ["announces another page"]
        case .variesLostRows: []
        }
    }

    /// Whether a market whose list is of this plan can do that.
    private static func applies(_ fault: Fault, to plan: Plan) -> Bool {
        guard let form = plan.form else { return false }
        return switch fault {
        case .ignoresFilter, .includesLast, .forgetsLastKey: form.style == .keyset
        case .tiesKeys: form.style == .keyset && plan.isKeyed
        // SeenIDs rest on no order.
        case .mixesDates: plan.isKeyed && form.order?.includesID == false && plan.proof != .sightings
        case .scramblesOrder: form.order != nil && !plan.isKeyed
        case .ignoresPage, .repeatsAPage: form.isNumbered
        case .repeatsLastPage: form.isNumbered && !plan.tellsTotal && !plan.tellsEnd
        case .countsMore: plan.tellsTotal
        // Pages behind a row need no totals.
        case .countsFewer: plan.tellsTotal && form.style != .keyset
        case .forgetsTotal: plan.tellsTotal && form.style != .keyset && form.style != .whole
        case .cutsOff: form.isNumbered && plan.tellsTotal
        case .leadsBack, .leadsElsewhere, .repeatsForEver: form.style == .cursor || form.style == .next
        case .endsWithoutWords: !plan.tellsEnd && !plan.tellsTotal
        case .saysMore: form.style == .cursor || form.style == .next || form.style == .whole
        case .hidesRows: plan.tellsTotal
        case .variesLostRows: form.style != .whole && form.style != .keyset
        }
    }

    static let broken: [(Plan, Fault)] = plans.filter { $0.proof != nil }.flatMap { plan in
        Fault.allCases.filter { applies($0, to: plan) }.map { (plan, $0) }
    }

    @Test(arguments: broken)
    func `a precondition that does not hold is found, and named`(plan: Plan, fault: Fault) throws {
        for count in [45, 50] {
            var generator = SeededGenerator(seed: 7)
            var list = SimulatedList(plan, count: count, fault: fault)
            let reading = list.read(try walk(plan, ahead: 3), using: &generator)
            #expect(Set(reading.rows).count == reading.rows.count)
            if fault == .variesLostRows { #expect(!reading.problems.isEmpty) }
            if let error = reading.error {
                let words = Self.words(of: fault, in: plan)
                #expect(words.contains { error.message.contains($0) }, "\(fault): \(error)")
            } else if fault == .variesLostRows {
                // Rows that are counted and cannot be read are reported.
                #expect(reading.problems.count >= list.ids.subtracting(reading.rows).count)
            } else if let proof = reading.summary?.proof {
                #expect(list.ids.isSubset(of: reading.rows), "\(fault): \(proof) held with rows missing")
                // Whatever the fault broke, something that does not rest on it held.
                #expect(proof != plan.form?.proofs.first, "\(fault): \(proof) held")
            } else {
                #expect(reading.summary?.completeness == .unsettled, "\(fault): it ended without a word")
            }
        }
    }

    @Test func `every fault is one of some plan, and every proof has a plan and a fault that breaks it`() {
        #expect(Set(Self.broken.map(\.1)) == Set(Fault.allCases))
        let proofs = Set(Self.plans.compactMap(\.proof))
        #expect(proofs.union([.numbers]) == Set(CatalogProof.allCases))
    }
}
