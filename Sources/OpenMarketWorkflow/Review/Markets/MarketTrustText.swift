import OpenMarket
import OpenMarketDescription

extension MarketTrust {
    /// The text that a person reviews before anything is sent to a described market.
    ///
    /// It lists every request that can be sent, and the digest that is accepted with them.
    package func text(_ style: Style) -> String {
        let name = profile.name.terminalSafe
        var text =
            switch standing {
            case .changed(let before):
                "The description of \(name) is not the one that was accepted (sha256:\(before)).\n"
                    + "The state stays the same, and finds products by their ids: if the list is another catalog now, "
                    + "give the description another name.\n"
            case .new, .builtIn, .accepted:
                "\(name) is described in a file, which defines the requests to \(url.terminalSafe).\n"
            }
        text += "\n\(style(.bold, "Every request that it can send"))\n" + requests.text(style)
        return text + "\n\(style(.bold, "Description"))  sha256:\(profile.digest)\n"
    }
}

extension [RequestForm] {
    /// A paragraph for each request; headers that all have come last.
    func text(_ style: Style) -> String {
        let common = first.map { first in
            first.headers.filter { header in allSatisfy { $0.headers.contains(header) } }
        }
        var text = ""
        let width = map { $0.operation.rawValue.columns }.max() ?? 0
        let indentation = String(repeating: " ", count: width + 6)
        for request in self {
            let operation = style(.bold, request.operation.rawValue.padded(to: width))
            text += "  \(operation)  \(request.method.rawValue) \(request.address.terminalSafe)\n"
            let headers = request.headers.filter { !(common ?? []).contains($0) }
            for line in headers + request.bodyLines { text += indentation + line.terminalSafe + "\n" }
        }
        if let common, !common.isEmpty {
            text += "  \("all".padded(to: width))  \(common.joined(separator: ", ").terminalSafe)\n"
        }
        return text
    }
}

extension RequestForm {
    fileprivate var bodyLines: [String] {
        var lines: [String] = []
        if !constants.isEmpty { lines.append("always " + constants.joined(separator: ", ")) }
        if !places.isEmpty { lines.append("fills " + places.joined(separator: ", ")) }
        if !hidden.isEmpty { lines.append("of a probe " + hidden.joined(separator: ", ")) }
        return lines
    }
}
