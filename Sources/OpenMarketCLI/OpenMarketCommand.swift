import ArgumentParser
import CBuild
import FoundationEssentials
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow
import OpenMarketState

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The version of the tool in plans, packages and the user agent.
let toolVersion = "0.1.0"

/// The version and, in a package, the commit of the build: `0.1.0 (1a2b3c4d5e6f)`.
private let builtVersion: String = {
    let commit = String(cString: openmarket_commit())
    return commit.isEmpty ? toolVersion : "\(toolVersion) (\(commit))"
}()

struct OpenMarketCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openmarket",
        abstract: "Keeps the listings of a shop in a YAML file.",
        discussion: """
            The shop is on an Open Market, or on any market whose API a file describes (openmarket market --help).

            To begin: openmarket demo shows it at work. openmarket init writes a first manifest, openmarket pull one of the \
            products that a shop has, openmarket convert one of another shop's table.

            Every flag has a variable: --max-delete is OPENMARKET_MAX_DELETE. A flag wins over its variable, \
            a variable over the manifest.
            """,
        version: builtVersion,
        subcommands: [
            ValidateCommand.self, PlanCommand.self, ShowCommand.self, ApplyCommand.self, WorkCommand.self,
            ExportCommand.self,
            InitCommand.self, PullCommand.self, ConvertCommand.self, PingCommand.self, MarketCommand.self,
            SchemaCommand.self,
            StateCommand.self,
            HistoryCommand.self,
            StatusCommand.self,
            ServeCommand.self,
            DemoCommand.self,
        ]
    )
}

extension Invocation {
    /// Runs the command line with its own register of files.
    func run() async throws {
        let register = FileRegister { StateFile.owns($0) ? .state : [] }
        try await FileRegister.$current.withValue(register) {
            try await KnownSecrets.$current.withValue(secrets) {
                try await Invocation.$current.withValue(self) {
                    var command = try OpenMarketCommand.parseAsRoot(arguments())
                    if var command = command as? any AsyncParsableCommand {
                        try await command.run()
                    } else {
                        try command.run()
                    }
                }
            }
        }
    }
}

/// Runs the command line and converts every error into an exit code.
@main
enum Main {
    static func main() async {
        // This must come before anything is opened.
        _ = StandardStreams.closed
        let openFiles = OpenFileLimit.raise()
        // If a reader closes the pipe early, the write fails instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        let environment = ProcessInfo.processInfo.environment
        let invocation = Invocation(Array(CommandLine.arguments.dropFirst()), environment: environment)
        do {
            try requireRoom(openFiles)
            guard CommandLine.arguments.count > 1 else {
                try console.write(OpenMarketCommand.helpMessage() + "\n")
                exit(ExitStatus.usage.rawValue)
            }
            warnOfUnknownVariables(environment)
            try await invocation.run()
        } catch {
            exit(KnownSecrets.$current.withValue(invocation.secrets) { report(error) })
        }
    }

    /// Checks that the threads of the network library, one a processor, may open their three files each: it would trap.
    private static func requireRoom(_ openFiles: UInt64) throws(CommandFailure) {
        let needed = UInt64(32 + 4 * ProcessInfo.processInfo.activeProcessorCount)
        guard openFiles >= needed else {
            throw CommandFailure(
                .failure,
                "only \(openFiles) files may be open at once, and at least \(needed) have to be",
                help: "allow more: ulimit -n \(needed)"
            )
        }
    }

    /// Warns of variables that resemble an option's variable but belong to none.
    private static func warnOfUnknownVariables(_ environment: [String: String]) {
        let known = Setting.allCases.map(\.variable)
        let others = Set(known).union(ManifestOptions.credentialVariables)
        for name in environment.keys.sorted() where name.hasPrefix("OPENMARKET_") && !others.contains(name) {
            guard let near = Suggestion.nearest(to: name, in: known),
                !CommandLine.arguments.contains(where: { ["-q", Setting.quiet.flag].contains($0) })
            else { continue }
            console.complain("warning: the variable \(name.terminalSafe) is not read; did you mean '\(near)'?")
        }
    }

    /// Prints errors outside of a command, whose options are not known then, without the current secrets.
    private static var console: Console {
        Console(
            noColor: CommandLine.arguments.contains(Setting.noColor.flag),
            environment: ProcessInfo.processInfo.environment
        )
    }

    private static func report(_ error: any Error) -> Int32 {
        guard let failure = CommandFailure(error) else {
            let words = Array(CommandLine.arguments.dropFirst())
            let topic = UsageMessage.unknownTopic(in: words)
            // ArgumentParser prints help and version.
            guard topic != nil || OpenMarketCommand.exitCode(for: error) != .success else {
                OpenMarketCommand.exit(withError: error)
            }
            let usage = topic ?? UsageMessage(OpenMarketCommand.fullMessage(for: error), of: words)
            say(usage.message, help: usage.help)
            if let usage = usage.usage { console.complain("  usage: " + usage) }
            return ExitStatus.usage.rawValue
        }
        var help = failure.help
        if failure.status == .usage { help = help ?? UsageMessage.pointer(CommandLine.arguments) }
        say(failure.message, help: help.map { [$0] } ?? [])
        return failure.status.rawValue
    }

    private static func say(_ message: String?, help: [String]) {
        let console = console
        if let message {
            console.complain(console.errorStyle(.boldRed, "error: ") + message.terminalSafe)
        }
        for line in help { console.complain(console.errorStyle(.cyan, "  help: ") + line.terminalSafe) }
    }
}
