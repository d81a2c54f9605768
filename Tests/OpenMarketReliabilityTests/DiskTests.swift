@testable import OpenMarketTestSupport
import Testing

/// A disk that is full, and a place where no state can be.
@Suite(.timeLimit(.minutes(5)))
struct DiskTests {
    /// Counts every request, and disturbs none.
    static let counting = "rules:\n  - {probability: 0, fault: {latency: 0s}}\n"

    @Test
    func `a place where no state can be is refused before the first request`() async throws {
        try await ReliabilitySandbox.open("v2b", .plain(3), faults: Self.counting) { sandbox in
            // A folder under a file; not even root may write there.
            let output = try await sandbox.openmarket("apply", "--yes", "--state", "openmarket.yaml/state.db")
            #expect(output.status == 1)
            #expect(output.errorText.contains("openmarket.yaml"), "\(output.errorText)")
            #expect(try sandbox.server.seen() == [0])
        }
    }

    /// No file may grow beyond a limit, from none at all to enough: wherever the disk is full, the run says so and
    /// sends nothing that it cannot write down, and the next run with room completes.
    @Test(arguments: [8, 64, 128, 160, 192, 200, 208, 224, 256, 320])
    func `a disk that is full stops the run, and the next one completes it`(blocks: Int) async throws {
        try await ReliabilitySandbox.open("v2b", .plain(30), faults: Self.counting) { sandbox in
            var view = MarketView(sandbox.server, "v2b")
            let output = try await sandbox.sh(
                "trap '' XFSZ; ulimit -f \(blocks); openmarket apply --yes --parallelism 4"
            )
            if output.status != 0 {
                #expect(output.status == 1)
                #expect(output.errorText.contains("state.db"), "\(output.errorText)")
            }
            if blocks == 8 {
                #expect(output.status == 1)
                #expect(try sandbox.server.seen() == [0])
            }
            let made = try view.ids().count
            try await sandbox.applyUntilDone()
            try await sandbox.expectExactly(
                .plain(30),
                Neighbours(of: sandbox),
                &view,
                "\(blocks) blocks: exit \(output.status), \(made) made before it was full"
            )
        }
    }
}
