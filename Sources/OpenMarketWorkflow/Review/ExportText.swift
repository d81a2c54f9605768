import OpenMarket
import OpenMarketFiles

extension ExportOutcome {
    /// The parts of the catalog that a manifest leaves out, a line each.
    package var omissions: [String] {
        var lines: [String] = []
        if foreignProducts > 0 { lines.append("Left out \(counted(foreignProducts, "product")) of other vendors") }
        lines += LeftOutProduct.lines(otherKinds)
        if omittedValues > 0 {
            lines.append(
                "Left out \(counted(omittedValues, "value")) that a manifest cannot express, each with a comment"
            )
        }
        return lines
    }

    /// The older exports that still exist, and the copy that is missing, with the reason, a line each.
    package var warnings: [String] {
        removal.altered.map { "warning: \($0.terminalSafe) does not match its certificate, and was not removed" }
            + removal.faults.map { "warning: \($0)".terminalSafe }
            + [copyFault].compactMap(\.self).map { "warning: no copy of the export is kept: \($0)".terminalSafe }
    }

    package func text(at path: String) -> String {
        let rest = removal.count == 0 ? "" : ", and removed \(counted(removal.count, "older export"))"
        return "Exported \(counted(certificate.rows, "product")) to \(path.terminalSafe)" + rest
    }
}

extension KeptPictures {
    package var text: String {
        "Kept \(counted(count, "picture")) in \(folder.terminalSafe), \(fetched) of them fetched"
    }
}

extension CertifiedExport {
    /// The export, which matches its certificate.
    package func text(_ style: Style) -> String {
        var words =
            "\(path.terminalSafe)  \(counted(certificate.rows, "product")), sha256:\(certificate.digest.abbreviated)"
        if let end = certificate.endedAt { words += ", exported \(end.terminalSafe)" }
        if let market = certificate.market?.url { words += " from \(market.terminalSafe)" }
        if certificate.catalogMoved { words += "; \(CatalogGap.moved)" }
        if certificate.isUnproved { words += "; \(CatalogGap.unproved)" }
        return style(.boldGreen, "✓ valid") + "  \(words)\n"
    }
}
