import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A disk that is full or read-only, and a state file that cannot be used.
@Suite(.timeLimit(.minutes(5)))
struct DiskTests {
    /// Counts every request, and disturbs none.
    static let counting = "rules:\n  - {probability: 0, fault: {latency: 0s}}\n"

    /// Ways to spoil a state file, and what is said about each.
    enum Damage: String, CaseIterable, Sendable {
        case garbage = "is damaged"
        case empty = "it is empty"
        case torn = "damaged"
        case newer = "was written by a newer openmarket"

        func spoil(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            switch self {
            case .garbage: return Array(repeating: 0x5A, count: 5000)
            case .empty: return []
            // The first page stays, so only a look at the whole file finds it.
            case .torn: bytes.replaceSubrange(4096..<bytes.count, with: repeatElement(0xA5, count: bytes.count - 4096))
            // SQLite keeps PRAGMA user_version here.
            case .newer: bytes.replaceSubrange(60..<64, with: [0, 0, 0, 99])
            }
            return bytes
        }
    }

    @Test(arguments: Damage.allCases)
    func `a state that cannot be used is refused before the first request, and stays as it is`(
        damage: Damage
    ) async throws {
        try await ReliabilitySandbox.open("v2b", .plain(3)) { sandbox in
            try await sandbox.applyUntilDone()
            let good = try sandbox.read(".openmarket/state.db")
            let bad = damage.spoil(good)
            try sandbox.write(".openmarket/state.db", bad)
            try sandbox.want(.plain(4))
            try sandbox.server.setFaults(Self.counting)
            for arguments in [["apply", "--yes"], ["plan"], ["state", "list"]] {
                // A torn page may lie where a reader never looks.
                if damage == .torn, arguments != ["apply", "--yes"] { continue }
                let output = try await sandbox.program(arguments).run()
                #expect(output.status == 1, "\(arguments)")
                #expect(output.errorText.contains(damage.rawValue), "\(output.errorText)")
                #expect(output.errorText.contains("state.db"))
            }
            #expect(try sandbox.server.seen() == [0])
            #expect(try sandbox.read(".openmarket/state.db") == bad)

            // With the file back, all is as before.
            try sandbox.write(".openmarket/state.db", good)
            try await sandbox.applyUntilDone()
            var view = MarketView(sandbox.server, "v2b")
            try await sandbox.expectExactly(.plain(4), Neighbours(of: sandbox), &view, "restored")
        }
    }

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

    @Test(.enabled(if: geteuid() != 0, "root may write anywhere"))
    func `a folder that is read-only is refused before the first request`() async throws {
        try await ReliabilitySandbox.open("v2b", .plain(3), faults: Self.counting) { sandbox in
            let output = try await sandbox.sh(
                "mkdir locked && chmod 555 locked && openmarket apply --yes --state locked/s.db"
            )
            #expect(output.status == 1)
            #expect(output.errorText.contains("locked"), "\(output.errorText)")
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
