@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketManifest
@testable import OpenMarketWorkflow

/// What people read of runs, of pulls, of the state and of the progress, without colours.
struct RunTextTests {
    private static func result(_ action: PlannedOperation.Action, _ status: OperationResult.Status) -> OperationResult {
        OperationResult(sequence: 0, key: "lamp", action: action, status: status)
    }

    @Test func `the last line of a run counts what was done, and what was not`() {
        var totals = RunTotals()
        totals.done = 2
        var result = RunResult(
            run: RunID(rawValue: "r1"),
            totals: totals,
            operations: [Self.result(.create, .done), Self.result(.adopt, .done)],
            endedBy: nil,
            snapshot: StateSnapshot()
        )
        #expect(result.text() == "Apply complete: 1 added, 0 changed, 0 replaced, 0 deleted, 1 adopted.\n")
        result.operations.append(Self.result(.update, .failed))
        result.totals.failed = 1
        #expect(
            result.text() == "Apply ended: 1 added, 0 changed, 0 replaced, 0 deleted, 1 adopted, 1 failed.\n"
        )
        result.decisions = RunDecisions(by: "mina\u{1B}", rejected: 2, file: .zero)
        #expect(result.text().hasSuffix(", 1 adopted, 1 failed. 2 of 5 rejected by mina\\u{1b}.\n"))
        #expect(result.decisions?.text(besides: 0) == "2 rejected by mina\\u{1b}")
    }

    @Test func `a dry run shows each request below what it is for, and counts them`() {
        let deletion = PlannedOperation.Deletion(id: 9, live: ProductValues(name: "Chair"))
        let operation = PlannedOperation(key: "chair", reason: "gone\u{1B}", work: .delete(deletion))
        #expect(
            operation.text(ofRequest: ["DELETE /item/9", "Body: \u{1B}"]) == """
                # chair: gone\\u{1b}
                DELETE /item/9
                Body: \\u{1b}


                """
        )
        #expect(PlannedOperation.dryRunText(1) == "Dry run: 1 request would be sent, none was.")
    }

    @Test func `a refusal names its place, and what to do if it is meant`() {
        let source = SourceLocation(file: "shop.yaml", position: SourcePosition(line: 3, column: 5))
        let refusals = [
            PlanRefusal("too many\n", override: nil, source: source), PlanRefusal("empty", override: .emptyManifest),
        ]
        let lines = refusals.flatMap { $0.lines() }
        let help = "  help: if you mean it: --allow-empty"
        #expect(lines == ["refused: shop.yaml:3:5: too many\\n", "refused: empty", help])
    }

    @Test func `a pull names twenty things of a kind, and counts the others`() {
        func omission(_ id: Int64, _ reason: String) -> LiveProductWriter.Omission {
            LiveProductWriter.Omission(key: "lamp", id: MarketID(id), field: "price", reason: reason)
        }
        let shop = PulledShop(
            path: "shop.yaml",
            products: 1,
            pictures: 2,
            missing: 0,
            omissions: (1...22).map { omission($0, "reason \($0)") } + (2...9).map { omission($0, "reason 1") },
            catalogMoved: nil,
            isProved: true,
            lostRows: 0,
            elsewhere: 1,
            takenOut: 2
        )
        #expect(
            shop.remarks.first == "warning: 'lamp' (1) and 8 products more: price is not managed: reason 1"
        )
        #expect(
            shop.remarks.suffix(4) == [
                "warning: 'lamp' (20): price is not managed: reason 20",
                "warning: and 2 more, each named in shop.yaml",
                "Left out 1 product that the other files list",
                "Left out 2 products that the manifest does not list any more",
            ]
        )
        #expect(shop.text == "Pulled 1 product and 2 pictures into shop.yaml\n")
    }

    @Test func `products of the state are in columns, and a terminal obeys none of their texts`() throws {
        let values = ProductValues(name: "Lamp\u{1B}[2J", price: ExactDecimal(35_000), stock: 3)
        var entries = StateEntries()
        for (key, id) in [("lamp", MarketID(7)), ("한지등", MarketID(12))] {
            entries.append(StateEntry(key: key, id: id, vendorID: 5, applied: values, images: nil))
        }
        var list = ""
        try entries.list(entries.placesByKey) { list += $0 }
        #expect(list == "lamp    7  Lamp\\u{1b}[2J\n한지등  12  Lamp\\u{1b}[2J\n")
        let entry = try #require(entries["lamp"])
        #expect(
            entry.text == """
                key          lamp
                id           7
                vendor_id    5
                name         "Lamp\\u{1b}[2J"
                price        35000
                stock        3

                """
        )
    }

    @Test func `progress has a share, a rate and the time that is left as far as they are known`() {
        let bar = "[" + String(repeating: "█", count: 6) + String(repeating: "░", count: 18) + "]"
        #expect(
            ProgressText.line("Applying", 25, of: 100, "operations", after: .seconds(10), showsBar: true)
                == "Applying  \(bar)  25/100 operations  2.5/s  0:30 left"
        )
        func plain(_ done: Int, of total: Int?, after time: Duration) -> String {
            ProgressText.line("Reading", done, of: total, "products", after: time, showsBar: false)
        }
        #expect(plain(250, of: nil, after: .seconds(10)) == "Reading  250 products  25/s")
        #expect(plain(0, of: 7, after: .zero) == "Reading  0/7 products")
    }

    @Test func `what goes on is a line where people should hear of it`() {
        let text = SessionEventText()
        func line(_ event: ExecutionEvent) -> SessionEventText.Line? { text.line(.execution(event)) }
        #expect(text.line(.began(.catalog)) == nil && text.line(.ended(.catalog)) == nil)
        #expect(SessionEvent.Phase.details.label == "Reading details")
        #expect(text.line(.note("\u{1B} a note")) == .note("\\u{1b} a note"))
        #expect(line(.settling(count: 2)) == .note("Looking for 2 creates whose reply was lost"))
        #expect(
            line(.slowed(width: 1, pause: .milliseconds(1500)))
                == .note("The market asks for less: 1 request at once, after 1.5 s")
        )
        #expect(line(.slowed(width: 2, pause: nil)) == .note("The market asks for less: 2 requests at once"))
        for status in [OperationResult.Status.done, .skipped] {
            #expect(line(.finished(Self.result(.create, status))) == nil)
        }
        #expect(
            line(.finished(Self.result(.create, .failed))) == .complaint("failed: create of 'lamp': no reason given")
        )
        guard case .complaint? = text.line(.possibleLimit(100)) else {
            Issue.record("a list that may be cut off has to be heard of")
            return
        }
    }

    @Test func `a look at a market is a line for each fact`() {
        let report = MarketReport(
            profiles: [.v1a, .v1b],
            isHealthy: false,
            pageTime: .microseconds(12_500),
            pageRows: 1,
            total: 1,
            credentials: .rejected("no\u{1B}")
        )
        #expect(
            report.text(of: "http://a.example") == """
                market       http://a.example
                api          v1a or v1b (they cannot be distinguished by reading)
                health       not healthy
                first page   1 product in 13 ms
                products     1
                credentials  rejected: no\\u{1b}

                """
        )
        #expect(report.document(of: "http://a.example")["credentials"]?["status"]?.text == "rejected")
        #expect(report.document(of: "http://a.example")["page_ms"] == .integer(13))
    }
}
