import Crypto
package import OpenMarket
import OpenMarketFiles

extension SavedPlan {
    /// The plan for the products that a filter accepts.
    package func decided(by filter: KeyFilter) -> SavedPlan {
        var decided = self
        decided.plan = plan.selecting(by: filter)
        return decided
    }

    /// The plan without the operations that a file of decisions rejects, and the journal's record of them.
    ///
    /// Throws ``CommandFailure`` if they cannot be read or are about another plan, and `FileError`.
    package func decided(byFile file: String) throws -> (plan: SavedPlan, decisions: RunDecisions) {
        let bytes = try InputFile.bytes(of: file)
        var decided = self
        let decisions: PlanDecisions
        do throws(DocumentError) {
            decisions = try PlanDecisions(bytes: bytes)
        } catch {
            throw CommandFailure(decisions: file, error)
        }
        let content = contentDigest
        guard decisions.plan == content else {
            throw CommandFailure(
                .stalePlan,
                "the decisions are about the plan sha256:\(decisions.plan), and this one is sha256:\(content); "
                    + "no change was sent",
                help: "have this plan decided, on its own page"
            )
        }
        do throws(DocumentError) {
            let verdict = try decisions.verdicts(on: items)
            decided.plan = plan.selecting { verdict($0) == .approve }
        } catch {
            throw CommandFailure(decisions: file, error)
        }
        let record = RunDecisions(
            by: decisions.by,
            rejected: plan.operations.count - decided.plan.operations.count,
            file: ContentDigest(bytes: SHA256.hash(data: bytes))
        )
        return (decided, record)
    }
}

extension CommandFailure {
    fileprivate init(decisions file: String, _ error: DocumentError) {
        self.init(
            .invalidInput,
            "\(file): \(error.place.isEmpty ? "" : "\(error.place) ")\(error.message)",
            help: "the page of the plan saves such a file: openmarket show PLAN --write html=FILE"
        )
    }
}
