import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// The pipelines of `examples/ci/gitlab`, run as they are there, each line failing once.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct GitLabTests {
    private static let shared = "shared-state.gitlab-ci.yml"

    private func push(
        _ runner: GitLabRunner,
        failing failure: JobFailure? = nil,
        environment: [String: String] = [:]
    ) async throws -> Bool {
        for job in ["validate", "plan", "apply"] {
            guard try await runner.run(job, failing: failure, environment: environment) else { return false }
        }
        return true
    }

    @Test(
        arguments: try ["plan", "apply"].flatMap { try GitLabPipeline().failures(of: $0) }
    )
    func `whatever line fails, nothing is listed twice and no state is lost`(failure: JobFailure) async throws {
        try await BuildMachine.withRepository { machine in
            let runner = GitLabRunner(try GitLabPipeline(), machine)
            _ = try await push(runner, failing: failure)
            let listed = try await machine.names()
            #expect(Set(listed).count == listed.count, "\(failure)")
            #expect(try await machine.committed().count == 2, "\(failure)")

            // The job is retried: the plan is the artifact of before.
            if failure.job == "plan" { #expect(try await runner.run("plan"), "\(failure)") }
            _ = try await runner.run("apply")
            #expect(try await machine.names() == ["Blue mug", "Round fan"], "\(failure)")

            // The next push.
            #expect(try await push(runner), "\(failure)")
            #expect(try await machine.names() == ["Blue mug", "Round fan"], "\(failure)")
            let plan = try await machine.shell("openmarket plan --detailed-exitcode", folder: machine.work)
            #expect(plan == 0, "\(failure)")
            #expect(try await machine.committed() == ["fan", "mug"], "\(failure)")
        }
    }

    /// Here the shared state is a file outside of the repository: to the jobs it is the same.
    @Test(arguments: try [nil] + GitLabPipeline(shared).failures(of: "apply"))
    func `with a shared state nothing moves it, whichever line fails`(failure: JobFailure?) async throws {
        try await BuildMachine.withRepository { machine in
            let environment = ["OPENMARKET_STATE": machine.shop.folder + "/shared.db"]
            let copy = "openmarket state copy seller/.openmarket/state.db \"$OPENMARKET_STATE\""
            #expect(try await machine.shell(copy, folder: machine.shop.folder, environment: environment) == 0)
            let runner = GitLabRunner(try GitLabPipeline(Self.shared), machine)
            #expect(try await push(runner, failing: failure, environment: environment) == (failure == nil))
            let listed = try await machine.names()
            #expect(Set(listed).count == listed.count)
            // The next push.
            #expect(try await push(runner, environment: environment))
            #expect(try await machine.names() == ["Blue mug", "Round fan"])
            for job in ["export", "drift"] {
                let succeeded = try await runner.run(job, environment: environment)
                #expect(succeeded, "\(job)")
            }
        }
    }

    @Test(arguments: [".gitlab-ci.yml", shared])
    func `a job begins with the package that is named, and ends there where its sum is another`(file: String)
        async throws
    {
        try await CommandSandbox.open { shop in
            let machine = BuildMachine(shop: shop)
            try machine.installPackaging()
            let script = try GitLabPipeline(file).preparation.joined(separator: "\n")
                .replacing("/tmp/openmarket.deb", with: shop.folder + "/openmarket.deb")
            let address = ["PACKAGE_URL": "https://example.com/o.deb"]
            for (sum, succeeds) in [(BuildMachine.packageSum, true), (String(repeating: "0", count: 64), false)] {
                try shop.write("installed", "")
                let status = try await machine.shell(
                    script,
                    folder: shop.folder,
                    environment: address.merging(["PACKAGE_SHA256": sum]) { $1 }
                )
                #expect((status == 0) == succeeds)
                let install = "apt-get install -qq -y \(shop.folder)/openmarket.deb\n"
                #expect(try shop.text("installed").hasSuffix(install) == succeeds)
            }
        }
    }

    @Test func `a schedule exports the catalog, and fails when it was changed`() async throws {
        try await BuildMachine.withRepository { machine in
            let runner = GitLabRunner(try GitLabPipeline(), machine)
            #expect(try await push(runner))
            try machine.shop.server.setFaults()
            for job in ["export", "drift"] {
                #expect(try await runner.run(job))
                for failure in runner.pipeline.failures(of: job) {
                    #expect(try await runner.run(job, failing: failure) == false, "\(failure)")
                }
            }
            let catalog = try StrictCSV(try machine.shop.read("artifacts/catalog.csv"))
            #expect(catalog.rows.compactMap { $0["name"] }.sorted() == ["Blue mug", "Round fan"])
            #expect(try machine.shop.server.writes() == [])
        }
    }

    /// The notes of a merge request: POST adds one, PUT changes it, GET lists them; each is a file.
    private static let notes = """
        import http.server, json, os
        class Notes(http.server.BaseHTTPRequestHandler):
            def answer(self, body):
                self.send_response(200); self.end_headers(); self.wfile.write(json.dumps(body).encode())
            def take(self):
                assert self.headers["PRIVATE-TOKEN"] == "token"
                return json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
            def do_GET(self):
                self.answer([{"id": int(n), "body": open(n).read()} for n in sorted(os.listdir("."))])
            def do_POST(self):
                assert self.path == "/projects/3/merge_requests/7/notes"
                open(str(len(os.listdir(".")) + 1), "w").write(self.take()); self.answer({})
            def do_PUT(self):
                open(self.path.removeprefix("/projects/3/merge_requests/7/notes/"), "w").write(self.take()); self.answer({})
            def log_message(self, *_): pass
        os.makedirs("notes"); os.chdir("notes"); open("1", "w").write("Looks good.")
        server = http.server.HTTPServer(("127.0.0.1", 0), Notes)
        open("../port.new", "w").write(str(server.server_port)); os.rename("../port.new", "../port")
        server.serve_forever()
        """

    private static var hasTools: Bool {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return ["python3", "curl", "jq"].allSatisfy { tool in
            path.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
        }
    }

    @Test(.enabled(if: hasTools, "python3, curl and jq are needed"))
    func `a merge request has one note, which each push brings up to date`() async throws {
        try await BuildMachine.withRepository { machine in
            let runner = GitLabRunner(try GitLabPipeline(), machine)
            try machine.shop.write("notes.py", Self.notes)
            // The server ends with the shell.
            try machine.install(
                "with-notes",
                "#!/bin/bash\ncd '\(machine.shop.folder)'; rm -rf notes port; python3 notes.py & trap \"kill $!\" EXIT\n"
                    + "until [ -s port ]; do :; done\n"
                    + "export CI_API_V4_URL=http://127.0.0.1:$(cat port); cd runner; bash -e script; bash -e script\n"
            )
            #expect(try await runner.run("plan"))
            let script = try #require(runner.pipeline.jobs["note"]?.script)
            try machine.shop.write("runner/script", script.joined(separator: "\n") + "\n")
            let status = try await machine.shell(
                "with-notes",
                folder: machine.work,
                environment: ["CI_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "7", "CATALOG_TOKEN": "token"]
            )
            #expect(status == 0)
            #expect(try machine.shop.text("notes/1") == "Looks good.")
            #expect(try machine.shop.text("notes/2").hasPrefix("<!-- openmarket -->\n\n"))
            #expect(try machine.shop.text("notes/2").contains("1 to add"))
            #expect(!machine.shop.exists("notes/3"))
        }
    }
}
