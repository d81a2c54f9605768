import OpenMarket
import OpenMarketWorkflow
import Subprocess
import SystemPackage

/// Commands of the user's that run when an export has ended, such as a health check's ping.
struct CompletionCommands {
    /// Runs when the export is complete, which something has to prove.
    let onSuccess: String?
    /// Runs when it is not.
    let onFailure: String?
    let console: Console
    /// The variables that hold credentials of the market's: asked for where a command is to run.
    let credentials: () async -> Set<String>

    /// Runs the command for an outcome, and waits for it.
    ///
    /// It learns the exit code from `OPENMARKET_EXIT` and what went wrong from `OPENMARKET_ERROR`. Its words go to stderr,
    /// and its failure is said and changes nothing. Whom it talks to needs no secret of the market's.
    func run(after error: (any Error)?) async {
        let failure = error.flatMap { CommandFailure($0) }
        let status = failure?.status ?? .success
        let isComplete = ExportOutcome.isComplete(after: error)
        guard let command = isComplete ? onSuccess : onFailure else { return }
        var changes: [Environment.Key: String?] = [
            "OPENMARKET_EXIT": "\(status.rawValue)", "OPENMARKET_ERROR": failure?.message ?? "",
        ]
        for name in await credentials() { changes[Environment.Key(stringLiteral: name)] = .some(nil) }
        let flag = isComplete ? Setting.onSuccess.flag : Setting.onFailure.flag
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
            case .exited(let code): console.complain("warning: the command of \(flag) ended with exit code \(code)")
            case .signaled(let signal):
                console.complain("warning: the command of \(flag) was ended by signal \(signal)")
            }
        } catch {
            console.complain("warning: the command of \(flag) could not be run: \(error)".terminalSafe)
        }
    }
}
