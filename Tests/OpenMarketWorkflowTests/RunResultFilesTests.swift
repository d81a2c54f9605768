@testable import OpenMarket
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketWorkflow

/// Which results of runs are dropped.
struct RunResultFilesTests: ~Copyable {
    let folder = try! TemporaryDirectory()

    @Test func `the oldest results go, and no file that is not one`() throws {
        let own = [
            "marathon-000.json", "2020.json", "20261121T093000Z.json", "20261121T093000Z-00000g.json", "notes.txt",
        ]
        for name in own { try folder.write(name, Array("{}".utf8)) }
        let files = RunResultFiles(in: folder.path, keeping: 2)
        for second in 0..<4 {
            _ = try files.write(
                RunResult(
                    run: RunID(rawValue: "20261121T09300\(second)Z-00000a"),
                    totals: RunTotals(),
                    operations: [],
                    endedBy: nil,
                    snapshot: StateSnapshot()
                )
            )
        }
        #expect(
            FileSystem.names(in: folder.path)?.sorted()
                == (own + ["20261121T093002Z-00000a.json", "20261121T093003Z-00000a.json"]).sorted()
        )
    }
}
