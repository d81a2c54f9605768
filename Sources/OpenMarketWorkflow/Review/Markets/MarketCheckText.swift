import OpenMarket
import OpenMarketDescription

extension MarketCheck {
    package func text(_ style: Style) -> String {
        func section(_ title: String, _ rows: [(label: String, text: String)]) -> String {
            let width = rows.map { $0.label.columns }.max() ?? 0
            return "\n\(style(.bold, title))\n"
                + rows.map { "  \($0.label.padded(to: width))  \($0.text.terminalSafe)\n" }.joined()
        }
        guard let market, diagnostics.isEmpty else {
            return "\n" + style(.boldRed, "✗ not valid: ") + diagnostics.counted + "\n"
        }
        let about = (market.about.map { "\(market.name): \($0)" } ?? market.name).terminalSafe
        var text = style(.boldGreen, "✓ valid") + "  \(file.terminalSafe): \(about)\n"
        text +=
            market.probed.map { "tried on \($0.terminalSafe)\n" }
            ?? style(.yellow, "described from documentation, not probed") + "\n"
        text += section("Manifest keys", needs(of: market))
        text += section("A product", product(of: market))
        text += section("Operations", capabilities(of: market))
        text += section("Proofs that a read catalog is complete", proofs(of: market))
        text += section("Every request that can be sent", []) + market.requestForms([:]).text(style)
        text += section("Digest to accept before the first write", [("sha256:\(digest)", "")])
        return text
    }

    private func needs(of market: MarketDescription) -> [(label: String, text: String)] {
        let parameters = market.parameters.map { parameter in
            let what = "a \(parameter.value.kind.rawValue)" + (parameter.value.about.map { ": \($0)" } ?? "")
            return ("market.parameters.\(parameter.name)", what)
        }
        let capabilities = market.capabilities()
        let slots = capabilities.credentials.keys.map { key in
            let uses = [
                (capabilities.credentialsForReading, "to read"), (capabilities.credentialsForWriting, "to write"),
            ]
            .filter { $0.0.keys.contains(key) }.map(\.1)
            return ("market.\(key)", "sent \(uses.joined(separator: " and "))")
        }
        return [("market.url", "the market's address")] + parameters + slots
    }

    private func product(of market: MarketDescription) -> [(label: String, text: String)] {
        func names(_ fields: [MarketDescription.Fields.Name]) -> String {
            fields.isEmpty ? "none" : fields.map(\.rawValue).joined(separator: ", ")
        }
        let id = market.identity.id
        let kind = id.kind == .integer ? "a whole number" : "a text"
        var rows = [
            ("id", kind + (id.order == .rising ? ", greater for later products" : "")),
            ("a row shows", names(market.rowFields)),
        ]
        let more = market.detailFields.filter { !market.rowFields.contains($0) }
        if !more.isEmpty { rows.append(("a detail adds", names(more))) }
        rows.append(("requests send", names(market.writtenFields)))
        guard !market.writtenFields.isEmpty else { return rows }
        rows.append(("can be taken away", names(market.clearableFields)))
        if !market.echoedFields.isEmpty { rows.append(("comes back otherwise", names(market.echoedFields))) }
        if let count = market.pictureCount { rows.append(("pictures", ProductLimits.words(count))) }
        return rows
    }

    private func capabilities(of market: MarketDescription) -> [(label: String, text: String)] {
        var rows = Capability.allCases.map { capability in
            let obstacles = capability.obstacles(in: market)
            return (capability.rawValue, obstacles.isEmpty ? "yes" : "no: " + obstacles.joined(separator: "; "))
        }
        let grades = market.grades
        rows.append(("after a lost reply", "grade \(grades[0].rawValue): \(grades[0].meaning)"))
        for grade in grades.dropFirst() { rows.append(("", "then \(grade.rawValue): \(grade.meaning)")) }
        return rows
    }

    private func proofs(of market: MarketDescription) -> [(label: String, text: String)] {
        let plan = market.proofs
        let attempts = plan.attempts.enumerated().map { index, proof in
            (proof.rawValue, index == 0 ? "tried first" : "tried if those above fail")
        }
        let none = [("none", "an export warns that it may be incomplete; plan and apply are refused")]
        return (attempts.isEmpty ? none : attempts)
            + plan.others.map { ($0.proof.rawValue, "not tried: " + $0.reasons.joined(separator: "; ")) }
    }
}
