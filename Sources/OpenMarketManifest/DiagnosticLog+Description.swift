package import OpenMarket
import OpenMarketDescription

extension DiagnosticLog {
    /// Takes a fault of the description of a market that was begun as a source.
    mutating func add(_ fault: DescriptionFault, file: Int) {
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
    /// What is wrong with a description, each fault with its line.
    ///
    /// - Parameters:
    ///   - document: the bytes that were read.
    ///   - file: the file's name.
    /// - Returns: the faults in the order of the text.
    func diagnostics(of document: [UInt8], file: String) -> [Diagnostic] {
        faults.diagnostics(of: document, file: file)
    }
}

extension [DescriptionFault] {
    /// Each fault with its line.
    ///
    /// - Parameters:
    ///   - document: the description's bytes.
    ///   - file: the file's name.
    /// - Returns: the faults in the order of the text.
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

extension DescriptionFault.Kind {
    /// The kind of the mistake, for those that read it as data.
    fileprivate var code: Diagnostic.Code {
        switch self {
        case .text: .descriptionText
        case .shape: .descriptionShape
        case .rule: .descriptionRule
        }
    }
}
