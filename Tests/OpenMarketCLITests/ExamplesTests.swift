import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// The examples are what they say they are.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ExamplesTests {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// Every folder of `examples/` that holds a shop; `ci` holds pipelines, `nightly` jobs, `markets` descriptions.
    static let folders: [String] = {
        let examples = root + "/examples"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: examples)) ?? []
        return names.filter { name in
            guard !["ci", "nightly", "markets"].contains(name) else { return false }
            var isFolder = false
            return FileManager.default.fileExists(atPath: examples + "/" + name, isDirectory: &isFolder) && isFolder
        }.sorted()
    }()

    @Test
    func `there are examples`() {
        #expect(Self.folders.count >= 3)
    }

    @Test(arguments: folders)
    func `an example is valid, can be applied, and then needs no change`(name: String) async throws {
        // One catalog for two markets names its market in a file of its own.
        let examples = Self.root + "/examples/"
        let isSplit = FileManager.default.fileExists(atPath: examples + name + "/staging.yaml")
        let isTable = FileManager.default.fileExists(atPath: examples + name + "/products.csv")
        let variants =
            isSplit
            ? ["-f staging.yaml -f catalog", "-f production.yaml -f catalog"] : [isTable ? "products.csv" : ""]
        for files in variants {
            // The market that the example itself names.
            let manifest = isSplit ? String(files.split(separator: " ")[1]) : "openmarket.yaml"
            let text = try String(contentsOf: URL(fileURLWithPath: examples + name + "/" + manifest), encoding: .utf8)
            let api = try #require(text.firstMatch(of: /\n  api: (v[12][ab])/)?.1)
            try await CommandSandbox.open(String(api)) { shop in
                try FileManager.default.removeItem(atPath: shop.folder)
                try FileManager.default.copyItem(atPath: examples + name, toPath: shop.folder)

                let validated = try await shop.sh("openmarket validate \(files)")
                #expect(validated.status == 0)
                #expect(validated.text.hasPrefix("✓ valid"), "\(validated.text)")
                #expect(!validated.text.contains("warning"))
                #expect(try await shop.sh("openmarket plan --detailed-exitcode \(files)").status == 2)
                let applied = try await shop.sh("openmarket apply --yes \(files)")
                #expect(applied.status == 0, "\(applied.errorText)")
                let planned = try await shop.sh("openmarket plan --detailed-exitcode \(files)")
                #expect(planned.status == 0)
                #expect(planned.text.hasPrefix("No changes."), "\(planned.text)")
            }
        }
    }

    @Test
    func `the quickstart shows every step, and the second time that nothing changed`() async throws {
        let directory = try TemporaryDirectory()
        let quickstart = Program(
            "/bin/sh",
            [Self.root + "/examples/quickstart.sh"],
            environment: ["QUICKSTART_BIN": Openmarket.path, "QUICKSTART_FOLDER": directory.path + "/quick start"],
            folder: directory.path
        )
        let first = try await quickstart.run()
        #expect(first.status == 0, "\(first.errorText)")
        var rest = first.text[...]
        let steps = [
            "listening on http://127.0.0.1:", "$ openmarket validate", "✓ valid", "$ openmarket plan", "7 to add",
            "$ openmarket apply --yes", "Apply complete: 7 added", "-     price: 38000\n+     price: 42000\n",
            "38000 → 42000", "Apply complete: 0 added, 2 changed", "$ openmarket export", "celadon-cup", "No changes.",
            "Done.",
        ]
        for step in steps {
            let found = rest.firstRange(of: step)
            #expect(found != nil, "the walkthrough lacks '\(step)' at its place")
            if let found { rest = rest[found.upperBound...] }
        }
        let second = try await quickstart.run()
        #expect(second.status == 0, "\(second.errorText)")
        #expect(second.text.contains("\nNothing changed."))
        #expect(!(first.stdout + second.stdout).contains(0x1B))
    }
}
