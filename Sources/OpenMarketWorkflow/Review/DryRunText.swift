package import OpenMarket

extension PlannedOperation {
    /// The operation and a request of it, for people; the lines contain no credentials.
    package func text(ofRequest lines: [String], _ style: Style = .plain) -> String {
        let head = style(.dim, "# \(key.terminalSafe): \(reason.terminalSafe)")
        return ([head] + lines.map(\.terminalSafe)).joined(separator: "\n") + "\n\n"
    }

    package static func dryRunText(_ count: Int) -> String {
        "Dry run: \(counted(count, "request")) would be sent, none was."
    }
}
