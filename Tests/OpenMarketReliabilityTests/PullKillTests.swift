import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// The real program, killed at every third request of a pull, at each of them with ``TestScope/isAll``: each time in a
/// folder of its own.
@Suite(.timeLimit(.minutes(5)))
struct PullKillTests {
    @Test func `a pull that is killed is finished by the next, with the same files and state`()
        async throws
    {
        try await concurrently(["v1b", "v2b"]) { api in
            try await ReliabilitySandbox.open(api, .plain(8)) { sandbox in
                try await sandbox.applyUntilDone()
                // Meets nothing, and counts.
                try sandbox.server.setFaults("rules:\n  - {path: \"*\", nth: 100000, fault: {latency: 1ms}}\n")
                let undisturbed = try Folder("undisturbed", in: sandbox)
                #expect(try await undisturbed.pull().run().status == 0)
                let requests = try #require(try sandbox.server.seen().first)
                // The list, and each product and its picture at least.
                try #require(requests > 16)
                let files = try undisturbed.files()
                let state = try await undisturbed.program("state", "export").run().text
                #expect(try await undisturbed.program("plan").run().text == "No changes.\n")

                let step = TestScope.isAll ? 1 : 3
                for request in stride(from: api == "v1b" ? 1 : 2, through: requests, by: step) {
                    try sandbox.server.setFaults(
                        "rules:\n  - {path: \"*\", nth: \(request), fault: {latency: 3600s}}\n"
                    )
                    let folder = try Folder("\(request)", in: sandbox)
                    let killed = try await folder.pull().run { process in
                        try await sandbox.waitUntil { try sandbox.server.fired() == [1] }
                        process.send(.kill)
                    }
                    #expect(killed.output.status == 128 + 9)
                    try sandbox.server.setFaults()
                    let next = try await folder.pull().run()
                    let name: Comment = "\(api), killed at request \(request): \(next.errorText)"
                    #expect(next.status == 0, name)
                    #expect(try folder.files() == files, name)
                    #expect(try await folder.program("state", "export").run().text == state, name)
                    #expect(try sandbox.server.writes() == [], name)
                }
            }
        }
    }

    @Test func `a run that is killed between two pictures that it keeps sent nothing, and the next keeps the others`()
        async throws
    {
        try await concurrently(["v1b", "v2b"]) { api in
            try await ReliabilitySandbox.open(api, .plain(6)) { sandbox in
                try await sandbox.applyUntilDone()
                try sandbox.want(.plain(3))
                func kept() -> [String] {
                    let names = try? FileManager.default.contentsOfDirectory(
                        atPath: sandbox.folder + "/.openmarket/kept"
                    )
                    return (names ?? []).filter { $0.count == 64 }
                }
                let path = api == "v1b" ? "/images/*" : "/training-resources/*"
                for count in 1...2 {
                    try sandbox.server.setFaults(
                        "rules:\n  - {path: \"\(path)\", nth: 2, fault: {latency: 3600s}}\n"
                    )
                    let killed = try await sandbox.program(["apply", "--yes", "--parallelism", "1"]).run { process in
                        try await sandbox.waitUntil { try sandbox.server.fired() == [1] }
                        process.send(.kill)
                    }
                    #expect(killed.output.status == 128 + 9)
                    #expect(try sandbox.server.writes().allSatisfy(\.isQuestion))
                    #expect(kept().count == count, "\(api)")
                }
                try sandbox.server.setFaults()
                try await sandbox.applyUntilDone()
                #expect(kept().count == 3, "\(api)")
            }
        }
    }

    /// A folder that a shop is pulled into.
    private struct Folder {
        let sandbox: ReliabilitySandbox
        let path: String

        init(_ name: String, in sandbox: ReliabilitySandbox) throws {
            self.sandbox = sandbox
            path = sandbox.folder + "/pulled/" + name
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try Data("mine".utf8).write(to: URL(fileURLWithPath: path + "/notes.txt"))
        }

        func program(_ arguments: String...) -> Program {
            var program = sandbox.program(arguments)
            program.folder = path
            return program
        }

        func pull() -> Program { program("pull", "--adopt") }

        /// What is in every file but the state's, and where every link leads.
        func files() throws -> [String: [UInt8]] {
            let manager = FileManager.default
            var files: [String: [UInt8]] = [:]
            for name in try manager.subpathsOfDirectory(atPath: path) where !name.hasPrefix(".openmarket") {
                let file = path + "/" + name
                if let target = try? manager.destinationOfSymbolicLink(atPath: file) {
                    files[name] = Array("→ \(target)".utf8)
                } else {
                    // A folder has no bytes.
                    files[name] = (try? Data(contentsOf: URL(fileURLWithPath: file))).map { [UInt8]($0) } ?? []
                }
            }
            return files
        }
    }
}
