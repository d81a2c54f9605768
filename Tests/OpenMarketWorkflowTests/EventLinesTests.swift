@testable import OpenMarket
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// The lines of NDJSON that programs read of a session.
struct EventLinesTests {
    private static let run = RunID(rawValue: "r1")
    private static let version = #"{"type":"version","format_version":1,"tool":"openmarket 1"}"#

    private static func lines(_ events: [SessionEvent]) -> [String] {
        var lines = EventLines(tool: "1")
        return events.flatMap { lines.lines($0) }.map { String(decoding: $0.bytes(), as: UTF8.self) }
    }

    @Test func `a run begins with the version`() {
        let joined = Self.lines([.runJoined(Self.run, operations: 7)])
        #expect(joined == [Self.version, #"{"type":"joined","run":"r1","operation_count":7}"#])
        let begun = Self.lines([.runBegan(Self.run, operations: 0, PlanSummary())])
        #expect(begun.count == 2 && begun.first == Self.version)
        #expect(begun.last?.hasPrefix(#"{"type":"planned","run":"r1","summary":{"#) == true)
    }

    @Test func `an export says how far it is with every thousand rows`() {
        let counts = [999, 1, 500, 2600, 0, 899, 1]
        let events = [SessionEvent.began(.export)] + counts.map { .advanced(.export, by: $0, total: 5000) }
        let progress = [1000, 4100, 5000].map { #"{"type":"progress","rows":\#($0)}"# }
        #expect(Self.lines(events) == [Self.version] + progress)
    }

    @Test func `what people alone are shown has no line`() {
        let events: [SessionEvent] = [
            .began(.catalog), .advanced(.catalog, by: 5000, total: nil), .ended(.catalog), .note("Kept 2 pages"),
            .possibleLimit(100), .ended(.export), .shopPage("https://a.example"),
        ]
        #expect(Self.lines(events) == [])
    }

    @Test func `a row that could not be read is named`() {
        let problem = RowProblem(id: nil, place: "page 1, row 2", message: "no id")
        #expect(
            Self.lines([.problem(problem)]) == [#"{"type":"problem","position":"page 1, row 2","message":"no id"}"#]
        )
    }

    @Test func `a request that would be sent names its operation`() {
        let operation = PlannedOperation(
            key: "chair",
            reason: "gone",
            source: nil,
            secret: nil,
            work: .delete(PlannedOperation.Deletion(id: 9, live: ProductValues(name: "Chair")))
        )
        let line = operation.event(of: .object(of: ("method", .string("DELETE"))))
        let text = #"{"type":"request","key":"chair","action":"delete","request":{"method":"DELETE"}}"#
        #expect(String(decoding: line.bytes(), as: UTF8.self) == text)
    }
}
