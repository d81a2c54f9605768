package import OpenMarket

extension RunUnderWay {
    /// Which run a machine takes part in, and who began it, for people.
    package var joiningText: String {
        let origin = participants.first.map { "openmarket \($0.text)" } ?? "another machine"
        return "Working on run \(record.id.rawValue.terminalSafe) of \(origin)."
    }
}

extension RunUnderWay.Participant {
    /// Which command of which process it is: `apply, process 7 on shop-1`.
    var text: String { "\(command), process \(process) on \(host)".terminalSafe }
}
