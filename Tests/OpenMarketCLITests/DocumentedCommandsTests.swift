import Foundation
import OpenMarket
import OpenMarketTestSupport
import Testing

/// Commands and flags that the documents name, in every language, against those that the program has.
@Suite(.timeLimit(.minutes(2)))
struct DocumentedCommandsTests {
    /// The commands of the program, `state export`, with their flags.
    private static func flags(of command: JSONValue, path: [String] = []) -> [[String]: Set<String>] {
        var flags: [[String]: Set<String>] = [path: ["--help", "--version", "--generate-completion-script"]]
        for argument in command["arguments"]?.elements ?? [] {
            for name in argument["names"]?.elements ?? [] {
                guard name["kind"]?.text != "short", let text = name["name"]?.text else { continue }
                flags[path]?.insert("--" + text)
            }
        }
        for sub in command["subcommands"]?.elements ?? [] {
            guard let name = sub["commandName"]?.text else { continue }
            flags.merge(Self.flags(of: sub, path: path + [name])) { own, _ in own }
        }
        return flags
    }

    private static func program() async throws -> [[String]: Set<String>] {
        let folder = try TemporaryDirectory()
        let dump = try await Program(Openmarket.path, ["--experimental-dump-help"], folder: folder.path).run()
        let flags = flags(of: try #require(try JSONValue.parse(dump.stdout)["command"]))
        try #require(flags.count > 20)
        return flags
    }

    private static var root: URL {
        URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }

    /// The README and every page below docs/.
    private static func pages() throws -> [String] {
        let names = FileManager.default.enumerator(atPath: root.appendingPathComponent("docs").path)
        let pages = (names?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".md") }.sorted()
        try #require(pages.contains("ko/README.md"))
        return ["README.md"] + pages.map { "docs/\($0)" }
    }

    /// The commands in code: the words from `openmarket` to the end of each simple command.
    private static func commands(in page: String) -> [[String]] {
        var inFence = false
        var commands: [[String]] = []
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                inFence.toggle()
            } else if inFence {
                commands += self.commands(inCode: line)
            } else {
                let spans = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                for (index, span) in spans where !index.isMultiple(of: 2) {
                    commands += self.commands(inCode: span)
                }
            }
        }
        return commands
    }

    private static func commands(inCode code: Substring) -> [[String]] {
        var commands: [[String]] = []
        var isCommand = false
        for word in code.split(separator: " ") {
            let name = word.trimmingCharacters(in: CharacterSet(charactersIn: "()[];,\"'"))
            if name == "openmarket" {
                isCommand = true
                commands.append([])
            } else if word.hasPrefix("#") || ["|", "&&", "||"].contains(word) {
                isCommand = false
            } else if isCommand {
                commands[commands.count - 1].append(name)
            }
            if word.hasSuffix(";") || word.hasSuffix(")") {
                isCommand = false
            }
        }
        return commands
    }

    @Test func `every command and flag that a page shows is one of the program`() async throws {
        let program = try await Self.program()
        var checked = 0
        for name in try Self.pages() {
            let page = try String(contentsOf: Self.root.appendingPathComponent(name), encoding: .utf8)
            for words in Self.commands(in: page) {
                var path: [String] = []
                while path.count < words.count, program[path + [words[path.count]]] != nil {
                    path.append(words[path.count])
                }
                guard let flags = program[path] else { continue }
                for word in words where word.hasPrefix("--") && word.count > 2 {
                    let flag = String(word.prefix { $0 != "=" })
                    #expect(flags.contains(flag), "\(name): openmarket \(words.joined(separator: " "))")
                    checked += 1
                }
                // `openmarket 0.1.0` is output.
                if path.isEmpty, let word = words.first, word.first?.isNumber == false {
                    #expect(word.hasPrefix("--"), "\(name): openmarket \(words.joined(separator: " "))")
                }
            }
        }
        #expect(checked > 60)
    }
}
