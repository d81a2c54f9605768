import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// A machine on which jobs of a pipeline run: it has the tool and git, and forgets everything else between two jobs.
struct BuildMachine {
    let shop: CommandSandbox

    /// Where a job runs.
    var work: String { shop.folder + "/runner" }

    /// Empties the machine's disk.
    func wipe() {
        try? FileManager.default.removeItem(atPath: work)
    }

    /// Clones the repository's main branch.
    func checkOut() async throws -> Bool {
        try await shell("git clone -q origin.git runner", folder: shop.folder) == 0
    }

    /// Puts a program on the path of scripts.
    func install(_ name: String, _ script: String) throws {
        try prepareTools()
        try shop.write("tools/\(name)", script)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: shop.folder + "/tools/\(name)")
    }

    /// What a package holds whose download is played; `curl`, `sudo` and `apt-get` note what they are asked for.
    static let package = "a package\n"
    /// Its sum.
    static let packageSum = "c5919a885d0e983e8bcfedc3ad1ab67b4020c2c31be5bfc2e8117f072fdc9106"

    /// Puts the programs on the path that a job installs a package with.
    func installPackaging() throws {
        let note = "#!/bin/sh\nprintf '%s\\n' \"${0##*/} $*\" >> '\(shop.folder)/installed'\n"
        try install("sudo", note)
        try install("apt-get", note)
        try install("curl", note + "printf '\(Self.package.replacing("\n", with: "\\n"))' > \"$2\"\n")
    }

    private func prepareTools() throws {
        let tools = shop.folder + "/tools"
        guard !FileManager.default.fileExists(atPath: tools) else { return }
        try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: tools + "/openmarket",
            withDestinationPath: Openmarket.path
        )
    }

    /// Runs a script as services do, to the first line that fails; the tool is found as `openmarket`.
    @discardableResult
    func shell(_ script: String, folder: String, environment: [String: String] = [:]) async throws -> Int32 {
        try prepareTools()
        var variables = shop.environment.merging(environment) { $1 }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        variables["PATH"] = shop.folder + "/tools:" + path
        variables["HOME"] = shop.folder
        variables["GIT_CONFIG_NOSYSTEM"] = "1"
        return try await Program("/bin/bash", ["-e", "-c", script], environment: variables, folder: folder).run().status
    }
}

extension BuildMachine {
    /// Opens a repository with a shop that was applied once on the seller's own machine, and a change pushed since: on the
    /// market are then `Blue mug` and `Round fan` instead of `Blue mug` and a lamp.
    static func withRepository(_ api: String = "v2b", _ body: (BuildMachine) async throws -> Void) async throws {
        try await CommandSandbox.open(api, ShopManifest.three.without("fan")) { shop in
            let machine = BuildMachine(shop: shop)
            try shop.write("seller/.gitignore", ".openmarket/\nplan.json\n")
            try shop.write("seller/openmarket.yaml", ShopManifest.three.without("fan").yaml)
            for number in 1...5 {
                try shop.write("seller/images/\(number).png", SmallPicture.png(number))
                try shop.write("seller/images/\(number).jpg", SmallPicture.jpeg(number))
            }
            let seller = shop.folder + "/seller"
            let begun = try await machine.shell(
                """
                openmarket apply --yes
                openmarket state export -o state.jsonl
                git init -q -b main
                git config user.name seller
                git config user.email seller@example.com
                git add .
                git commit -q -m "Begin"
                git clone -q --bare . ../origin.git
                git -C ../origin.git config receive.advertisePushOptions true
                git remote add origin ../origin.git
                """,
                folder: seller
            )
            // A create, an update, on v2 a replace, and a delete.
            var manifest = ShopManifest.three.without("lamp")
            manifest["mug"].price = "13000"
            manifest["mug"].images = ["images/5.png"]
            try shop.write("seller/openmarket.yaml", manifest.yaml)
            let pushed = try await machine.shell("git commit -q -a -m Change\ngit push -q origin main", folder: seller)
            guard begun == 0, pushed == 0 else { throw Recipes.Missing(description: "the repository was not made") }
            try await body(machine)
        }
    }

    /// Copies the state to a file outside of the repository, as a database would be; returns what names it.
    func shareState() async throws -> [String: String] {
        let environment = ["OPENMARKET_STATE": shop.folder + "/shared.db"]
        let copy = "openmarket state copy seller/.openmarket/state.db \"$OPENMARKET_STATE\""
        guard try await shell(copy, folder: shop.folder, environment: environment) == 0
        else { throw Recipes.Missing(description: "the state was not copied") }
        return environment
    }

    /// The keys that the state in the repository knows.
    func committed() async throws -> [String] {
        guard
            try await shell("git show main:state.jsonl > ../committed.jsonl", folder: shop.folder + "/origin.git") == 0
        else { throw Recipes.Missing(description: "the repository has no state") }
        return try shop.text("committed.jsonl").split(separator: "\n").dropFirst()
            .compactMap { try JSONValue.parse(Array($0.utf8))["key"]?.text }.sorted()
    }
}

/// A line of a job before which it fails; the line after a script's last is its end.
struct JobFailure: CustomStringConvertible, Hashable, Sendable {
    var job: String
    var step: Int
    var line: Int

    var description: String { "\(job) step \(step) line \(line)" }
}

/// A push to a repository with a pipeline: its file, and the line that fails, if one does.
struct FailingPush: CustomTestStringConvertible, Sendable {
    var file: String
    var sharesState = false
    var failure: JobFailure?

    var testDescription: String { "\(file): \(failure?.description ?? "no failure")" }

    /// A push without a failure, and one for each of some failures.
    static func each(_ file: String, sharesState: Bool = false, _ failures: [JobFailure]) -> [FailingPush] {
        [FailingPush(file: file, sharesState: sharesState)]
            + failures.map { FailingPush(file: file, sharesState: sharesState, failure: $0) }
    }
}

/// As much of a service as the pipelines use.
protocol JobRunner {
    var machine: BuildMachine { get }

    /// Runs a job from the start, on a fresh disk; says whether it succeeded.
    func run(_ name: String, failing failure: JobFailure?, environment: [String: String]) async throws -> Bool
}

extension JobRunner {
    /// Runs the jobs of a push up to the first that fails; says whether all succeeded.
    func push(failing failure: JobFailure? = nil, environment: [String: String] = [:]) async throws -> Bool {
        for job in ["validate", "plan", "apply"] {
            guard try await run(job, failing: failure, environment: environment) else { return false }
        }
        return true
    }

    /// Checks that a push that fails, its jobs run again and the next push list nothing twice and lose no state.
    func expectWhole(after push: FailingPush, environment: [String: String]) async throws {
        let wanted = ["Blue mug", "Round fan"]
        let name: Comment = "\(push.testDescription)"
        let succeeded = try await self.push(failing: push.failure, environment: environment)
        // With the state in the repository, some steps that fail are not due at a push.
        if push.failure == nil || push.sharesState { #expect(succeeded == (push.failure == nil), name) }
        let listed = try await machine.shop.names()
        #expect(Set(listed).count == listed.count, name)
        if !push.sharesState {
            let committed = try await machine.committed()
            #expect(committed.count == 2, name)
            if push.failure == nil { #expect(committed == ["fan", "mug"], name) }
            // The plan of a job that is run again is the artifact of before.
            if let failure = push.failure {
                if failure.job == "plan" {
                    #expect(try await run("plan", failing: nil, environment: environment), name)
                }
                _ = try await run("apply", failing: nil, environment: environment)
            }
            #expect(try await machine.shop.names() == wanted, name)
            #expect(try await !machine.committed().isEmpty, name)
        }
        #expect(try await self.push(environment: environment), name)
        #expect(try await machine.shop.names() == wanted, name)
        let plan = "openmarket plan --detailed-exitcode"
        #expect(try await machine.shell(plan, folder: machine.work, environment: environment) == 0, name)
        if !push.sharesState { #expect(try await machine.committed() == ["fan", "mug"], name) }
    }

    /// Checks the jobs of a night: they write nothing, each fails where a line does, and the export is in a file.
    func expectNight(exporting file: String, failingAt failures: (String) -> [JobFailure]) async throws {
        try machine.shop.server.setFaults()
        for job in ["export", "drift"] {
            #expect(try await run(job, failing: nil, environment: [:]))
            for failure in failures(job) {
                #expect(try await run(job, failing: failure, environment: [:]) == false, "\(failure)")
            }
        }
        let catalog = try StrictCSV(try machine.shop.read("artifacts/\(file)"))
        #expect(catalog.rows.compactMap { $0["name"] }.sorted() == ["Blue mug", "Round fan"])
        #expect(try machine.shop.server.writes() == [])
    }
}

extension String {
    /// The lines of a script, the one before which it fails among them.
    func failing(at line: Int?) -> String {
        var lines = split(separator: "\n").map(String.init)
        if let line { lines.insert("exit 1", at: line) }
        return lines.joined(separator: "\n")
    }
}
