package import OpenMarket

extension [Problem] {
    /// The faults of a market description, sorted by position, each with its line.
    package func diagnostics(of document: [UInt8], file: String) -> [Diagnostic] {
        var log = DiagnosticLog()
        let source = ManifestSource(name: file, folder: ".")
        source.isDescription = true
        source.keep([document])
        log.begin(source)
        for fault in self {
            log.add(
                .error,
                fault.kind.code,
                fault.message,
                file: log.file,
                span: fault.position.map { SourceSpan(start: $0) },
                path: fault.path,
                help: fault.help
            )
        }
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
