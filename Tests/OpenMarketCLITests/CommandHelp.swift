@testable import OpenMarket

/// A command with its help, as ArgumentParser describes it, in Markdown.
struct CommandHelp {
    /// The name, such as `state list`; empty for the program.
    let name: String
    let abstract: String
    /// The paragraphs of the discussion except the one of the exit codes.
    let paragraphs: [String]
    let exits: [(code: String, meaning: String)]
    let aliases: [String]
    let options: [Option]
    /// The long names of the options whose value is a file or a folder.
    let files: Set<String>
    let subcommands: [CommandHelp]

    struct Option: Hashable {
        var section: String
        /// As in the command line: `-f, --file <path>`.
        var name: String
        var meaning: String
        var standard: String
        var isPositional: Bool
        var isOptional: Bool
        var isRepeating: Bool

        /// `nil` for an option that no help shows, and for `--help` and `--version`.
        init?(_ argument: JSONValue) {
            guard argument["shouldDisplay"] != .bool(false) else { return nil }
            let names = (argument["names"]?.elements ?? []).compactMap { $0["name"]?.text }
            guard names != ["version"], names != ["h", "help"] else { return nil }
            isPositional = argument["kind"]?.text == "positional"
            isOptional = argument["isOptional"] == .bool(true)
            isRepeating = argument["isRepeating"] == .bool(true)
            section = argument["sectionTitle"]?.text ?? ""
            let flags = names.sorted { $0.count < $1.count }.map { ($0.count == 1 ? "-" : "--") + $0 }
            let value = argument["kind"]?.text == "flag" ? [] : ["<\(argument["valueName"]?.text ?? "")>"]
            name = ([flags.joined(separator: ", ")] + value).filter { !$0.isEmpty }.joined(separator: " ")
            let help = argument["abstract"]?.text ?? ""
            let parts = help.wholeMatch(of: /(.*?) ?\(default: (.*)\)/)
            let choices = (argument["allValues"]?.elements ?? []).compactMap { $0.text.map { "`\($0)`" } }
            let values = choices.isEmpty ? "" : " Values: \(choices.joined(separator: ", "))."
            meaning = (parts.map { String($0.1) } ?? help) + values
            standard = parts.map { String($0.2) } ?? ""
        }

        /// The long names: `--file`.
        var flags: [String] { name.matches(of: /--[a-z][a-z-]*/).map { String($0.output) } }

        /// The option in the line of the usage.
        var usage: String {
            let text = name + (isRepeating ? " ..." : "")
            return isOptional ? "[\(text)]" : text
        }
    }

    init(_ command: JSONValue, below path: String = "") {
        let own = path + (command["commandName"]?.text ?? "")
        name = own
        abstract = command["abstract"]?.text ?? ""
        let all = (command["discussion"]?.text ?? "").split(separator: "\n\n").map(String.init)
        paragraphs = all.filter { !$0.hasPrefix("Exit 0: ") }
        exits = all.first { $0.hasPrefix("Exit 0: ") }.map(Self.exits) ?? []
        aliases = (command["aliases"]?.elements ?? []).compactMap(\.text)
        let arguments = command["arguments"]?.elements ?? []
        options = arguments.compactMap(Option.init)
        let files = arguments.filter { ["file", "directory"].contains($0["completionKind"]?.members?.first?.name) }
        self.files = Set(files.compactMap { $0["preferredName"]?["name"]?.text })
        subcommands = (command["subcommands"]?.elements ?? []).filter { $0["commandName"]?.text != "help" }
            .map { CommandHelp($0, below: own + " ") }
    }

    /// The codes of a paragraph such as `Exit 0: done. 3: some operations failed.`
    private static func exits(in paragraph: String) -> [(code: String, meaning: String)] {
        paragraph.dropFirst("Exit ".count).replacing(/\.$/, with: "").split(separator: ". ")
            .reduce(into: []) { exits, sentence in
                if let match = sentence.wholeMatch(of: /(\d+): (.*)/) {
                    exits.append((String(match.1), String(match.2)))
                } else if !exits.isEmpty {
                    exits[exits.count - 1].meaning += ". " + sentence
                }
            }
    }

    /// The words of the name behind the program's.
    var words: [String] { name.split(separator: " ").dropFirst().map(String.init) }

    /// The command and all below it.
    var all: [CommandHelp] { [self] + subcommands.flatMap(\.all) }

    /// Its line on the command line, in code.
    var usage: String {
        guard subcommands.isEmpty else { return "`\(name) <command>`" }
        let flags = options.contains { !$0.isPositional } ? ["[options]"] : []
        return "`\(([name] + flags + options.filter(\.isPositional).map(\.usage)).joined(separator: " "))`"
    }

    /// The discussion in Markdown: indented lines are examples.
    var prose: String {
        paragraphs.map { paragraph in
            let lines = paragraph.split(separator: "\n")
            let code = lines.filter { $0.hasPrefix("  ") }.map { $0.dropFirst(2) }
            guard !code.isEmpty else { return paragraph.markdown + "\n\n" }
            let text = lines.filter { !$0.hasPrefix("  ") }.joined(separator: " ")
            return "\(text.markdown)\n\n```sh\n\(code.joined(separator: "\n"))\n```\n\n"
        }.joined()
    }

    /// The tables of options, one for each section; those of no section come first.
    func tables(without shared: Set<Option>) -> String {
        let own = options.filter { !shared.contains($0.anywhere) }
        var sections = [""]
        for option in own where !sections.contains(option.section) { sections.append(option.section) }
        return sections.map { section in
            let options = own.filter { $0.section == section }
            return (section.isEmpty || options.isEmpty ? "" : "**\(section)**\n\n") + options.table
        }.joined()
    }
}

extension [CommandHelp.Option] {
    /// A table, with a column for the defaults if there are any; empty without options.
    var table: String {
        guard !isEmpty else { return "" }
        let hasDefaults = contains { !$0.standard.isEmpty }
        let rows = map { ["`\($0.name.replacing("|", with: "\\|"))`", $0.meaning.markdown, $0.standard.markdown] }
        return ([["option", "meaning", "default"], ["---", "---", "---"]] + rows)
            .map { "| " + $0.prefix(hasDefaults ? 3 : 2).joined(separator: " | ") + " |\n" }.joined() + "\n"
    }
}

extension CommandHelp.Option {
    /// The option apart from its section, which differs between commands.
    var anywhere: Self {
        var option = self
        option.section = ""
        return option
    }
}

extension String {
    /// The text of a help in Markdown; code stays as it is.
    var markdown: String {
        split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { index, part in
                let text = part.replacing("|", with: "\\|")
                return index.isMultiple(of: 2) ? text.replacing("<", with: "\\<").replacing("*", with: "\\*") : text
            }
            .joined(separator: "`")
    }
}
