@testable import OpenMarketTestSupport
import Testing

/// The workflows of `examples/ci/github`, run as they are there, each line failing once.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct GitHubTests {
    private static let shared = "catalog-shared-state.yml"

    private func runner(_ machine: BuildMachine, event: String = "push") throws -> GitHubRunner {
        GitHubRunner(try GitHubWorkflow("catalog.yml"), machine, event: event)
    }

    /// A push without a failure, and one for each line.
    private static func pushes() throws -> [FailingPush] {
        let catalog = try GitHubWorkflow("catalog.yml")
        return FailingPush.each("catalog.yml", catalog.failures(of: "plan") + catalog.failures(of: "apply"))
            + FailingPush.each(shared, sharesState: true, try GitHubWorkflow(shared).failures(of: "apply"))
    }

    @Test(arguments: try pushes())
    func `whatever line of a push fails, nothing is listed twice and no state is lost`(push: FailingPush) async throws {
        try await BuildMachine.withRepository { machine in
            let environment = push.sharesState ? try await machine.shareState() : [:]
            let runner = GitHubRunner(try GitHubWorkflow(push.file), machine, event: "push")
            try await runner.expectWhole(after: push, environment: environment)
            if push.failure == nil { #expect(try machine.shop.text("summary.md").contains("1 to add")) }
        }
    }

    @Test(arguments: [
        ("catalog.yml", ["validate", "plan", "apply"]), (shared, ["validate", "plan", "apply"]),
        ("nightly.yml", ["export", "drift"]),
    ])
    func `every job installs the package that is named, and none with another sum`(file: String, jobs: [String])
        async throws
    {
        try await BuildMachine.withRepository { machine in
            let runner = GitHubRunner(try GitHubWorkflow(file), machine, event: "push")
            #expect(Set(runner.workflow.jobs.keys) == Set(jobs))
            for job in jobs {
                try machine.shop.write("installed", "")
                let other = ["PACKAGE_SHA256": String(repeating: "0", count: 64)]
                #expect(try await runner.run(job, environment: other) == false, "\(job)")
                let deb = machine.shop.folder + "/openmarket.deb"
                let fetched = "curl -fsSLo \(deb) https://example.com/openmarket_0.1.0_amd64.deb\n"
                #expect(try machine.shop.text("installed") == fetched, "\(job)")
                try machine.shop.write("installed", "")
                let shared = machine.shop.folder + "/seller/.openmarket/state.db"
                let environment = file.contains("shared") ? ["OPENMARKET_STATE": shared] : [:]
                #expect(try await runner.run(job, environment: environment) == (job != "drift"), "\(job)")
                let installed = fetched + "sudo apt-get install -qq -y \(deb)\n"
                #expect(try machine.shop.text("installed") == installed, "\(job)")
            }
        }
    }

    @Test func `another plan than the one that was approved is not applied`() async throws {
        try await BuildMachine.withRepository { machine in
            let runner = try runner(machine)
            #expect(try await runner.run("plan"))
            let plan = try machine.shop.text("artifacts/plan/plan.json")
            let other = plan.replacing("13000", with: "12000")
            #expect(other != plan)
            try machine.shop.write("artifacts/plan/plan.json", other)
            try machine.shop.server.setFaults()
            #expect(try await runner.run("apply") == false)
            #expect(try machine.shop.server.writes() == [])
        }
    }

    @Test func `a pull request gets its plan as a comment and as a page, and nothing is written`() async throws {
        try await BuildMachine.withRepository { machine in
            try machine.install(
                "gh",
                "#!/bin/sh\nfor file; do :; done\nprintf '%s\\n' \"$GH_TOKEN\" \"$@\" > ../comment; cat \"$file\" > ../comment.md\n"
            )
            try machine.shop.server.setFaults()
            let runner = try runner(machine, event: "pull_request")
            #expect(try await runner.run("validate"))
            #expect(try await runner.run("plan"))
            #expect(
                try machine.shop.text("comment")
                    == "token\npr\ncomment\n7\n--edit-last\n--create-if-none\n--body-file\nplan.md\n"
            )
            #expect(try machine.shop.text("comment.md").contains("1 to add"))
            #expect(try machine.shop.text("artifacts/plan/plan.html").hasPrefix("<!doctype html>"))
            #expect(try machine.shop.server.writes() == [])
        }
    }

    @Test func `on v1, where it cannot be read whose a product is, a state that was not pushed stops the next plan`()
        async throws
    {
        try await BuildMachine.withRepository("v1b") { machine in
            let runner = try runner(machine)
            let last = try #require(runner.workflow.failures(of: "apply").last { $0.line == 0 })
            #expect(try await runner.push(failing: last) == false)
            #expect(try await runner.run("apply") == false)
            #expect(try await machine.shop.names() == ["Blue mug", "Round fan"])
            #expect(try await runner.run("plan") == false)
            // A refused plan takes the place of the last comment.
            try machine.install("gh", "#!/bin/sh\nfor file; do :; done\ncat \"$file\" > ../comment.md\n")
            let request = GitHubRunner(runner.workflow, machine, event: "pull_request")
            #expect(try await request.run("plan") == false)
            #expect(try machine.shop.text("comment.md").contains("would be created"))
            let adopt = ["OPENMARKET_ADOPT": "1"]
            #expect(try await runner.run("plan", environment: adopt))
            #expect(try await runner.run("apply", environment: adopt))
            #expect(try await machine.shop.names() == ["Blue mug", "Round fan"])
            #expect(try await machine.committed() == ["fan", "mug"])
        }
    }

    @Test func `a night exports the catalog, and fails when it was changed or any line does`() async throws {
        try await BuildMachine.withRepository { machine in
            #expect(try await runner(machine).push())
            let night = GitHubRunner(try GitHubWorkflow("nightly.yml"), machine, event: "schedule")
            try await night.expectNight(exporting: "catalog/catalog.csv") { job in
                night.workflow.failures(of: job).filter { $0.step < 4 }
            }
            #expect(machine.shop.exists("artifacts/catalog/catalog.csv.certificate.json"))

            // A manifest is another one, with the same state.
            let script = "sed -i 's/13000/14000/' openmarket.yaml\nopenmarket apply --yes"
            #expect(try await machine.shell(script, folder: machine.work) == 0)
            try machine.shop.write("summary.md", "")
            #expect(try await night.run("drift") == false)
            #expect(try machine.shop.text("summary.md").contains("14,000"))
        }
    }
}
