import ArgumentParser
import OpenMarket
import OpenMarketWorkflow

/// An error in the command line, in the form of this program's other messages.
struct UsageMessage {
    /// One sentence, lower case.
    var message: String
    var help: [String] = []
    var usage: String?

    /// Rewords the whole message of ArgumentParser, usage included.
    init(_ text: String, of words: [String] = []) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
        let isHead = { (line: String) in
            !line.hasPrefix("Help:") && !line.hasPrefix("Usage:") && !line.hasPrefix("USAGE:") && !line.isEmpty
        }
        var head = Array(lines.prefix(while: isHead))
        lines = lines.dropFirst(head.count)
        var first = head.isEmpty ? "" : head.removeFirst()
        if first.hasPrefix("Error: ") { first.removeFirst("Error: ".count) }
        let choices = head.filter { $0.hasPrefix("  - ") }.map { String($0.dropFirst(4)) }
        // Other spellings of the same argument add nothing.
        let rest = head.filter { !$0.hasPrefix("  - ") && !$0.hasPrefix("   or: ") }
        if let range = first.firstRange(of: ". Please provide one of ") {
            let words = choices.isEmpty ? first[range.upperBound...].drop { $0 == "." } : choices.listed("and")[...]
            help.append("give one of \(words.last == "." ? words.dropLast() : words)")
            first.removeSubrange(range.lowerBound...)
        } else if let range = first.firstRange(of: ". Did you mean ") {
            help.append("did you mean \(first[range.upperBound...])")
            first.removeSubrange(range.lowerBound...)
        } else if let name = first.firstRange(of: Self.invalid),
            let end = first[name.upperBound...].firstRange(of: "': ")
        {
            // The advice of the value's form.
            help.append(String(first[end.upperBound...]))
            first.removeSubrange(first.index(after: end.lowerBound)...)
        }
        message = ([first.prefix(1).lowercased() + first.dropFirst()] + rest).joined(separator: "\n")
        let usage = lines.first { $0.hasPrefix("Usage: ") }.map { String($0.dropFirst("Usage: ".count)) }
        let path = Self.path(of: usage?.split(separator: " ").dropFirst().map(String.init) ?? [])
        if usage?.hasSuffix("<subcommand>") == true, let quoted = Self.quoted(message) {
            // ArgumentParser names an option that follows the unknown command.
            self = UsageMessage(
                unknownCommand: words.dropFirst(path.count).first { !$0.hasPrefix("-") } ?? quoted,
                behind: path
            )
            return
        }
        if message.hasPrefix("unknown option '"), let word = Self.quoted(message) {
            // ArgumentParser suggests too many options, so the nearest is found here.
            let flags = CommandOptions(OpenMarketCommand.command(in: path).type).options.map(\.setting.flag)
            help = Suggestion.nearest(to: word, in: flags).map { ["did you mean '\($0)'?"] } ?? []
        }
        correctMissingValue(path, words)
        if help.isEmpty, let option = lines.first(where: { $0.hasPrefix("Help:") }) {
            help.append(String(option.dropFirst("Help:".count).drop { $0 == " " }))
        }
        self.usage = usage
        help.append("`\(([Self.name] + path).joined(separator: " ")) --help` says more")
    }

    /// Reports a word that is not a subcommand of the command at `path`.
    init(unknownCommand word: String, behind path: [String]) {
        let below = OpenMarketCommand.command(in: path).type.configuration.subcommands
        let names = below.map { $0._commandName }
        message = "unknown command '\(word)'"
        help = [
            Suggestion.nearest(to: word, in: names + below.flatMap { $0.configuration.aliases })
                .map { "did you mean '\($0)'?" } ?? "the commands are \(names.listed("and"))"
        ]
    }

    /// Checks the word after `help`; `nil` if it is a command.
    static func unknownTopic(in words: [String]) -> UsageMessage? {
        guard words.first == "help" else { return nil }
        let topic = Array(words.dropFirst())
        let path = Self.path(of: topic)
        guard let word = topic.dropFirst(path.count).first, !word.hasPrefix("-"),
            !OpenMarketCommand.command(in: path).type.configuration.subcommands.isEmpty
        else { return nil }
        return UsageMessage(unknownCommand: word, behind: path)
    }

    /// The line that points to the help of a command whose arguments were wrong.
    static func pointer(_ arguments: [String]) -> String {
        let path = path(of: Array(arguments.dropFirst()))
        return "`\(([name] + path).joined(separator: " ")) --help` has the right form"
    }

    private static let name = OpenMarketCommand.configuration.commandName ?? ""

    /// The names of the command that the words begin with, without the program's own.
    private static func path(of words: [String]) -> [String] {
        Array(words.prefix(OpenMarketCommand.command(in: words).count))
    }

    private static func quoted(_ text: String) -> String? {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? String(parts[1]) : nil
    }

    /// ArgumentParser's message for a value that the option's type does not take.
    private static let invalid = "is invalid for '--"
    private static let missing = "missing value for '"

    /// Explains an option without a value, or with a negative number as its value.
    ///
    /// ArgumentParser takes the negative number for the next option.
    private mutating func correctMissingValue(_ path: [String], _ words: [String]) {
        guard message.hasPrefix(Self.missing) else { return }
        let flag = message.dropFirst(Self.missing.count).prefix { $0 != " " && $0 != "'" }
        let number = zip(words, words.dropFirst()).first { word, next in
            word == flag && next.first == "-" && next.dropFirst().first?.isNumber ?? false
        }?.1
        // No form accepts NUL.
        let fault = Self.fault(of: "\(flag)=\(number ?? "\0")", in: path)
        if let number {
            guard let fault else { return help = ["write \(flag)=\(number)"] }
            message = fault.message
        }
        help = Array(fault?.help.prefix(1) ?? [])
    }

    /// Checks the value of an option in a word such as `--timeout=soon`; `nil` if it is valid.
    static func fault(of word: String, in command: [String]) -> UsageMessage? {
        do {
            _ = try OpenMarketCommand.parseAsRoot(command + [word])
            return nil
        } catch {
            let text = OpenMarketCommand.fullMessage(for: error)
            return text.contains(invalid) ? UsageMessage(text) : nil
        }
    }
}
