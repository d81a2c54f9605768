package import OpenMarket
import OpenMarketDescription

extension MarketReport {
    /// One line for each fact about the market at a URL.
    package func text(of url: String, _ style: Style = .plain) -> String {
        let names = profiles.map(\.name).joined(separator: " or ")
        let remark = profiles == [.v1a, .v1b] ? " (they cannot be distinguished by reading)" : ""
        var lines = [("market", url), ("api", names + remark)]
        if let isHealthy { lines.append(("health", isHealthy ? "OK" : "not healthy")) }
        lines.append(("first page", "\(counted(pageRows, "product")) in \(pageMilliseconds) ms"))
        if let total { lines.append(("products", "\(total)")) }
        switch credentials {
        case .accepted: lines.append(("credentials", style(.green, "accepted")))
        case .rejected(let why): lines.append(("credentials", style(.red, "rejected: ") + why.terminalSafe))
        case .notTried(let why): lines.append(("credentials", "not tried: \(why.terminalSafe)"))
        }
        return lines.map { "\($0.padded(to: 12)) \($1)\n" }.joined()
    }
}
