import ArgumentParser
import OpenMarket

/// A further output of a check: `sarif=faults.sarif`.
struct ReportOutputOption: ExpressibleByArgument {
    enum Format: String, CaseIterable {
        case json
        case sarif
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
    /// The further outputs of a check that flags or `OPENMARKET_WRITE` ask for; what that variable asks of plans is theirs.
    func outputs(_ flags: [ReportOutputOption]) throws -> [ReportOutputOption] {
        guard flags.isEmpty else { return flags }
        return try list([], .write).compactMap { text in
            if let output = ReportOutputOption(argument: text) { return output }
            guard PlanOutputOption(argument: text) != nil else {
                throw CommandFailure(
                    .usage,
                    "\(Setting.write.variable): '\(text)' is not a value that \(Setting.write.flag) takes"
                )
            }
            return nil
        }
    }
}
