import OpenMarket

/// Describes an export that was compared with its certificate, for people.
package struct CertifiedExportText {
    private let style: Style

    package init(style: Style = .plain) { self.style = style }

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
