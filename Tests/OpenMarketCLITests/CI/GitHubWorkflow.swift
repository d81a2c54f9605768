import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
@testable import YAML

/// A workflow of `examples/ci/github`.
struct GitHubWorkflow {
    struct Step {
        var id: String?
        var uses: String?
        var run: String?
        var condition: String?
        var parameters: [String: String]
        var variables: [String: String]
    }

    struct Job {
        var steps: [Step]
        var variables: [String: String]
        var outputs: [String: String]
    }

    let jobs: [String: Job]

    init(_ file: String) throws {
        guard let root = try YAMLNode.parse(Array(try Recipes.text("examples/ci/github/\(file)").utf8)),
            let jobs = root["jobs"]?.pairs
        else { throw Recipes.Missing(description: "\(file) has no jobs") }
        let common = Self.texts(root["env"])
        self.jobs = Dictionary(
            uniqueKeysWithValues: jobs.map { pair in
                let job = pair.value
                let steps = (job["steps"]?.items ?? []).map { step in
                    Step(
                        id: step["id"]?.text,
                        uses: step["uses"]?.text,
                        run: step["run"]?.text,
                        condition: step["if"]?.text,
                        parameters: Self.texts(step["with"]),
                        variables: Self.texts(step["env"])
                    )
                }
                let variables = common.merging(Self.texts(job["env"])) { $1 }
                return (
                    pair.key.name, Job(steps: steps, variables: variables, outputs: Self.texts(job["outputs"]))
                )
            }
        )
    }

    private static func texts(_ node: YAMLNode?) -> [String: String] {
        Dictionary(uniqueKeysWithValues: (node?.pairs ?? []).map { ($0.key.name, $0.value.text ?? "") })
    }

    /// Every place at which a job can fail; the end of a step is the beginning of the next, unless its outcome counts.
    func failures(of job: String) -> [JobFailure] {
        let steps = jobs[job]?.steps ?? []
        return steps.indices.flatMap { step in
            let lines = steps[step].run?.split(separator: "\n").count ?? 0
            let hasEnd = lines > 0 && (steps[step].id != nil || step == steps.count - 1)
            return (0..<max(1, lines + (hasEnd ? 1 : 0))).map { JobFailure(job: job, step: step, line: $0) }
        }
    }
}

/// As much of GitHub Actions as the workflows use.
final class GitHubRunner: JobRunner {
    let workflow: GitHubWorkflow
    let machine: BuildMachine
    /// `push` or `pull_request`.
    let event: String
    /// What jobs gave out: `needs.plan.outputs.content`.
    private var outputs: [String: String] = [:]
    private var shop: CommandSandbox { machine.shop }

    init(_ workflow: GitHubWorkflow, _ machine: BuildMachine, event: String) {
        self.workflow = workflow
        self.machine = machine
        self.event = event
    }

    func run(_ name: String, failing failure: JobFailure? = nil, environment: [String: String] = [:]) async throws
        -> Bool
    {
        guard let job = workflow.jobs[name] else { throw Recipes.Missing(description: "there is no job \(name)") }
        machine.wipe()
        try machine.installPackaging()
        var isSound = true
        var outcomes: [String: String] = [:]
        var found: [String: String] = [:]
        for (index, step) in job.steps.enumerated() {
            let isDue = try isDue(step.condition, isSound: isSound, outcomes: outcomes)
            var succeeded = true
            if isDue {
                try shop.write("output", "")
                let line = failure?.job == name && failure?.step == index ? failure?.line : nil
                var variables = try job.variables.merging(step.variables) { $1 }.compactMapValues(value)
                variables["PACKAGE_SHA256"] = BuildMachine.packageSum
                succeeded = try await carryOut(step, failingAt: line, variables.merging(environment) { $1 })
                if !succeeded { isSound = false }
                for line in try shop.text("output").split(separator: "\n") {
                    let parts = line.split(separator: "=", maxSplits: 1)
                    found["steps.\(step.id ?? "").outputs.\(parts[0])"] = String(parts[1])
                }
            }
            if let id = step.id { outcomes[id] = isDue ? (succeeded ? "success" : "failure") : "skipped" }
        }
        for (output, expression) in job.outputs {
            outputs["needs.\(name).outputs.\(output)"] = found[Self.inner(expression)] ?? ""
        }
        return isSound
    }

    private static func inner(_ expression: String) -> String {
        expression.replacing("${{ ", with: "").replacing(" }}", with: "")
    }

    /// What a variable is set to; `nil` for secrets, which the shop's own variables have.
    private func value(_ text: String) throws -> String? {
        guard text.hasPrefix("${{") else { return text }
        switch Self.inner(text) {
        case "github.token": return "token"
        case "github.event.number": return "7"
        case let secret where secret.hasPrefix("secrets."): return nil
        case let output where output.hasPrefix("needs."): return outputs[output] ?? ""
        case let other: throw Recipes.Missing(description: "no value for \(other)")
        }
    }

    private func isDue(_ condition: String?, isSound: Bool, outcomes: [String: String]) throws -> Bool {
        switch condition {
        case nil: isSound
        case "github.event_name == 'pull_request'": isSound && event == "pull_request"
        case "always() && github.event_name == 'pull_request'": event == "pull_request"
        case "always() && steps.apply.outcome != 'skipped'": outcomes["apply"] != "skipped"
        case "always() && steps.plan.outcome == 'failure'": outcomes["plan"] == "failure"
        case let other?: throw Recipes.Missing(description: "if: \(other)")
        }
    }

    private func carryOut(_ step: GitHubWorkflow.Step, failingAt line: Int?, _ variables: [String: String]) async throws
        -> Bool
    {
        var variables = variables
        variables["GITHUB_STEP_SUMMARY"] = shop.folder + "/summary.md"
        variables["GITHUB_OUTPUT"] = shop.folder + "/output"
        variables["RUNNER_TEMP"] = shop.folder
        if let script = step.run {
            return try await machine.shell(script.failing(at: line), folder: machine.work, environment: variables) == 0
        }
        guard line != 0 else { return false }
        let artifact = "\(shop.folder)/artifacts/\(step.parameters["name"] ?? "")"
        // Actions are pinned by their commits.
        switch step.uses.map({ String($0.prefix { $0 != "@" }) }) {
        case "github/codeql-action/upload-sarif":
            let report = try JSONValue.parse(Array(try shop.read("runner/\(step.parameters["sarif_file"] ?? "")")))
            return report["version"]?.text == "2.1.0"
        case "actions/checkout": return try await machine.checkOut()
        case "actions/upload-artifact":
            try? FileManager.default.removeItem(atPath: artifact)
            try FileManager.default.createDirectory(atPath: artifact, withIntermediateDirectories: true)
            for path in (step.parameters["path"] ?? "").split(separator: "\n") {
                try FileManager.default.copyItem(atPath: "\(machine.work)/\(path)", toPath: "\(artifact)/\(path)")
            }
            return true
        case "actions/download-artifact":
            return try await machine.shell("cp '\(artifact)'/* .", folder: machine.work) == 0
        case let other: throw Recipes.Missing(description: "uses: \(other ?? "nothing")")
        }
    }
}
