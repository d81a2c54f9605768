import OpenMarketFiles
import OpenMarketWorkflow

/// The format of a further output, named as its content; any other is text.
protocol OutputFormat: RawRepresentable<String>, CaseIterable, Sendable {}

extension PlanFormat: OutputFormat {}

enum ReportFormat: String, OutputFormat {
    case json
    case sarif
}

enum DriftFormat: String, OutputFormat {
    case diff
}

struct OutputOption<Format: OutputFormat>: Sendable {
    let format: Format
    let file: String
}

extension ValueForm {
    /// A format and a file: `markdown=plan.md`.
    static func output<Format>() -> Self where Value == OutputOption<Format> {
        let form = Format.allCases.map { "\($0.rawValue)=FILE" }.joined(separator: " or ")
        return Self(form, Format.allCases.count == 1 ? form.lowercased() : "format=file") { text in
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let format = Format(rawValue: String(parts[0])) else { return nil }
            return OutputOption(format: format, file: String(parts[1]))
        }
    }
}

extension Array {
    /// Checks the outputs and registers them.
    ///
    /// Throws ``CommandFailure`` with exit 64, or `FileConflict`.
    func declared<Format: OutputFormat>() throws -> Self where Element == OutputOption<Format> {
        for output in self {
            try FileRegister.current.declare(
                output.file,
                named: "--write \(output.format.rawValue)=",
                as: OutputContent(rawValue: output.format.rawValue) ?? .text
            )
        }
        return self
    }
}
