import OpenMarket

/// What an export is whose certificate it has been compared with, for people.
package struct CertifiedExportText {
    private let style: Style

    /// A renderer with colours or without.
    package init(style: Style = .plain) { self.style = style }

    /// The export in a line.
    package func render(_ export: CertifiedExport, named path: String) -> String {
        let certificate = export.certificate
        var words =
            "\(path.terminalSafe)  \(counted(certificate.rows, "product")), sha256:\(certificate.digest.abbreviated)"
        if let end = certificate.endedAt { words += ", exported \(end.terminalSafe)" }
        if let market = certificate.market { words += " from \(market.terminalSafe)" }
        if certificate.catalogMoved { words += "; \(CatalogGap.moved)" }
        if certificate.isUnproved { words += "; \(CatalogGap.unproved)" }
        return style(.boldGreen, "✓ valid") + "  \(words)\n"
    }
}
