import Foundation
import Testing

/// What the documents name, in every language, against what there is: commands and flags, pages and headings, types and files.
@Suite(.timeLimit(.minutes(2)))
struct DocumentationTests {
    /// The commands of the program, `state export`, with their flags.
    private static func program() throws -> [[String]: Set<String>] {
        let standard: Set = ["--help", "--version", "--generate-completion-script"]
        let commands = try ReferencePage.program().all.map { ($0.words, standard.union($0.options.flatMap(\.flags))) }
        return Dictionary(uniqueKeysWithValues: commands)
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

    @Test func `every command and flag that a page shows is one of the program`() throws {
        let program = try Self.program()
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
                // `openmarket 0.1.0` is output, and `openmarket state …` any of its commands.
                let isGroup = program.keys.contains { $0.count > path.count && $0.starts(with: path) }
                if isGroup, let word = words.dropFirst(path.count).first, word.first?.isLetter == true, word != "help" {
                    Issue.record("\(name): openmarket \(words.joined(separator: " "))")
                }
            }
        }
        #expect(checked > 60)
    }

    @Test func `every link of a page leads to a file, and to a heading where it names one`() throws {
        var checked = 0
        for name in try Self.pages() {
            let page = Self.root.appendingPathComponent(name)
            let text = try String(contentsOf: page, encoding: .utf8)
            for link in text.matches(of: /\]\(([^)\s#]*)(#[^)\s]+)?\)/) where !link.1.contains("://") {
                checked += 1
                let target =
                    link.1.isEmpty ? page : page.deletingLastPathComponent().appendingPathComponent(String(link.1))
                guard FileManager.default.fileExists(atPath: target.standardizedFileURL.path) else {
                    Issue.record("\(name) links to \(link.1)")
                    continue
                }
                guard let heading = link.2?.dropFirst(), target.pathExtension == "md" else { continue }
                let headings = Self.headings(of: try String(contentsOf: target, encoding: .utf8))
                #expect(headings.contains(String(heading)), "\(name) links to \(link.1)#\(heading)")
            }
        }
        #expect(checked > 100)
    }

    /// The anchors that code hosts give to headings.
    private static func headings(of page: String) -> Set<String> {
        Set(
            page.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
                line.drop { $0 == "#" }.dropFirst().lowercased()
                    .filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
                    .replacing(" ", with: "-")
            }
        )
    }

    @Test func `every type and file of the project that a page names exists`() throws {
        var words: Set<Substring> = []
        var files: Set<String> = []
        for folder in ["Sources", "Tests", ".ci", "examples"] {
            let names = FileManager.default.enumerator(atPath: Self.root.appendingPathComponent(folder).path)
            for name in names?.compactMap({ $0 as? String }) ?? [] {
                files.insert("\(folder)/\(name)")
                // A page may name a module by its folder, and a file without its ending.
                words.formUnion(name.split { !$0.isLetter && !$0.isNumber })
                guard name.hasSuffix(".swift") || name.hasSuffix(".js") else { continue }
                let file = Self.root.appendingPathComponent("\(folder)/\(name)")
                let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
                words.formUnion(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
            }
        }
        var checked = 0
        for name in try Self.pages() {
            let text = try String(contentsOf: Self.root.appendingPathComponent(name), encoding: .utf8)
            for match in text.matches(of: /`((?:Sources|Tests|examples|\.ci)\/[^`\s*]+?)\/?`/) {
                checked += 1
                let isThere = files.contains(String(match.1))
                #expect(isThere, "\(name) names \(match.1)")
            }
            // `NS…` are keys of Apple's property lists.
            for match in text.matches(of: /`([A-Z][A-Z0-9]*[a-z][A-Za-z0-9]+[A-Z][A-Za-z0-9]*)`/)
            where !match.1.hasPrefix("NS") && name.hasPrefix("docs/") {
                checked += 1
                let isKnown = words.contains(match.1)
                #expect(isKnown, "\(name) names \(match.1)")
            }
        }
        #expect(checked > 100)
    }

    @Test func `every message of the Korean table is one of the program`() throws {
        let folder = Self.root.appendingPathComponent("Sources")
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        let sources = try names.filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
            .joined()
        let page = Self.root.appendingPathComponent("docs/ko/messages.md")
        let rows = try String(contentsOf: page, encoding: .utf8).matches(of: /(?m)^\| [0-9]+ \| `([^`]+)` \|/)
        #expect(rows.count == 20)
        for row in rows {
            // `…` stands for values, and so does the name of a file.
            for part in row.1.replacing("openmarket.yaml", with: "…").split(separator: "…") {
                let words = part.trimmingCharacters(in: .whitespaces)
                #expect(sources.contains(words), "\(row.1)")
            }
        }
    }
}
