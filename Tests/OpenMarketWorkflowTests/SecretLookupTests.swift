@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketWorkflow

/// Secrets are found again by what a plan remembers of them.
struct SecretLookupTests {
    @Test func `of a saved plan those are found that are still there, others are missed later`() throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write("lamp.key", "of the lamp\r\n")
        var saved = SavedPlan()
        saved.identifier = .environment("VENDOR")
        saved.secret = .environment("GONE")
        let deletion = PlannedOperation.Deletion(id: 7, live: ProductValues(name: "Lamp"))
        saved.plan.operations = ["lamp", "shade"].map { key in
            PlannedOperation(key: key, reason: "gone", secret: .file(file), work: .delete(deletion))
        }
        let lookup = SecretLookup(environment: ["VENDOR": "our number", "OTHER": "not the plan's"])
        #expect(Set(lookup.found(of: saved).map(\.revealed)) == ["our number", "of the lamp"])
        #expect(throws: CommandFailure(.invalidInput, "the environment variable GONE is not set")) {
            try lookup.resolve(.environment("GONE"))
        }
        #expect(try lookup.itemSecrets(of: saved).mapValues(\.revealed) == [.file(file): "of the lamp"])
    }

    @Test func `a password that is written out is its product's, wherever that is in the list`() throws {
        let folder = try TemporaryDirectory()
        func write(_ keys: String...) throws -> String {
            try folder.write(
                "shop.yaml",
                "market: {url: \"http://market\", api: v1a, secret: all}\nproducts:\n"
                    + keys.map { "  - {key: \($0), id: \($0.utf8.count), secret: password-of-\($0)}\n" }.joined()
            )
        }
        let file = try write("lamp", "fan")
        let lamp = SecretReference.manifest(file, path: "products[lamp].secret")
        let lookup = SecretLookup(environment: [:])
        #expect(try lookup.resolve(lamp).value.revealed == "password-of-lamp")
        _ = try write("fan", "lamp")
        #expect(try lookup.resolve(lamp).value.revealed == "password-of-lamp")
        _ = try write("fan")
        #expect(throws: CommandFailure.self) { try lookup.resolve(lamp) }
    }
}
