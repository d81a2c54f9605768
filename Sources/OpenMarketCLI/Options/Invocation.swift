import ArgumentParser
import OpenMarket
import OpenMarketWorkflow

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
    /// The secrets that the command's output may not contain.
    let secrets = KnownSecrets()

    init(_ words: [String], environment: [String: String]) {
        self.words = words
        self.environment = environment
    }

    /// The options on the command line itself, such as `--yes`, without those from variables.
    var given: Set<String> {
        let (type, count) = OpenMarketCommand.command(in: words)
        return CommandOptions(type).named(by: words.dropFirst(count)).flags
    }

    /// Throws ``CommandFailure`` with exit 64 if the command line itself contains one of these options.
    ///
    /// A variable may be meant for another use of the command.
    func refuse(_ flags: [String], _ reason: String) throws(CommandFailure) {
        guard let flag = flags.first(where: given.contains) else { return }
        throw CommandFailure(.usage, "\(flag) \(reason)")
    }

    /// The command line merged with the environment.
    ///
    /// Throws ``CommandFailure`` with exit 64 if a variable has a value that no command's option accepts.
    func arguments() throws -> [String] {
        if words.first == "help" { try Self.requireTopic(Array(words.dropFirst())) }
        let asksForHelp = words.prefix { $0 != "--" }.contains { ["-h", "--help", "--version"].contains($0) }
        guard !asksForHelp, environment.keys.contains(where: { $0.hasPrefix("OPENMARKET_") }) else { return words }
        let (type, count) = OpenMarketCommand.command(in: words)
        let command = Array(words.prefix(count))
        let table = CommandOptions(type)
        let named = table.named(by: words.dropFirst(count))
        let folded = try table.options.flatMap { option -> [String] in
            guard !named.flags.contains(option.flag), let text = environment[option.variable], !text.isEmpty,
                // Manifests as operands or options replace those of the variable.
                !(option.flag == "--file" && table.takesManifests && named.hasOperands)
            else { return [] }
            return try Self.words(for: option, of: command, text)
        }
        return command + folded + words.dropFirst(count)
    }

    /// Throws ``CommandFailure`` with exit 64 for `help` about an unknown command; ArgumentParser would show the
    /// parent's help.
    private static func requireTopic(_ words: [String]) throws(CommandFailure) {
        let (type, count) = OpenMarketCommand.command(in: words)
        guard let word = words.dropFirst(count).first, !word.hasPrefix("-"), !type.configuration.subcommands.isEmpty
        else { return }
        throw CommandFailure(.usage, "unknown command '\(word)'")
    }

    /// The words that set an option to its variable's value.
    private static func words(for option: DeclaredOption, of command: [String], _ text: String) throws -> [String] {
        let values = option.isRepeating ? text.split(separator: ",").map(String.init) : [text]
        return try values.flatMap { value -> [String] in
            guard option.takes(value, in: command) else {
                // An option that takes any text does not identify the value.
                let isOthers = others(option, command).contains { command, other in
                    other.takes(value, in: command) && (other.isFlag || !other.takes("yes", in: command))
                }
                guard !isOthers else { return [] }
                throw CommandFailure(
                    .usage,
                    "\(option.variable): '\(value)' is not a value that \(option.flag) takes",
                    help: option.isFlag ? "write yes or no" : option.refusal(of: value, in: command)
                )
            }
            if option.isFlag { return DeclaredOption.isOn(value) == true ? [option.flag] : [] }
            // An option that takes any text ignores `1` and `true` if another command has a switch of the same name.
            let isSwitchs =
                DeclaredOption.isOn(value) != nil && option.takes("yes", in: command)
                && others(option, command).contains { $0.option.isFlag }
            return isSwitchs ? [] : ["\(option.flag)=\(value)"]
        }
    }

    /// The options of other commands with the same name.
    private static func others(
        _ option: DeclaredOption,
        _ command: [String]
    ) -> [(command: [String], option: DeclaredOption)] {
        OpenMarketCommand.all.filter { $0.words != command }.flatMap { other in
            CommandOptions(other.type).options.filter { $0.flag == option.flag }.map { (other.words, $0) }
        }
    }
}
