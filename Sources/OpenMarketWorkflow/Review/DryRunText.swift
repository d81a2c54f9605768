package import OpenMarket

/// The requests that a plan would send, for people: each below what it is for.
package struct DryRunText {
    private let style: Style

    /// A renderer with colours or without.
    package init(style: Style = .plain) { self.style = style }

    /// A request, and an empty line.
    ///
    /// - Parameters:
    ///   - operation: what it would be sent for.
    ///   - lines: the request, without credentials.
    /// - Returns: the text.
    package func render(_ operation: PlannedOperation, _ lines: [String]) -> String {
        let head = style(.dim, "# \(operation.key.terminalSafe): \(operation.reason.terminalSafe)")
        return ([head] + lines.map(\.terminalSafe)).joined(separator: "\n") + "\n\n"
    }

    /// How many requests there are.
    package func closing(_ count: Int) -> String { "Dry run: \(counted(count, "request")) would be sent, none was." }
}
