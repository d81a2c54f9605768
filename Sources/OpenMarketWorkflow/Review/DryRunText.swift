package import OpenMarket

/// The requests that a plan would send, for people, each below its operation.
package struct DryRunText {
    private let style: Style

    package init(style: Style = .plain) { self.style = style }

    /// A request and an empty line; the lines contain no credentials.
    package func render(_ operation: PlannedOperation, _ lines: [String]) -> String {
        let head = style(.dim, "# \(operation.key.terminalSafe): \(operation.reason.terminalSafe)")
        return ([head] + lines.map(\.terminalSafe)).joined(separator: "\n") + "\n\n"
    }

    package func closing(_ count: Int) -> String { "Dry run: \(counted(count, "request")) would be sent, none was." }
}
