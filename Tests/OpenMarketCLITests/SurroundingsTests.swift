import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// A system that lacks something, or limits it.
struct SurroundingsTests {
    @Test func `a bare call shows the help, and is an error`() async throws {
        try await CommandSandbox.open { shop in
            let output = try await shop.sh("openmarket")
            #expect(output.status == 64)
            #expect(output.text.contains("SUBCOMMANDS"))
        }
    }

    #if os(Linux)
    @Test func `a process that cannot read its arguments says so`() async throws {
        try await CommandSandbox.open { shop in
            let hidden = "unshare -rm sh -c 'mount -t tmpfs none /proc && exec \"$0\" \"$@\"'"
            // Not every machine lets its users make namespaces.
            guard try await shop.sh("\(hidden) true").status == 0 else { return }
            for line in ["export", "plan --json", "--version", ""] {
                let output = try await shop.sh("\(hidden) '\(Openmarket.path)' \(line)")
                #expect(output.status == 1, "\(line)")
                #expect(output.text.isEmpty, "\(line)")
                #expect(output.errorText.hasPrefix("error: the arguments cannot be read"), "\(line)")
            }
        }
    }

    @Test func `lines that a full disk did not take make the command fail, when it is done`() async throws {
        try await CommandSandbox.open { shop in
            let applied = try await shop.sh("openmarket apply --yes --json >/dev/full")
            #expect(applied.status == 1)
            #expect(try await shop.sh("openmarket plan --detailed-exitcode").status == 0)
            #expect(try await shop.sh("ls .openmarket/runs/*.json").status == 0)
            let exported = try await shop.sh("openmarket export --json -o catalog.csv >/dev/full")
            #expect(exported.status == 1)
            #expect(try await shop.sh("openmarket export --verify catalog.csv").status == 0)
            // A reader that stops is no fault.
            let unread = "{ openmarket export --json -o catalog.csv; echo $? >status; } | true; cat status"
            #expect(try await shop.sh(unread).text == "0\n")
        }
    }
    #endif
}
