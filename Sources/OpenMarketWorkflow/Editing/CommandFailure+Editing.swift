import OpenMarket

extension CommandFailure {
    /// The edited manifest would have these faults.
    static func invalidEdit(_ faults: [Diagnostic]) -> CommandFailure {
        CommandFailure(
            .invalidInput,
            "the edited manifest would not be valid: \(faults.counted); no file was written",
            faults: faults
        )
    }

    /// This edit was killed between two files.
    static func interruptedEdit(_ id: String) -> CommandFailure {
        CommandFailure(
            .failure,
            "\(id) was interrupted between two files; no change was sent or written",
            help: "take it back first: openmarket undo \(id)"
        )
    }

    /// New products lack a file.
    static func noDestination(_ reason: String) -> CommandFailure {
        let help = "name one of the manifest's files with --into FILE, or with --out FILE of `pull`"
        return CommandFailure(.usage, reason, help: help)
    }
}
