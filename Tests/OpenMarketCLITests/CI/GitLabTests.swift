import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// The pipelines of `examples/ci/gitlab`, run as they are there, each line failing once.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct GitLabTests {
    private static let shared = "shared-state.gitlab-ci.yml"

    /// A push without a failure, and one for each line.
    private static func pushes() throws -> [FailingPush] {
        let catalog = try GitLabPipeline()
        return FailingPush.each(".gitlab-ci.yml", catalog.failures(of: "plan") + catalog.failures(of: "apply"))
            + FailingPush.each(shared, sharesState: true, try GitLabPipeline(shared).failures(of: "apply"))
    }

    @Test(arguments: try pushes())
    func `whatever line of a push fails, nothing is listed twice and no state is lost`(push: FailingPush) async throws {
        try await BuildMachine.withRepository { machine in
            let environment = push.sharesState ? try await machine.shareState() : [:]
            let runner = GitLabRunner(try GitLabPipeline(push.file), machine)
            try await runner.expectWhole(after: push, environment: environment)
            guard push.sharesState else { return }
            for job in ["export", "drift"] {
                #expect(try await runner.run(job, environment: environment), "\(job)")
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
            #expect(try await runner.push())
            try await runner.expectNight(exporting: "catalog.csv", failingAt: runner.pipeline.failures(of:))
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
