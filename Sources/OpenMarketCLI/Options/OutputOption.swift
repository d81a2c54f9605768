import OpenMarketFiles
import OpenMarketWorkflow

protocol OutputFormat: RawRepresentable<String>, CaseIterable, Sendable {
    var content: OutputContent { get }
}

extension PlanFormat: OutputFormat {
    var content: OutputContent {
        switch self {
        case .text: .text
        case .json: .json
        case .markdown: .markdown
        case .html: .html
        }
    }
}

enum ReportFormat: String, OutputFormat {
    case json
    case sarif

    var content: OutputContent { self == .json ? .json : .sarif }
}

enum DriftFormat: String, OutputFormat {
    case diff

    var content: OutputContent { .text }
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
                as: output.format.content
            )
        }
        return self
    }
}
