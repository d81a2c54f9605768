import ArgumentParser
import OpenMarket

/// An option of a command, as ArgumentParser describes it, and its variable.
struct DeclaredOption: Hashable {
    /// The long name, such as `--max-delete`.
    var flag: String
    var short: Character?
    var isFlag: Bool
    var isRepeating: Bool

    /// The variable's name, such as `OPENMARKET_MAX_DELETE`.
    var variable: String { "OPENMARKET_" + flag.dropFirst(2).uppercased().replacing("-", with: "_") }

    /// Whether the option of a command accepts this value.
    ///
    /// The parser then gets as far as without the option; other arguments may be missing.
    func takes(_ value: String, in command: [String]) -> Bool {
        isFlag ? Self.isOn(value) != nil : refusal(of: value, in: command) == nil
    }

    /// The parser's message if it does not accept this value.
    func refusal(of value: String, in command: [String]) -> String? {
        func failure(_ words: [String]) -> String? {
            do {
                _ = try OpenMarketCommand.parseAsRoot(words)
                return nil
            } catch {
                return OpenMarketCommand.message(for: error)
            }
        }
        let failed = failure(command + ["\(flag)=\(value)"])
        return failed == nil || failed == failure(command) ? nil : failed
    }

    static func isOn(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "1", "true", "yes", "on": true
        case "0", "false", "no", "off": false
        default: nil
        }
    }
}

/// The options of a command, and whether it has operands.
struct CommandOptions {
    var options: [DeclaredOption] = []
    /// Whether manifests may also be given as operands.
    var takesManifests = false

    init(_ type: any ParsableArguments.Type) {
        let description = try? JSONValue.parse(Array(type._dumpHelp().utf8))
        for argument in description?["command"]?["arguments"]?.elements ?? [] {
            if argument["kind"]?.text == "positional", argument["valueName"]?.text == "manifest" {
                takesManifests = true
            }
            let names = (argument["names"]?.elements ?? []).compactMap { $0["name"]?.text }
            guard let name = names.first(where: { $0.count > 1 }), !["help", "version"].contains(name) else { continue }
            options.append(
                DeclaredOption(
                    flag: "--" + name,
                    short: names.first { $0.count == 1 }?.first,
                    isFlag: argument["kind"]?.text == "flag",
                    isRepeating: argument["isRepeating"] == .bool(true)
                )
            )
        }
    }

    /// The options in a command line, without the command's own words.
    ///
    /// `hasOperands` is true if some word is neither an option nor an option's value.
    func named(by words: some Sequence<String>) -> (flags: Set<String>, hasOperands: Bool) {
        var words = Array(words)[...]
        var flags: Set<String> = []
        while let word = words.popFirst() {
            guard word != "--" else { return (flags, !words.isEmpty) }
            guard word.hasPrefix("-"), word != "-" else { return (flags.union(named(by: words).flags), true) }
            let name = word.prefix { $0 != "=" }
            let found =
                name.hasPrefix("--")
                ? options.filter { $0.flag == name }
                : name.dropFirst().compactMap { letter in options.first { $0.short == letter } }
            flags.formUnion(found.map(\.flag))
            // The option's value is a separate word.
            if let last = found.last, !last.isFlag, name.count == word.count { words = words.dropFirst() }
        }
        return (flags, false)
    }
}

extension OpenMarketCommand {
    /// The command at the start of the words, and the number of words in its name.
    static func command(in words: [String]) -> (type: any ParsableCommand.Type, count: Int) {
        var type: any ParsableCommand.Type = OpenMarketCommand.self
        for (count, word) in words.enumerated() {
            let below = type.configuration.subcommands.first {
                $0._commandName == word || $0.configuration.aliases.contains(word)
            }
            guard let below else { return (type, count) }
            type = below
        }
        return (type, words.count)
    }

    /// Every command without subcommands, with its words.
    static var all: [(words: [String], type: any ParsableCommand.Type)] {
        func leaves(
            _ type: any ParsableCommand.Type,
            _ words: [String]
        ) -> [(words: [String], type: any ParsableCommand.Type)] {
            let below = type.configuration.subcommands
            return below.isEmpty ? [(words, type)] : below.flatMap { leaves($0, words + [$0._commandName]) }
        }
        return leaves(OpenMarketCommand.self, [])
    }
}
