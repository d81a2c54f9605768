@testable import OpenMarketTestSupport
import Testing

/// The workflows of `examples/ci/github`, run as they are there, each line failing once.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct GitHubTests {
    private func runner(_ machine: BuildMachine, event: String = "push") throws -> GitHubRunner {
        GitHubRunner(try GitHubWorkflow("catalog.yml"), machine, event: event)
    }

    private func push(_ runner: GitHubRunner, failing failure: JobFailure? = nil) async throws -> Bool {
        for job in ["validate", "plan", "apply"] {
            guard try await runner.run(job, failing: failure) else { return false }
        }
        return true
    }

    @Test func `a push is planned, applied, and its state committed`() async throws {
        try await BuildMachine.withRepository { machine in
            let runner = try runner(machine)
            #expect(try await push(runner))
            #expect(try machine.shop.text("summary.md").contains("1 to add"))
            #expect(try await machine.names() == ["Blue mug", "Round fan"])
            #expect(try await machine.committed() == ["fan", "mug"])
            // Once more changes nothing.
            #expect(try await push(runner))
            #expect(try await machine.names() == ["Blue mug", "Round fan"])
        }
    }

    @Test(
        arguments: try ["plan", "apply"].flatMap { try GitHubWorkflow("catalog.yml").failures(of: $0) }
    )
    func `whatever line fails, nothing is listed twice and no state is lost`(failure: JobFailure) async throws {
        try await BuildMachine.withRepository { machine in
            let runner = try runner(machine)
            _ = try await push(runner, failing: failure)
            let listed = try await machine.names()
            #expect(Set(listed).count == listed.count, "\(failure)")
            #expect(try await machine.committed().count == 2, "\(failure)")

            // "Re-run failed jobs": the plan is the artifact of before.
            if failure.job == "plan" { #expect(try await runner.run("plan"), "\(failure)") }
            _ = try await runner.run("apply")
            #expect(try await machine.names() == ["Blue mug", "Round fan"], "\(failure)")
            #expect(try await !machine.committed().isEmpty, "\(failure)")

            // The next push.
            #expect(try await push(runner), "\(failure)")
            #expect(try await machine.names() == ["Blue mug", "Round fan"], "\(failure)")
            let plan = try await machine.shell("openmarket plan --detailed-exitcode", folder: machine.work)
            #expect(plan == 0, "\(failure)")
            #expect(try await machine.committed() == ["fan", "mug"], "\(failure)")
        }
    }

    /// Here the shared state is a file outside of the repository: to the jobs it is the same.
    @Test func `with a shared state nothing moves it, whichever line fails`() async throws {
        let workflow = try GitHubWorkflow("catalog-shared-state.yml")
        let failures: [JobFailure?] = [nil] + workflow.failures(of: "apply")
        for failure in failures {
            try await BuildMachine.withRepository { machine in
                let state = machine.shop.folder + "/shared.db"
                let environment = ["OPENMARKET_STATE": state]
                let moved = "openmarket state copy seller/.openmarket/state.db '\(state)'"
                #expect(try await machine.shell(moved, folder: machine.shop.folder) == 0)
                let runner = GitHubRunner(workflow, machine, event: "push")
                for job in ["validate", "plan", "apply"] {
                    guard try await runner.run(job, failing: failure, environment: environment) else { break }
                }
                let listed = try await machine.names()
                #expect(Set(listed).count == listed.count, "\(String(describing: failure))")
                // The next push.
                for job in ["validate", "plan", "apply"] {
                    #expect(
                        try await runner.run(job, environment: environment),
                        "\(job) after \(String(describing: failure))"
                    )
                }
                #expect(try await machine.names() == ["Blue mug", "Round fan"])
                let plan = "OPENMARKET_STATE='\(state)' openmarket plan --detailed-exitcode"
                #expect(try await machine.shell(plan, folder: machine.work) == 0)
            }
        }
    }

    @Test(arguments: [
        ("catalog.yml", ["validate", "plan", "apply"]), ("catalog-shared-state.yml", ["validate", "plan", "apply"]),
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
            #expect(try await push(runner, failing: last) == false)
            #expect(try await runner.run("apply") == false)
            #expect(try await machine.names() == ["Blue mug", "Round fan"])
            #expect(try await runner.run("plan") == false)
            let adopt = ["OPENMARKET_ADOPT": "1"]
            #expect(try await runner.run("plan", environment: adopt))
            #expect(try await runner.run("apply", environment: adopt))
            #expect(try await machine.names() == ["Blue mug", "Round fan"])
            #expect(try await machine.committed() == ["fan", "mug"])
        }
    }

    @Test func `a night exports the catalog, and fails when it was changed or any line does`() async throws {
        try await BuildMachine.withRepository { machine in
            #expect(try await push(try runner(machine)))
            try machine.shop.server.setFaults()
            let night = GitHubRunner(try GitHubWorkflow("nightly.yml"), machine, event: "schedule")
            for job in ["export", "drift"] {
                #expect(try await night.run(job))
                for failure in night.workflow.failures(of: job) where failure.step < 4 {
                    #expect(try await night.run(job, failing: failure) == false, "\(failure)")
                }
            }
            let catalog = try StrictCSV(try machine.shop.read("artifacts/catalog/catalog.csv"))
            #expect(catalog.rows.compactMap { $0["name"] }.sorted() == ["Blue mug", "Round fan"])
            #expect(machine.shop.exists("artifacts/catalog/catalog.csv.certificate.json"))
            #expect(try machine.shop.server.writes() == [])

            // A manifest is another one, with the same state.
            let script = "sed -i 's/13000/14000/' openmarket.yaml\nopenmarket apply --yes"
            #expect(try await machine.shell(script, folder: machine.work) == 0)
            try machine.shop.write("summary.md", "")
            #expect(try await night.run("drift") == false)
            #expect(try machine.shop.text("summary.md").contains("14,000"))
        }
    }
}
