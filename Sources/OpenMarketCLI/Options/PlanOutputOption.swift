import ArgumentParser
import OpenMarket

/// A further output of a plan: `markdown=plan.md`.
struct PlanOutputOption: ExpressibleByArgument {
    enum Format: String, CaseIterable {
        case text
        case json
        case markdown
        case html
    }

    let format: Format
    let file: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let format = Format(rawValue: String(parts[0])) else { return nil }
        self.format = format
        self.file = String(parts[1])
    }
}

extension Settings {
    /// The further outputs that flags or `OPENMARKET_WRITE` ask for.
    func outputs(_ flags: [PlanOutputOption]) throws -> [PlanOutputOption] {
        guard flags.isEmpty else { return flags }
        return try list([], .write).compactMap { text in
            if let output = PlanOutputOption(argument: text) { return output }
            // What is said to checks is not said to plans.
            guard ReportOutputOption(argument: text) != nil else {
                throw CommandFailure(
                    .usage,
                    "\(Setting.write.variable): '\(text)' is not a value that \(Setting.write.flag) takes"
                )
            }
            return nil
        }
    }
}
