@testable import OpenMarket

/// What must hold for decisions about a plan, whatever the bytes.
enum DecisionsFuzz {
    /// What is wrong with the reader; `nil` when nothing is.
    static func fault(_ bytes: [UInt8]) -> String? {
        let decisions: PlanDecisions
        do throws(DocumentError) {
            decisions = try PlanDecisions(bytes: bytes)
        } catch {
            return error.message.isEmpty ? "an error without words" : nil
        }
        let written = decisions.document.bytes()
        guard let again = try? PlanDecisions(bytes: written) else { return "writes what cannot be read" }
        if again != decisions { return "reads something else than was written" }
        let items = decisions.decisions.map(\.item)
        guard let verdict = try? decisions.verdicts(on: items), let first = items.first else { return nil }
        for decision in decisions.decisions where verdict(decision.item.key) != decision.verdict {
            return "decides otherwise"
        }
        return (try? decisions.verdicts(on: items.filter { $0 != first })) == nil ? nil : "decides what is not there"
    }
}
