import ArgumentParser
import OpenMarket

struct CommandOptions {
    struct Option: Hashable {
        var setting: Setting
        var short: Character?
        var isFlag: Bool
        var isRepeating: Bool
    }

    var options: [Option] = []
    /// Whether manifests may also be given as operands.
    var takesManifests = false

    init(_ type: any ParsableArguments.Type) {
        let description = try? JSONValue.parse(Array(type._dumpHelp().utf8))
        for argument in description?["command"]?["arguments"]?.elements ?? [] {
            if argument["kind"]?.text == "positional", argument["valueName"]?.text == "manifest" {
                takesManifests = true
            }
            let names = (argument["names"]?.elements ?? []).compactMap { $0["name"]?.text }
            guard let setting = names.lazy.compactMap(Setting.init(rawValue:)).first else { continue }
            options.append(
                Option(
                    setting: setting,
                    short: names.first { $0.count == 1 }?.first,
                    isFlag: argument["kind"]?.text == "flag",
                    isRepeating: argument["isRepeating"] == .bool(true)
                )
            )
        }
    }

    /// The settings that a command line names, without the command's own words.
    ///
    /// `hasOperands` is true if some word is neither an option nor an option's value.
    func named(by words: some Sequence<String>) -> (settings: Set<Setting>, hasOperands: Bool) {
        var words = Array(words)[...]
        var settings: Set<Setting> = []
        while let word = words.popFirst() {
            guard word != "--" else { return (settings, !words.isEmpty) }
            guard word.hasPrefix("-"), word != "-" else {
                return (settings.union(named(by: words).settings), true)
            }
            let name = word.prefix { $0 != "=" }
            let found =
                name.hasPrefix("--")
                ? options.filter { $0.setting.flag == name }
                : name.dropFirst().compactMap { letter in options.first { $0.short == letter } }
            settings.formUnion(found.map(\.setting))
            // A value in a separate word.
            if let last = found.last, !last.isFlag, name.count == word.count { words = words.dropFirst() }
        }
        return (settings, false)
    }
}

extension OpenMarketCommand {
    /// The command that the words begin with, and the number of words in its name.
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
