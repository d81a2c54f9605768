import OpenMarket
import OpenMarketManifest
import OpenMarketWorkflow
import Subprocess
import SystemPackage

extension ExportCommand {
    /// Runs the user's command for an outcome, such as a health check's ping, and waits for it.
    ///
    /// It gets the exit code in `OPENMARKET_EXIT` and the error in `OPENMARKET_ERROR`. Its output goes to stderr. Its
    /// failure is only reported. It does not get the market's credentials because it does not need them.
    func runCommand(after error: (any Error)?, _ context: CommandContext) async {
        let console = context.console
        let failure = error.flatMap { CommandFailure($0) }
        let status = failure?.status ?? .success
        let isComplete = ExportOutcome.isComplete(after: error)
        guard let command = isComplete ? onSuccess : onFailure else { return }
        var changes: [Environment.Key: String?] = [
            "OPENMARKET_EXIT": "\(status.rawValue)", "OPENMARKET_ERROR": failure?.message ?? "",
        ]
        let credentials = await ManifestSelection.credentialVariables(
            named: selection.paths,
            environment: context.environment
        )
        for name in credentials { changes[Environment.Key(stringLiteral: name)] = .some(nil) }
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
