@testable import OpenMarket
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// A saved plan with decisions is the plan of what they approve.
struct PlanDecisionsTests {
    /// A document of decisions; `decided` are the places of items with their verdicts.
    private static func document(_ saved: SavedPlan, others: String, _ decided: [(Int, String)]) -> JSONValue {
        let decisions = decided.map { place, verdict in
            let item = saved.items[place]
            return JSONValue.object(
                of: ("operation", .string("sha256:\(item.digest)")),
                ("key", .string(item.key)),
                ("action", .string(item.action)),
                ("decision", .string(verdict))
            )
        }
        return .object(
            of: ("format_version", .integer(1)),
            ("plan", .string("sha256:\(saved.contentDigest)")),
            ("by", .string("mina")),
            ("others", .string(others)),
            ("decisions", .array(decisions))
        )
    }

    private static func decided(_ saved: SavedPlan, _ document: JSONValue) throws -> SavedPlan {
        let verdict = try PlanDecisions(bytes: document.bytes()).verdicts(on: saved.items)
        var decided = saved
        decided.plan = saved.plan.selecting { verdict($0) == .approve }
        return decided
    }

    @Test func `every part of a plan is what planning for its products alone gives, with a digest of its own`() throws {
        try EveryAction.planned { saved, plan in
            let keys = Set(saved.plan.operations.map(\.key)).sorted()
            #expect(keys == ["cheap", "found", "goes", "is", "made", "new", "shown", "vanishes"])
            #expect(Set(saved.plan.operations.map(\.action)) == Set(PlannedOperation.Action.allCases))
            #expect(saved.plan.renames.map(\.to) == ["new", "is"])
            #expect(saved.items.map(\.action).suffix(1) == ["rename"])
            var digests: Set<ContentDigest> = []
            for bits in 0..<(1 << keys.count) {
                let chosen = Set(keys.indices.filter { bits >> $0 & 1 == 1 }.map { keys[$0] })
                let alone = try await plan(chosen)
                let places = saved.items.indices
                let approved = places.filter { chosen.contains(saved.items[$0].key) }.map { ($0, "approve") }
                let rejected = places.filter { !chosen.contains(saved.items[$0].key) }.map { ($0, "reject") }
                let parts = [
                    saved.decided(by: KeyFilter(keys: chosen)),
                    saved.decided(by: KeyFilter(exclusions: keys.filter { !chosen.contains($0) })),
                    try Self.decided(saved, Self.document(saved, others: "reject", approved)),
                    try Self.decided(saved, Self.document(saved, others: "approve", rejected)),
                ]
                for part in parts {
                    #expect(part.plan.operations == alone.operations, "\(chosen)")
                    #expect(part.plan.stateUpdates.filter { !$0.keys.contains("quiet") } == alone.stateUpdates)
                    #expect(part.plan.unselected == keys.count - chosen.count)
                    #expect(
                        try SavedPlan(bytes: part.bytes(in: "/shop"), in: "/shop").contentDigest == part.contentDigest
                    )
                }
                #expect(parts[0].contentDigest == parts[2].contentDigest)
                #expect(parts[1].contentDigest == parts[3].contentDigest)
                digests.insert(parts[1].contentDigest)
            }
            #expect(digests.count == 1 << keys.count)
            #expect(digests.contains(saved.contentDigest))
        }
    }

    @Test func `a renamed product is chosen by either key`() throws {
        try EveryAction.planned { saved, _ in
            for key in ["old", "new", "ne?"] {
                let chosen = saved.decided(by: KeyFilter(targets: [key])).plan
                #expect(chosen.operations.map(\.key) == ["new"] && chosen.renames.map(\.from) == ["old"])
                let others = saved.decided(by: KeyFilter(exclusions: [key])).plan
                #expect(!others.operations.contains { $0.key == "new" } && others.renames.map(\.from) == ["was"])
            }
            #expect(saved.plan.keys.isSuperset(of: ["old", "new", "goes"]))
        }
    }

    @Test func `a create does not take a name that its product keeps after all`() throws {
        func update(_ id: MarketID, _ key: String, to name: String?) -> PlannedOperation {
            let change = FieldChange(
                field: name == nil ? .stock : .name,
                kind: .change,
                base: nil,
                live: nil,
                manifest: name.map(FieldValue.text) ?? .number(1)
            )
            return PlannedOperation(
                key: key,
                reason: "test",
                work: .update(.init(id: id, changes: [change], desired: ProductValues(), live: ProductValues()))
            )
        }
        var plan = Plan(operations: [
            PlannedOperation(
                key: "made",
                reason: "test",
                work: .create(NewProduct(values: ProductValues(name: "Lamp")))
            ),
            update(1, "renamed", to: "Other"), update(2, "sold", to: nil),
            PlannedOperation(
                key: "goes",
                reason: "test",
                work: .delete(PlannedOperation.Deletion(id: 3, live: ProductValues(name: "Lamp")))
            ),
        ])
        plan.namesakes.others = [1, 2, 3, 4]
        #expect(plan.selecting { _ in true } == plan)
        #expect(plan.selecting { $0 == "made" }.namesakes.others == [2, 4])
        #expect(plan.selecting { $0 != "renamed" }.namesakes.others == [2, 3, 4])
        #expect(plan.selecting { $0 != "goes" }.namesakes.others == [1, 2, 4])
    }

    @Test func `what does not fit the plan is refused with its place`() throws {
        try EveryAction.planned { saved, _ in
            /// What is wrong with a document in which something is another.
            func fault(_ document: JSONValue, _ old: String = "{", _ new: String = "{") -> String? {
                let text = String(decoding: document.bytes(), as: UTF8.self).replacing(old, with: new)
                do throws(DocumentError) {
                    _ = try PlanDecisions(bytes: Array(text.utf8)).verdicts(on: saved.items)
                    return nil
                } catch {
                    return "\(error.place) \(error.message)"
                }
            }
            func document(_ decided: (Int, String)...) -> JSONValue { Self.document(saved, others: "approve", decided) }
            let items = saved.items
            let found = items.indices.filter { items[$0].key == "found" }
            try #require(found.count == 2)
            let one = document((0, "reject"))
            #expect(fault(one) == nil)
            #expect(fault(document((found[0], "reject"), (found[1], "reject"))) == nil)
            #expect(
                fault(document((found[0], "reject"), (found[1], "approve")))
                    == "decisions[1].decision contradicts another one on 'found', which belongs to it"
            )
            #expect(fault(document((0, "reject"), (0, "reject"))) == "decisions[1].operation is decided twice")
            let (first, digest, unknown) = (items[0], "sha256:\(items[0].digest)", "is unknown to this version")
            let own = "decisions[0].operation is \(first.action) of '\(first.key)' in the plan"
            for (old, new, expected) in [
                (#""reject""#, #""reject","note":"after the fair""#, nil),
                (digest, "sha256:\(ContentDigest.zero)", "decisions[0].operation is not in the plan"),
                (digest, "\(first.digest)", "decisions[0].operation is not sha256: and 64 hexadecimal digits"),
                (#""key":"\#(first.key)""#, #""key":"mug""#, own),
                (#""action":"\#(first.action)""#, #""action":"delete""#, own),
                (#""reject""#, #""maybe""#, "decisions[0].decision is 'maybe', which \(unknown)"),
                (#""reject""#, #""reject","notes":"""#, "decisions[0].notes \(unknown); did you mean 'note'?"),
                (#""mina""#, #"" ""#, "by is empty"), (#""others":"approve","#, "", "others is missing"),
                (#""others""#, #""other""#, "others is missing; 'other' looks like it"),
                (#""format_version":1"#, #""format_version":2"#, "format_version is not 1"),
            ] as [(String, String, String?)] {
                #expect(fault(one, old, new) == expected, "\(new)")
            }
            #expect(fault(.array([])) == " is not an object")
            let cut = #expect(throws: DocumentError.self) { try PlanDecisions(bytes: Array(#"{"plan": "#.utf8)) }
            #expect(cut?.message.hasPrefix("not JSON: ") == true && cut?.message.hasSuffix("(byte 9)") == true)
            #expect(throws: DocumentError.self) {
                try PlanDecisions(bytes: Array(#"{"by":"a","by":"b"}"#.utf8))
            }
        }
    }

}
