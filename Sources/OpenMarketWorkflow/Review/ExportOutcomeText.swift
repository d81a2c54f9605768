import OpenMarket

/// The result of an export, for people.
package struct ExportOutcomeText {
    package init() {}

    /// The parts of the catalog that a manifest leaves out, a line each.
    package func omissions(_ outcome: ExportOutcome) -> [String] {
        var lines: [String] = []
        if outcome.foreignProducts > 0 {
            lines.append("Left out \(counted(outcome.foreignProducts, "product")) of other vendors")
        }
        lines += LeftOutProduct.lines(outcome.otherKinds)
        if outcome.omittedValues > 0 {
            let values = counted(outcome.omittedValues, "value")
            lines.append("Left out \(values) that a manifest cannot say, each with a comment")
        }
        return lines
    }

    /// The older exports that still exist, with the reason, a line each.
    package func warnings(_ outcome: ExportOutcome) -> [String] {
        outcome.removal.altered.map {
            "warning: \($0.terminalSafe) does not match its certificate, and was not removed"
        } + outcome.removal.faults.map { "warning: \($0)".terminalSafe }
    }

    /// The files written and removed.
    package func result(_ outcome: ExportOutcome, at path: String) -> String {
        let removed = outcome.removal.count
        let rest = removed == 0 ? "" : ", and removed \(counted(removed, "older export"))"
        return "Exported \(counted(outcome.certificate.rows, "product")) to \(path.terminalSafe)" + rest
    }

    package func kept(_ pictures: KeptPictures) -> String {
        "Kept \(counted(pictures.count, "picture")) in \(pictures.folder.terminalSafe), \(pictures.fetched) of them fetched"
    }
}
