import ArgumentParser
import OpenMarket

/// A format that a command also writes.
protocol OutputFormat: RawRepresentable<String>, CaseIterable, Sendable {
    /// What the file holds.
    var content: OutputContent { get }
}

/// The formats of a plan.
enum PlanFormat: String, OutputFormat {
    case text
    case json
    case markdown
    case html

    var content: OutputContent {
        switch self {
        case .text: .text
        case .json: .json
        case .markdown: .markdown
        case .html: .html
        }
    }
}

/// The formats of a check's faults.
enum ReportFormat: String, OutputFormat {
    case json
    case sarif

    var content: OutputContent { self == .json ? .json : .sarif }
}

/// The formats of what would be written into manifests.
enum DriftFormat: String, OutputFormat {
    case diff

    var content: OutputContent { .diff }
}

/// A further output of a command: `markdown=plan.md`.
struct OutputOption<Format: OutputFormat>: FormedValue, Sendable {
    static var form: String { Format.allCases.map { "\($0.rawValue)=FILE" }.joined(separator: " or ") }

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
    /// The further outputs that flags or `OPENMARKET_WRITE` ask for; what that variable asks of other commands is theirs.
    ///
    /// - Returns: the outputs, each declared as such.
    /// - Throws: ``CommandFailure`` with exit 64.
    func outputs<Format: OutputFormat>(_ flags: [OutputOption<Format>]) throws -> [OutputOption<Format>] {
        let outputs = try named(flags)
        for output in outputs {
            try OutputPlace.declare(
                output.file,
                "\(Setting.write.flag) \(output.format.rawValue)=",
                as: output.format.content
            )
        }
        return outputs
    }

    private func named<Format: OutputFormat>(_ flags: [OutputOption<Format>]) throws -> [OutputOption<Format>] {
        guard flags.isEmpty else { return flags }
        return try list([], .write).compactMap { text in
            if let output = OutputOption<Format>(argument: text) { return output }
            guard
                OutputOption<PlanFormat>(argument: text) != nil || OutputOption<ReportFormat>(argument: text) != nil
                    || OutputOption<DriftFormat>(argument: text) != nil
            else {
                throw CommandFailure(
                    .usage,
                    "\(Setting.write.variable): '\(text)' is not a value that \(Setting.write.flag) takes"
                )
            }
            return nil
        }
    }
}
