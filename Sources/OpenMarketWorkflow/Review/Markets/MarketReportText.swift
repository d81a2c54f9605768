package import OpenMarket
import OpenMarketDescription

package struct MarketReportText {
    private let style: Style

    package init(style: Style = .plain) { self.style = style }

    /// One line for each fact.
    package func render(_ report: MarketReport, of url: String) -> String {
        let profiles = report.profiles.map(\.name).joined(separator: " or ")
        let remark = report.profiles == [.v1a, .v1b] ? " (they cannot be distinguished by reading)" : ""
        var lines = [("market", url), ("api", profiles + remark)]
        if let isHealthy = report.isHealthy { lines.append(("health", isHealthy ? "OK" : "not healthy")) }
        lines.append(("first page", "\(counted(report.pageRows, "product")) in \(report.pageMilliseconds) ms"))
        if let total = report.total { lines.append(("products", "\(total)")) }
        switch report.credentials {
        case .accepted: lines.append(("credentials", style(.green, "accepted")))
        case .rejected(let why): lines.append(("credentials", style(.red, "rejected: ") + why.terminalSafe))
        case .notTried(let why): lines.append(("credentials", "not tried: \(why.terminalSafe)"))
        }
        return lines.map { "\($0.padded(to: 12)) \($1)\n" }.joined()
    }
}
