import FoundationEssentials
import OpenMarketTestSupport
import YAML

/// The workflow that the README recommends, and a runner for it: as much of GitHub Actions as it uses.
struct Workflow {
    struct Step {
        var id: String?
        var uses: String?
        var run: String?
        var condition: String?
        var path: String?
    }

    enum Job: String, CaseIterable {
        case plan
        case apply
    }

    let steps: [Job: [Step]]

    struct Unexpected: Error, CustomStringConvertible {
        var description: String
    }

    /// Reads the workflow out of the README's fenced block.
    init() throws {
        let blocks = try Recipes.blocks("yaml", of: "README.md")
        guard let block = blocks.first(where: { $0.contains("\njobs:\n") }),
            let jobs = try YAMLNode.parse(Array(block.utf8))?["jobs"]
        else { throw Unexpected(description: "the README has no workflow") }
        var steps: [Job: [Step]] = [:]
        for job in Job.allCases {
            steps[job] = (jobs[job.rawValue]?["steps"]?.items ?? []).map { step in
                Step(
                    id: step["id"]?.text,
                    uses: step["uses"]?.text,
                    run: step["run"]?.text,
                    condition: step["if"]?.text,
                    path: step["with"]?["path"]?.text
                )
            }
        }
        guard jobs.pairs?.count == Job.allCases.count, steps.values.allSatisfy({ $0.count > 3 }) else {
            throw Unexpected(description: "the README's workflow has other jobs")
        }
        self.steps = steps
    }

    /// A line of a job before which it fails; the line after a script's last is its end.
    struct Failure: CustomStringConvertible, Sendable {
        var job: Job
        var step: Int
        var line: Int

        var description: String { "\(job) step \(step) line \(line)" }
    }

    /// Every place at which a job can fail; the end of a step is the beginning of the next, unless its outcome counts.
    var failures: [Failure] {
        Job.allCases.flatMap { job in
            let steps = steps[job] ?? []
            return steps.indices.flatMap { step in
                let lines = Self.lines(steps[step].run).count
                let hasEnd = lines > 0 && (steps[step].id != nil || step == steps.count - 1)
                return (0..<max(1, lines + (hasEnd ? 1 : 0))).map { Failure(job: job, step: step, line: $0) }
            }
        }
    }

    fileprivate static func lines(_ script: String?) -> [String] {
        (script ?? "").split(separator: "\n").map(String.init)
    }
}

/// The fenced code of the documents.
enum Recipes {
    /// The blocks of a language, in order.
    static func blocks(_ language: String, of document: String, after heading: String = "") throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        var text = Substring(
            String(decoding: try Data(contentsOf: root.appendingPathComponent(document)), as: UTF8.self)
        )
        if !heading.isEmpty {
            guard let place = text.firstRange(of: "\n\(heading)\n") else {
                throw Workflow.Unexpected(description: "\(document) has no '\(heading)'")
            }
            text = text[place.upperBound...]
        }
        return text.split(separator: "```\(language)\n").dropFirst().map { block in
            block.firstRange(of: "\n```").map { String(block[..<$0.lowerBound]) } ?? String(block)
        }
    }
}

/// A machine that forgets everything between two jobs, but the artifacts.
struct Runner {
    let workflow: Workflow
    let shop: CommandSandbox
    private var work: String { shop.folder + "/runner" }

    /// Runs a job from the start, on a fresh disk; says whether it succeeded.
    func run(_ job: Workflow.Job, failing failure: Workflow.Failure? = nil, environment: [String: String] = [:])
        async throws -> Bool
    {
        try? FileManager.default.removeItem(atPath: work)
        var isSound = true
        var outcomes: [String: String] = [:]
        for (index, step) in (workflow.steps[job] ?? []).enumerated() {
            let isDue = try isDue(step, isSound: isSound, outcomes: outcomes)
            var succeeded = true
            if isDue {
                let line = failure?.job == job && failure?.step == index ? failure?.line : nil
                succeeded = try await carryOut(step, failingAt: line, environment: environment)
                if !succeeded { isSound = false }
            }
            if let id = step.id { outcomes[id] = isDue ? (succeeded ? "success" : "failure") : "skipped" }
        }
        return isSound
    }

    private func isDue(_ step: Workflow.Step, isSound: Bool, outcomes: [String: String]) throws -> Bool {
        switch step.condition {
        case nil: isSound
        case "always() && steps.apply.outcome != 'skipped'": outcomes["apply"] != "skipped"
        case let other?: throw Workflow.Unexpected(description: "if: \(other)")
        }
    }

    private func carryOut(_ step: Workflow.Step, failingAt line: Int?, environment: [String: String]) async throws
        -> Bool
    {
        let files = FileManager.default
        switch step.uses {
        case nil:
            var lines = Workflow.lines(step.run)
            if let line { lines.insert("exit 1", at: line) }
            return try await shell(lines.joined(separator: "\n"), folder: work, environment: environment) == 0
        case _ where line == 0:
            return false
        case "actions/checkout@v4":
            return try await shell("git clone -q origin.git runner", folder: shop.folder) == 0
        case "actions/upload-artifact@v4":
            try? files.removeItem(atPath: shop.folder + "/artifact")
            try files.copyItem(atPath: work + "/" + (step.path ?? ""), toPath: shop.folder + "/artifact")
            return true
        case "actions/download-artifact@v4":
            try files.copyItem(atPath: shop.folder + "/artifact", toPath: work + "/plan.json")
            return true
        case let other?:
            throw Workflow.Unexpected(description: "uses: \(other)")
        }
    }

    /// Runs a script as GitHub does; the tool is found as `openmarket`.
    @discardableResult
    func shell(_ script: String, folder: String, environment: [String: String] = [:]) async throws -> Int32 {
        let tools = shop.folder + "/tools"
        if !FileManager.default.fileExists(atPath: tools) {
            try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: tools + "/openmarket",
                withDestinationPath: Openmarket.path
            )
        }
        var variables = shop.environment.merging(environment) { $1 }
        variables["PATH"] = tools + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
        variables["GITHUB_STEP_SUMMARY"] = shop.folder + "/summary.md"
        variables["HOME"] = shop.folder
        variables["GIT_CONFIG_NOSYSTEM"] = "1"
        return try await Program("/bin/bash", ["-e", "-c", script], environment: variables, folder: folder).run().status
    }
}
