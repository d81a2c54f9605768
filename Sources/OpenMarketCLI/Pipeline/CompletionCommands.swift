import OpenMarket
import OpenMarketWorkflow
import Subprocess
import SystemPackage

/// The user's commands that run after an export, such as a health check's ping.
struct CompletionCommands {
    /// Runs if the export is proven complete.
    let onSuccess: String?
    /// Runs if the export is not proven complete.
    let onFailure: String?
    let console: Console
    /// The variables that hold the market's credentials, requested only if a command runs.
    let credentials: () async -> Set<String>

    /// Runs the command for an outcome, and waits for it.
    ///
    /// It gets the exit code in `OPENMARKET_EXIT` and the error in `OPENMARKET_ERROR`. Its output goes to stderr. Its
    /// failure is only reported. It does not get the market's credentials because it does not need them.
    func run(after error: (any Error)?) async {
        let failure = error.flatMap { CommandFailure($0) }
        let status = failure?.status ?? .success
        let isComplete = ExportOutcome.isComplete(after: error)
        guard let command = isComplete ? onSuccess : onFailure else { return }
        var changes: [Environment.Key: String?] = [
            "OPENMARKET_EXIT": "\(status.rawValue)", "OPENMARKET_ERROR": failure?.message ?? "",
        ]
        for name in await credentials() { changes[Environment.Key(stringLiteral: name)] = .some(nil) }
        let flag = isComplete ? "--on-success" : "--on-failure"
        do {
            let ended = try await Subprocess.run(
                .path("/bin/sh"),
                arguments: ["-c", command],
                environment: .inherit.updating(changes),
                input: .none,
                output: .fileDescriptor(.standardError, closeAfterSpawningProcess: false),
                error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false)
            )
            switch ended.terminationStatus {
            case .exited(0): break
            case .exited(let code): console.printError("warning: the command of \(flag) ended with exit code \(code)")
            case .signaled(let signal):
                console.printError("warning: the command of \(flag) was ended by signal \(signal)")
            }
        } catch {
            console.printError("warning: the command of \(flag) could not be run: \(error)".terminalSafe)
        }
    }
}
