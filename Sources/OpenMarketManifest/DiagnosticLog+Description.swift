package import OpenMarket
import OpenMarketDescription

extension DiagnosticLog {
    /// Adds a fault of a market description that was added as a source.
    mutating func add(_ fault: Problem, file: Int) {
        add(
            .error,
            fault.kind.code,
            fault.message,
            file: file,
            span: fault.position.map { SourceSpan(start: $0, length: nil) },
            path: fault.path,
            help: fault.help
        )
    }
}

extension MarketDescriptionLoader.Loaded {
    /// The faults of a description, sorted by position, each with its line.
    func diagnostics(of document: [UInt8], file: String) -> [Diagnostic] {
        faults.diagnostics(of: document, file: file)
    }
}

extension [Problem] {
    /// The faults, sorted by position, each with its line.
    package func diagnostics(of document: [UInt8], file: String) -> [Diagnostic] {
        var log = DiagnosticLog()
        let source = ManifestSource(name: file, folder: ".")
        source.isDescription = true
        source.keep([document])
        log.begin(source)
        for fault in self { log.add(fault, file: log.file) }
        return log.finished()
    }
}

extension Problem.Kind {
    fileprivate var code: Diagnostic.Code {
        switch self {
        case .text: .descriptionText
        case .shape: .descriptionShape
        case .rule: .descriptionRule
        }
    }
}
