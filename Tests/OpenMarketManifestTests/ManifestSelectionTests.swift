@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketManifest

/// Which manifests a command reads; the current folder of tests has no `openmarket.yaml`.
struct ManifestSelectionTests {
    @Test func `what is named is read, else the standard manifest`() {
        #expect(ManifestSelection.files(named: []) == ["openmarket.yaml"])
        #expect(ManifestSelection.files(named: ["a.yaml", "b.csv"]) == ["a.yaml", "b.csv"])
        #expect(ManifestSelection.files(named: ["b.csv"]) == ["b.csv"])
        #expect(ManifestSelection.filesOfMarket(named: []).isEmpty)
        #expect(ManifestSelection.filesOfMarket(named: ["a.yaml"]) == ["a.yaml"])
    }

    @Test func `the variables of credentials are known as far as manifests say so, whatever else is wrong with them`()
        async throws
    {
        let standard: Set = ["OPENMARKET_IDENTIFIER", "OPENMARKET_SECRET"]
        func variables(_ named: [String]) async -> Set<String> {
            await ManifestSelection.credentialVariables(named: named, environment: [:])
        }
        #expect(await variables([]) == standard)
        let folder = try TemporaryDirectory()
        let text = "market: {secret: !env SHOP_SECRET}\nproducts: [{images: [none.png]}]\n"
        let faulty = try folder.write("a.yaml", text)
        #expect(await variables([faulty]) == standard.union(["SHOP_SECRET"]))
        #expect(await variables([folder.path + "/none.yaml"]) == standard)
    }

    @Test func `a document of the tool's is not a manifest, and another JSON may be one`() throws {
        let folder = try TemporaryDirectory()
        let manifest = try folder.write("a.json", #"{"products": []}"#)
        let plan = try folder.write("b.json", #"{"format_version": 1, "tool": "openmarket 0.1.0"}"#)
        #expect(ManifestSelection.document(among: [manifest, plan, folder.path + "/none"]) == plan)
        #expect(ManifestSelection.document(among: [manifest, "-"]) == nil)
    }
}
