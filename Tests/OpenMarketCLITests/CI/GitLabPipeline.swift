import FoundationEssentials
@testable import OpenMarketTestSupport
@testable import YAML

/// A pipeline of `examples/ci/gitlab`.
struct GitLabPipeline {
    struct Job {
        /// The lines of `script`; those of one entry run in one shell with the others.
        var script: [String]
        var afterScript: [String]
        var variables: [String: String]
        var artifacts: [String]
        var dotenv: String?
    }

    let jobs: [String: Job]
    /// What every job begins with, on a machine that has nothing.
    let preparation: [String]

    init(_ file: String = ".gitlab-ci.yml") throws {
        let text = try Recipes.text("examples/ci/gitlab/\(file)")
        preparation = try Self.lines(YAMLNode.parse(Array(text.utf8))?["default"]?["before_script"])
        var jobs: [String: Job] = [:]
        for pair in try YAMLNode.parse(Array(text.utf8))?.pairs ?? [] {
            let job = pair.value
            guard let script = job["script"] else { continue }
            jobs[pair.key.name] = Job(
                script: try Self.lines(script),
                afterScript: try Self.lines(job["after_script"]),
                variables: Dictionary(
                    uniqueKeysWithValues: (job["variables"]?.pairs ?? []).map {
                        ($0.key.name, $0.value.text ?? "")
                    }
                ),
                artifacts: (job["artifacts"]?["paths"]?.items ?? []).compactMap(\.text),
                dotenv: job["artifacts"]?["reports"]?["dotenv"]?.text
            )
        }
        self.jobs = jobs
    }

    private static func lines(_ script: YAMLNode?) throws -> [String] {
        try (script?.items ?? []).flatMap { item in
            // A colon and a space make a mapping of a line, which GitLab refuses.
            guard let text = item.text else { throw Recipes.Missing(description: "a line of a script is not a text") }
            return text.split(separator: "\n").map(String.init)
        }
    }

    /// Every line of a job before which it can fail, and its end; those of `after_script` are the second step.
    func failures(of name: String) -> [JobFailure] {
        guard let job = jobs[name] else { return [] }
        return (0...job.script.count).map { JobFailure(job: name, step: 0, line: $0) }
            + (0..<job.afterScript.count).map { JobFailure(job: name, step: 1, line: $0) }
    }
}

/// As much of a GitLab runner as the pipeline uses.
final class GitLabRunner: JobRunner {
    let pipeline: GitLabPipeline
    let machine: BuildMachine
    private var dotenv: [String: String] = [:]
    private var artifacts: String { machine.shop.folder + "/artifacts" }

    init(_ pipeline: GitLabPipeline, _ machine: BuildMachine) {
        self.pipeline = pipeline
        self.machine = machine
    }

    func run(_ name: String, failing failure: JobFailure? = nil, environment: [String: String] = [:]) async throws
        -> Bool
    {
        guard let job = pipeline.jobs[name] else { throw Recipes.Missing(description: "there is no job \(name)") }
        machine.wipe()
        guard try await machine.checkOut() else { return false }
        try? FileManager.default.createDirectory(atPath: artifacts, withIntermediateDirectories: true)
        try await machine.shell("cp -r '\(artifacts)'/. .", folder: machine.work)

        var variables = [
            "CI_DEFAULT_BRANCH": "main", "CI_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "7", "CATALOG_TOKEN": "token",
        ]
        variables.merge(dotenv) { $1 }
        for (name, value) in job.variables where !value.contains("$") { variables[name] = value }
        // The repository's own address stands for the one that a token opens.
        if job.variables["REMOTE"] != nil { variables["REMOTE"] = machine.shop.folder + "/origin.git" }
        variables.merge(environment) { $1 }

        func line(of step: Int) -> Int? { failure?.job == name && failure?.step == step ? failure?.line : nil }
        func run(_ lines: [String], failingAt line: Int?) async throws -> Bool {
            let script = lines.joined(separator: "\n").failing(at: line)
            return try await machine.shell(script, folder: machine.work, environment: variables) == 0
        }
        let succeeded = try await run(job.script, failingAt: line(of: 0))
        // What fails there does not make the job fail.
        if !job.afterScript.isEmpty { _ = try await run(job.afterScript, failingAt: line(of: 1)) }
        guard succeeded else { return false }
        for path in job.artifacts {
            try? FileManager.default.removeItem(atPath: "\(artifacts)/\(path)")
            try FileManager.default.copyItem(atPath: "\(machine.work)/\(path)", toPath: "\(artifacts)/\(path)")
        }
        if let file = job.dotenv {
            for line in try machine.shop.text("runner/\(file)").split(separator: "\n") {
                let parts = line.split(separator: "=", maxSplits: 1)
                dotenv[String(parts[0])] = String(parts[1])
            }
        }
        return true
    }
}
