package import OpenMarket
import OpenMarketDescription

extension DiagnosticLog {
    /// Adds a fault of a market description that was begun as a source.
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
    /// The faults of a description in the order of the text, each with its line.
    func diagnostics(of document: [UInt8], file: String) -> [Diagnostic] {
        faults.diagnostics(of: document, file: file)
    }
}

extension [Problem] {
    /// The faults in the order of the text, each with its line.
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
    /// The kind of the mistake, for programs.
    fileprivate var code: Diagnostic.Code {
        switch self {
        case .text: .descriptionText
        case .shape: .descriptionShape
        case .rule: .descriptionRule
        }
    }
}
