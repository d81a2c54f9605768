import ArgumentParser
import OpenMarket
import OpenMarketManifest

/// What is wrong with a command line, said as this program says everything else.
struct UsageMessage {
    /// One sentence, lower case.
    var message: String
    /// What to do about it.
    var help: [String] = []
    /// How the command is meant to be used.
    var usage: String?

    /// Rewords what ArgumentParser says.
    ///
    /// - Parameter text: its whole message, with usage.
    init(_ text: String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
        let isHead = { (line: String) in
            !line.hasPrefix("Help:") && !line.hasPrefix("Usage:") && !line.hasPrefix("USAGE:") && !line.isEmpty
        }
        var head = Array(lines.prefix(while: isHead))
        lines = lines.dropFirst(head.count)
        var first = head.isEmpty ? "" : head.removeFirst()
        if first.hasPrefix("Error: ") { first.removeFirst("Error: ".count) }
        let choices = head.filter { $0.hasPrefix("  - ") }.map { String($0.dropFirst(4)) }
        let rest = head.filter { !$0.hasPrefix("  - ") }
        if let range = first.firstRange(of: ". Please provide one of ") {
            let words = choices.isEmpty ? first[range.upperBound...].drop { $0 == "." } : choices.listed("and")[...]
            help.append("give one of \(words.last == "." ? words.dropLast() : words)")
            first.removeSubrange(range.lowerBound...)
        } else if let range = first.firstRange(of: ". Did you mean ") {
            help.append("did you mean \(first[range.upperBound...])")
            first.removeSubrange(range.lowerBound...)
        }
        message = ([first.prefix(1).lowercased() + first.dropFirst()] + rest).joined(separator: "\n")
        let usage = lines.first { $0.hasPrefix("Usage: ") }.map { String($0.dropFirst("Usage: ".count)) }
        let path = Self.path(of: usage ?? "")
        if usage?.hasSuffix("<subcommand>") == true, let word = Self.quoted(message) {
            let names = Self.commands(below: path)
            message = "unknown command '\(word)'"
            help = [
                Suggestion.nearest(to: word, in: names).map { "did you mean '\($0)'?" }
                    ?? "the commands are \(Self.commands(below: path, withAliases: false).listed("and"))"
            ]
            return
        }
        if let form = Self.form(in: message, of: path) {
            help.append(form)
        } else if help.isEmpty, let option = lines.first(where: { $0.hasPrefix("Help:") }) {
            help.append(String(option.dropFirst("Help:".count).drop { $0 == " " }))
        }
        self.usage = usage
        help.append("`\(([Self.name] + path).joined(separator: " ")) --help` says more")
    }

    /// Where to read on about a command whose words were wrong.
    static func pointer(_ arguments: [String]) -> String {
        var path: [String] = []
        for word in arguments.dropFirst() {
            guard commands(below: path).contains(word) else { break }
            path.append(word)
        }
        return "`\(([name] + path).joined(separator: " ")) --help` has the right form"
    }

    private static let name = OpenMarketCommand.configuration.commandName ?? ""

    /// The names of the commands in a line of usage, the program's own aside.
    private static func path(of usage: String) -> [String] {
        var path: [String] = []
        for word in usage.split(separator: " ").dropFirst() {
            guard commands(below: path).contains(String(word)) else { break }
            path.append(String(word))
        }
        return path
    }

    /// The commands below one.
    static func commands(below path: [String], withAliases: Bool = true) -> [String] {
        var commands = OpenMarketCommand.configuration.subcommands
        for name in path {
            commands = commands.first { names(of: $0).contains(name) }?.configuration.subcommands ?? []
        }
        return commands.flatMap { withAliases ? names(of: $0) : Array(names(of: $0).prefix(1)) }
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        [command.configuration.commandName].compactMap(\.self) + command.configuration.aliases
    }

    /// The first text in single quotes.
    private static func quoted(_ text: String) -> String? {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? String(parts[1]) : nil
    }

    /// The form of the value that was wrong, from `the value '50' is invalid for '--max-price-change <%>'`.
    private static func form(in message: String, of command: [String]) -> String? {
        // What begins with a dash is taken for the next option.
        let isMissing = message.hasPrefix("missing value for '")
        guard let value = isMissing ? "" : quoted(message),
            let range = message.firstRange(of: isMissing ? "missing value for '" : "is invalid for '"),
            let open = message[range.upperBound...].firstIndex(of: "<"),
            let close = message[open...].lastIndex(of: ">")
        else { return nil }
        let name = String(message[message.index(after: open)..<close])
        let isParallelism = message[range.upperBound..<open].hasPrefix(Setting.parallelism.flag)
        return (isParallelism ? ParallelismOption.self : form(ofValue: name, of: command))?.help(for: value)
    }

    /// The kind of value that goes by a name in the help of a command.
    private static func form(ofValue name: String, of command: [String]) -> (any FormedValue.Type)? {
        switch name {
        case "%": PercentOption.self
        case "n|%": BoundOption.self
        case "n|korean-shop": SeedOption.self
        case "price": AmountOption.self
        case "time": DurationOption.self
        case "n/s": RateOption.self
        case "n" where command == ["serve"]: NumberOption.self
        case "n": PositiveOption.self
        case "bytes": NumberOption.self
        case "port": PortOption.self
        case "currency": CurrencyOption.self
        case "sha256:digits": DigestOption.self
        case "number": NumberOption.self
        case "format=file" where command == ["validate"]: OutputOption<ReportFormat>.self
        case "format=file": OutputOption<PlanFormat>.self
        case "diff=file": OutputOption<DriftFormat>.self
        case "name|path": MarketOption.self
        case "name=value": ParameterOption.self
        default: nil
        }
    }
}
