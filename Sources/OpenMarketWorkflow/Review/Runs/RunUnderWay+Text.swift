package import OpenMarket

extension RunUnderWay {
    /// The run that a machine joins, and the process that began it.
    package var joiningText: String {
        let origin = participants.first.map { "openmarket \($0.text)" } ?? "another machine"
        return "Working on run \(record.id.rawValue.terminalSafe) of \(origin)."
    }
}

extension RunUnderWay.Participant {
    /// The command and its process: `apply, process 7 on shop-1`.
    var text: String { "\(command), process \(process) on \(host)".terminalSafe }
}
