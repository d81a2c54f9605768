@testable import OpenMarket
@testable import OpenMarketTestSupport

/// An option or argument of a command that takes a value, as the program itself describes it.
struct CommandLineOption: Hashable, Sendable {
    /// The command: `state export`.
    var command: String
    /// Its name without dashes; `nil` for an argument without one.
    var name: String?
    /// What the help calls the value.
    var valueName: String
    /// Whether the help says that the value is a file or a folder.
    var isFile: Bool

    /// All of the program.
    static func all(in folder: String) async throws -> [CommandLineOption] {
        let dump = try await Program(Openmarket.path, ["--experimental-dump-help"], folder: folder).run()
        let root = try JSONValue.parse(dump.stdout)["command"]
        return root.map { options(of: $0, path: []) } ?? []
    }

    private static func options(of command: JSONValue, path: [String]) -> [CommandLineOption] {
        let own = (command["arguments"]?.elements ?? []).compactMap { argument -> CommandLineOption? in
            guard ["option", "positional"].contains(argument["kind"]?.text) else { return nil }
            let completion = argument["completionKind"]
            return CommandLineOption(
                command: path.joined(separator: " "),
                name: argument["preferredName"]?["name"]?.text,
                valueName: argument["valueName"]?.text ?? "",
                isFile: completion?["file"] != nil || completion?["directory"] != nil
            )
        }
        let below = (command["subcommands"]?.elements ?? []).flatMap { sub in
            options(of: sub, path: path + [sub["commandName"]?.text ?? ""])
        }
        return own + below
    }
}
