import ArgumentParser
import FoundationEssentials
import OpenMarket
import OpenMarketReview

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The version of the tool, as `--version`, plans and the user agent say it.
let toolVersion = "0.1.0"

/// The command line.
struct OpenMarketCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openmarket",
        abstract: "Keeps the listings of an Open Market shop in a YAML file.",
        discussion: """
            Every flag has a variable: --max-delete is OPENMARKET_MAX_DELETE. A flag wins over its variable, \
            a variable over the manifest.
            """,
        version: toolVersion,
        subcommands: [
            ValidateCommand.self, PlanCommand.self, ShowCommand.self, ApplyCommand.self, ExportCommand.self,
            PullCommand.self, ConvertCommand.self, PingCommand.self, SchemaCommand.self, StateCommand.self,
            HistoryCommand.self,
            ServeCommand.self,
            DemoCommand.self,
        ]
    )
}

/// Runs the command line and turns whatever comes out of it into an exit code.
@main
enum Main {
    static func main() async {
        // Before anything is opened.
        _ = StandardStreams.closed
        OpenFileLimit.raise()
        // A reader that closes the pipe early is answered by an error of write, not by the end of the process.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try OpenMarketCommand.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(report(error))
        }
    }

    private static func report(_ error: any Error) -> Int32 {
        let console = Console(
            noColor: CommandLine.arguments.contains(Setting.noColor.flag),
            environment: ProcessInfo.processInfo.environment
        )
        guard let failure = CommandFailure(error) else {
            // Usage, help and version are ArgumentParser's to say.
            OpenMarketCommand.exit(withError: error)
        }
        if let message = failure.message {
            console.complain(console.errorStyle(.boldRed, "error: ") + message.terminalSafe)
        }
        if let help = failure.help {
            console.complain(console.errorStyle(.cyan, "  help: ") + help.terminalSafe)
        }
        return failure.status.rawValue
    }
}
