import OpenMarket
import OpenMarketWorkflow

/// Shows a run repeatedly: redrawn at the same position of a terminal, otherwise as a line each time, or as NDJSON.
struct RunStatusDisplay {
    private let scope: MarketScope
    private let context: CommandContext
    private let renderer: RunStatusTextRenderer
    /// The number of terminal lines of the last status.
    private var height = 0

    init(of scope: MarketScope, _ context: CommandContext) throws {
        self.scope = scope
        self.context = context
        renderer = RunStatusTextRenderer(style: context.console.outputStyle, scope: scope)
        if context.isJSON { try context.console.writeVersion() }
    }

    mutating func show(_ status: RunStatus) throws {
        let console = context.console
        if context.isJSON { return try console.write(document: status.event(of: scope), pretty: false) }
        guard console.redrawsOutput else { return try console.write(renderer.line(status) + "\n") }
        let text = renderer.render(status)
        let back = height > 0 ? "\u{1B}[\(height)A\u{1B}[J" : ""
        // The terminal truncates long lines here, because a wrapped line would count as two.
        try console.write(back + "\u{1B}[?7l" + text + "\u{1B}[?7h")
        height = text.count { $0 == "\n" }
    }
}
