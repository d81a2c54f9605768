import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// What a user meets who does not know the tool yet: one clear message, what to do, and the right exit code.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct FirstContactTests {
    @Test func `the help of the large commands is in groups, and its examples are command lines that are taken`()
        async throws
    {
        let folder = try TemporaryDirectory()
        for command in ["plan", "apply", "export", "pull", "convert", "serve"] {
            let help = try await Program(Openmarket.path, [command, "--help"], folder: folder.path).run().text
            #expect(help.contains("\nOUTPUT"), "\(help)")
            let lines = help.split(separator: "\n").map { $0.drop { $0 == " " } }
            let examples = lines.filter { $0.hasPrefix("openmarket ") }
            #expect(examples.count >= 2, "\(help)")
            // Whoever serves does not end by itself.
            for example in examples where command != "serve" {
                let run = "openmarket() { '\(Openmarket.path)' \"$@\"; }\n\(example) </dev/null"
                let ran = try await Program("/bin/sh", ["-c", run], folder: folder.path).run()
                #expect(ran.status != 64 && ran.status != 0, "\(example): \(ran.errorText)")
            }
        }
    }

    @Test func `a file of another kind is named as what it is`() async throws {
        let folder = try TemporaryDirectory()
        let files: [(name: String, bytes: [UInt8], kind: String)] = [
            ("t.xlsx", [0x50, 0x4B, 0x03, 0x04, 0x14, 0x00], "an Excel workbook"),
            ("t.xls", [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1, 0, 0], "an old Excel workbook"),
            ("t.csv", [0x50, 0x4B, 0x03, 0x04, 0x14, 0x00], "an Excel workbook"),
            ("p.yaml", SmallPicture.png(1), "a PNG picture"), ("p.jpg", SmallPicture.jpeg(1), "a JPEG picture"),
            ("d.pdf", Array("%PDF-1.7\n".utf8), "a PDF"), ("m.yaml.gz", [0x1F, 0x8B, 8, 0, 0], "a gzip file"),
            ("s.db", Array("SQLite format 3\0".utf8), "an SQLite database"),
            ("w.html", Array("<!DOCTYPE html><html>".utf8), "a web page"),
        ]
        for (name, bytes, kind) in files {
            try folder.write(name, bytes)
            for command in ["validate", "plan", "show", "apply --yes"]
            where command != "show" || !name.hasSuffix(".csv") {
                let ran = try await Program.openmarket("\(command) \(name)", in: folder.path).run()
                let said = ran.text + ran.errorText
                #expect(ran.status == 4, "\(command) \(name): \(said)")
                #expect(said.contains(kind) && said.contains("help: "), "\(command) \(name): \(said)")
            }
        }
    }

    @Test func `a file that is not there, or is meant for another command, comes with what to do`() async throws {
        let folder = try TemporaryDirectory()
        try folder.write("openmarket.yaml", "products: []\n")
        for (line, message) in [
            ("plan opnmarket.yaml", "help: did you mean 'openmarket.yaml'?"),
            ("plan shop.yaml", "help: `openmarket demo` shows one at work"),
            ("apply plan.json", "help: save a plan there first: openmarket plan -o plan.json"),
            ("show openmarket.yml", "help: did you mean 'openmarket.yaml'?"),
            ("show openmarket.yaml", "help: to show its changes: openmarket plan openmarket.yaml"),
        ] {
            let ran = try await Program.openmarket(line, in: folder.path).run()
            #expect(ran.status == 4, "\(line)")
            #expect(ran.errorText.contains(message), "\(ran.errorText)")
        }
    }

    @Test func `in an empty folder every command that needs a manifest says how to come to one`() async throws {
        let folder = try TemporaryDirectory()
        let ways = ["openmarket demo", "openmarket init", "openmarket pull", "openmarket convert"]
        var refused: Set<String> = []
        for command in try ReferencePage.program().all.dropFirst().map(\.words)
        where !["serve", "demo", "init"].contains(command[0]) {
            for more in [[], ["--yes"], ["--drift"], ["a-key"], ["."], ["table.csv"]] {
                let ran = try await Program(Openmarket.path, command + more, folder: folder.path).run()
                // What is not a command line of this one, and what needs no manifest.
                guard ran.status != 64, ran.status != 0 else { continue }
                let said = ran.text + ran.errorText
                guard said.contains("openmarket.yaml") || said.contains("*.yaml") else { continue }
                refused.insert(command.joined(separator: " "))
                #expect(ran.status == 4, "\(command + more): \(said)")
                for way in ways { #expect(said.contains(way), "\(command + more): \(said)") }
            }
        }
        let needing = [
            "apply", "export", "history", "ping", "plan", "pull", "state export", "state list", "status", "validate",
            "work",
        ]
        #expect(refused.isSuperset(of: needing), "\(refused)")
        let help = try await Program(Openmarket.path, folder: folder.path).run()
        #expect(help.status == 64)
        let words = help.text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        for way in ways { #expect(words.contains(way), "\(help.text)") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test(arguments: [("v2b", "v1b"), ("v1b", "v2b"), ("v2b", "v1a")])
    func `another API than the one that is spoken is said alike by every command`(spoken: String, named: String)
        async throws
    {
        try await CommandSandbox.open(spoken) { shop in
            var messages: Set<String> = []
            for line in ["plan", "apply --yes", "export -o c.csv", "pull -o p.yaml --adopt", "ping"] {
                let arguments = line.split(separator: " ").map(String.init) + ["--api", named]
                let ran = try await shop.program(arguments).run()
                #expect(ran.status == 4, "\(line): \(ran.errorText)")
                #expect(ran.errorText.contains("`openmarket ping` finds it"), "\(line): \(ran.errorText)")
                messages.insert(ran.errorText)
            }
            #expect(messages.count == 1, "\(messages)")
        }
    }
}
