import ArgumentParser
import OpenMarket

/// A command line merged with the environment.
///
/// Every option that is not given and whose variable is set becomes an argument, so no command reads variables.
///
/// A variable may belong to options of several commands that take different values: `OPENMARKET_VERIFY` is a switch of
/// `apply` and a file of `export`. A value that only another command's option accepts is ignored here.
struct Invocation: Sendable {
    @TaskLocal static var current = Invocation([], environment: [:])

    /// The words of the command line, without the program's name.
    private let words: [String]
    let environment: [String: String]
    /// What the command's texts never show.
    let secrets = KnownSecrets()

    init(_ words: [String], environment: [String: String]) {
        self.words = words
        self.environment = environment
    }

    /// The settings on the command line itself, without those from variables.
    var given: Set<Setting> {
        let (type, count) = OpenMarketCommand.command(in: words)
        return CommandOptions(type).named(by: words.dropFirst(count)).settings
    }

    /// The command line merged with the environment.
    ///
    /// Throws ``CommandFailure`` with exit 64 if a variable has a value that no command's option accepts.
    func arguments() throws -> [String] {
        let asksForHelp = words.prefix { $0 != "--" }.contains { ["-h", "--help", "--version"].contains($0) }
        guard !asksForHelp, Setting.allCases.contains(where: { !(environment[$0.variable] ?? "").isEmpty }) else {
            return words
        }
        let (type, count) = OpenMarketCommand.command(in: words)
        let table = CommandOptions(type)
        let named = table.named(by: words.dropFirst(count))
        var folded: [String] = []
        for option in table.options where !named.settings.contains(option.setting) {
            guard let text = environment[option.setting.variable], !text.isEmpty else { continue }
            // Manifests given either way replace those of the variable.
            if option.setting == .file, table.takesManifests, named.hasOperands { continue }
            folded += try Self.words(for: option, of: Array(words.prefix(count)), text)
        }
        return Array(words.prefix(count)) + folded + words.dropFirst(count)
    }

    /// The words that set an option to its variable's value.
    private static func words(for option: CommandOptions.Option, of command: [String], _ text: String) throws
        -> [String]
    {
        if option.isFlag {
            if let isOn = isOn(text) { return isOn ? [option.setting.flag] : [] }
            guard isTaken(text, by: option.setting, otherThan: command) else {
                throw refusal(option.setting, text, ["write 1 or 0, true or false, yes or no"])
            }
            return []
        }
        let values = option.isRepeating ? text.split(separator: ",").map(String.init) : [text]
        return try values.compactMap { value in
            let word = "\(option.setting.flag)=\(value)"
            if let fault = UsageMessage.fault(of: word, in: command) {
                guard isTaken(value, by: option.setting, otherThan: command) else {
                    throw refusal(option.setting, value, Array(fault.help.dropLast()))
                }
                return nil
            }
            // An option that takes any text leaves `1` and `true` to another command's switch of the same setting.
            let isSwitchs =
                isOn(value) != nil && UsageMessage.fault(of: "\(option.setting.flag)=yes", in: command) == nil
                && options(of: option.setting, otherThan: command).contains { $0.option.isFlag }
            return isSwitchs ? nil : word
        }
    }

    private static func isOn(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "1", "true", "yes", "on": true
        case "0", "false", "no", "off": false
        default: nil
        }
    }

    private static func refusal(_ setting: Setting, _ text: String, _ help: [String]) -> CommandFailure {
        CommandFailure(
            .usage,
            "\(setting.variable): '\(text)' is not a value that \(setting.flag) takes",
            help: help.isEmpty ? nil : help.joined(separator: "; ")
        )
    }

    private static func isTaken(_ text: String, by setting: Setting, otherThan command: [String]) -> Bool {
        options(of: setting, otherThan: command).contains { other, option in
            option.isFlag ? isOn(text) != nil : UsageMessage.fault(of: "\(setting.flag)=\(text)", in: other) == nil
        }
    }

    /// The options of other commands with this setting.
    private static func options(
        of setting: Setting,
        otherThan command: [String]
    ) -> [(command: [String], option: CommandOptions.Option)] {
        OpenMarketCommand.all.filter { $0.words != command }.flatMap { other in
            CommandOptions(other.type).options.filter { $0.setting == setting }.map { (other.words, $0) }
        }
    }
}
