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
            The shop is on an Open Market, or on any market whose API a file describes (`openmarket market --help`).

            To begin: `openmarket demo` shows it at work. `openmarket init` writes a first manifest. `openmarket pull` \
            writes one of the products that a shop has, `openmarket convert` one of another shop's table.

            Every flag has a variable: --max-delete is OPENMARKET_MAX_DELETE. A flag wins over its variable, \
            a variable over the manifest. Times are 500ms, 30s, 5m or 1h.

            Exit \(ExitStatus.allCases.map { "\($0.rawValue): \($0.meaning)." }.joined(separator: " "))
            """,
        version: builtVersion,
        subcommands: [
            ValidateCommand.self, EditCommand.self, UndoCommand.self,
            PlanCommand.self, ShowCommand.self, ApplyCommand.self, WorkCommand.self,
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
    /// Runs the command line with a new register of files.
    func run() async throws {
        let register = FileRegister(
            recognizing: { StateFile.owns($0) ? .state : [] },
            holdsOtherTables: CatalogLibraries.holdsOtherTables
        )
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
        // This must precede the opening of any file.
        _ = StandardStreams.closed
        OpenFileLimit.raise()
        // If a reader closes the pipe early, the write fails instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        let environment = ProcessInfo.processInfo.environment
        let invocation = Invocation(Array(CommandLine.arguments.dropFirst()), environment: environment)
        do {
            guard CommandLine.arguments.count > 1 else {
                try console.write(OpenMarketCommand.helpMessage() + "\n")
                exit(ExitStatus.usage.rawValue)
            }
            try await invocation.run()
        } catch {
            exit(KnownSecrets.$current.withValue(invocation.secrets) { report(error) })
        }
    }

    /// The console for errors outside of a command: without its options, which are unknown then, and with current
    /// secrets masked.
    private static var console: Console {
        Console(
            noColor: CommandLine.arguments.contains("--no-color"),
            environment: ProcessInfo.processInfo.environment
        )
    }

    private static func report(_ error: any Error) -> Int32 {
        let console = Self.console
        guard let failure = CommandFailure(error) else {
            // ArgumentParser prints help and version.
            guard OpenMarketCommand.exitCode(for: error) != .success else { OpenMarketCommand.exit(withError: error) }
            console.printError(OpenMarketCommand.fullMessage(for: error).terminalSafeLines)
            return ExitStatus.usage.rawValue
        }
        console.report(failure.faults)
        if let message = failure.message {
            console.printError(console.errorStyle(.boldRed, "error: ") + message.terminalSafe)
        }
        if let help = failure.help ?? (failure.status == .usage ? usageHelp : nil) {
            console.printError(console.errorStyle(.cyan, "  help: ") + help.terminalSafe)
        }
        return failure.status.rawValue
    }

    private static var usageHelp: String {
        let words = Array(CommandLine.arguments.dropFirst())
        let command = words.prefix(OpenMarketCommand.command(in: words).count)
        return "`\((["openmarket"] + command).joined(separator: " ")) --help` has the right form"
    }
}
