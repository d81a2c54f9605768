import OpenMarket
import OpenMarketDescription
import OpenMarketTestSupport
import Testing

@testable import OpenMarketWorkflow

/// Secrets are found again by what a plan remembers of them.
struct SecretLookupTests {
    @Test func `of a saved plan those are found that are still there, others are missed later`() throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write("lamp.key", "of the lamp\n")
        var saved = SavedPlan.blank
        saved.identifier = .environment("VENDOR")
        saved.secret = .environment("GONE")
        let deletion = PlannedOperation.Deletion(id: 7, live: ProductValues(name: "Lamp"))
        saved.plan.operations = ["lamp", "shade"].map { key in
            PlannedOperation(key: key, reason: "gone", secret: .file(file), work: .delete(deletion))
        }
        let lookup = SecretLookup(environment: ["VENDOR": "our number", "OTHER": "not the plan's"])
        #expect(Set(lookup.found(of: saved).map(\.revealed)) == ["our number", "of the lamp"])
        #expect(throws: SecretLookupError.unset(variable: "GONE")) { try lookup.resolve(.environment("GONE")) }
        #expect(try lookup.itemSecrets(of: saved).mapValues(\.revealed) == [.file(file): "of the lamp"])
    }
}
