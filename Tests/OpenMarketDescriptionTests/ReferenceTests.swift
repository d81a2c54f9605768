import OpenMarketDescription
import OpenMarketTestSupport
import Testing

/// What is made of the tables of the language, and what follows from descriptions.
struct ReferenceTests {
    @Test func `the reference has a table for each section`() {
        expectGolden(MarketLanguage.reference.utf8, "reference.md")
    }

    @Test(arguments: DescribedMarkets.names)
    func `what follows from a description`(_ name: String) throws {
        let market = try DescribedMarkets.market(name)
        var text = "grades: \(market.grades.map(\.rawValue).joined(separator: ", "))\n"
        text += "proofs: \(market.proofs.attempts.map(\.rawValue).joined(separator: ", "))\n"
        for other in market.proofs.others {
            text += "not \(other.proof.rawValue): \(other.reasons.joined(separator: "; "))\n"
        }
        text += "\n"
        for capability in Capability.allCases {
            let obstacles = capability.obstacles(in: market)
            text +=
                "\(capability.rawValue): \(obstacles.isEmpty ? "yes" : "no, " + obstacles.joined(separator: "; "))\n"
        }
        for (endpoint, sample) in zip(market.endpoints, market.sampleRequests(["currency": "EUR"])) {
            text += "\n\(endpoint.operation.rawValue): \(endpoint.description)\n"
            for line in sample.lines { text += line.isEmpty ? "\n" : "    \(line)\n" }
        }
        expectGolden(text.utf8, "\(name).txt")
    }
}
