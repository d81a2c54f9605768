import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

struct IncludeTests: ~Copyable {
    private let folder = try! TemporaryDirectory()

    private func load(_ names: String..., outside: Bool = false) -> LoadedManifest {
        var options = ManifestOptions()
        options.allowOutside = outside
        return ManifestLoader(options: options).load(names.map { folder.path + "/" + $0 })
    }

    private func faults(_ loaded: LoadedManifest) -> [String] {
        loaded.diagnostics.map {
            "\($0.location?.description ?? "-"): \($0.message)".replacing(folder.path + "/", with: "")
        }
    }

    private func files(_ loaded: LoadedManifest) -> [String] {
        (loaded.manifest?.files ?? []).map { $0.replacing(folder.path + "/", with: "") }
    }

    private func write(_ name: String, _ key: String, _ sections: String = "") throws {
        try folder.write(name, sections + "products: [{key: \(key), id: \(key.utf8.first ?? 0)}]\n")
    }

    @Test func `files and folders are read depth first, each relative to the file that says it, and once`() async throws
    {
        try write("m.yaml", "m", "include: [catalog, winter/w.yaml]\n")
        try write("catalog/b.yaml", "b")
        try write("catalog/a.yaml", "a", "include: [../winter]\n")
        try folder.write("catalog/shop.market.yaml", "not: read")
        try write("winter/w.yaml", "w", "include: [deep/x.yml]\n")
        try write("winter/deep/x.yml", "x")
        let loaded = load("m.yaml")
        #expect(loaded.diagnostics == [])
        let order = [
            "m.yaml", "catalog/a.yaml", "catalog/../winter/w.yaml", "catalog/../winter/deep/x.yml", "catalog/b.yaml",
        ]
        #expect(files(loaded) == order)
        #expect(loaded.manifest?.listings.map(\.key) == ["m", "a", "w", "x", "b"])
        // What is named as well is not read again, whichever is first.
        #expect(files(load("winter/deep/x.yml", "m.yaml")).count == 5)
        let path = folder.path + "/m.yaml"
        let other = await ManifestLoader().load([path])
        #expect(files(other) == order && other.manifest?.digest == loaded.manifest?.digest)
        // The digest, and with it an approval, is of all files.
        try write("winter/deep/x.yml", "y")
        #expect(load("m.yaml").manifest?.digest != loaded.manifest?.digest)
    }

    @Test func `a cycle ends at the line that closes it`() throws {
        try write("m.yaml", "m", "include: [a.yaml]\n")
        try write("a.yaml", "a", "include:\n  - b.yaml\n")
        try write("b.yaml", "b", "include:\n  - b.yaml\n  - a.yaml\n  - m.yaml\n")
        #expect(
            faults(load("m.yaml")) == [
                "b.yaml:2:5: b.yaml includes this file, directly or not",
                "b.yaml:3:5: a.yaml includes this file, directly or not",
                "b.yaml:4:5: m.yaml includes this file, directly or not",
            ]
        )
        // A folder may be named by a file in it.
        try write("c/m.yaml", "m", "include: [.]\n")
        try write("c/n.yaml", "n")
        let loaded = load("c/m.yaml")
        #expect(loaded.diagnostics == [] && loaded.manifest?.listings.map(\.key) == ["m", "n"])
    }

    @Test func `what is missing, outside or no manifest is an error at its line`() throws {
        try folder.write("x.csv", "key,price\n")
        try folder.write("out.yaml", "products: []\n")
        try folder.write("empty/readme", "")
        try write("s/m.yaml", "m", "include: [lmaps.yaml, ../out.yaml, ../x.csv, ../empty]\n")
        try write("s/lamps.yaml", "l")
        #expect(
            faults(load("s/m.yaml")) == [
                "s/m.yaml:1:11: s/lmaps.yaml does not exist",
                "s/m.yaml:1:23: s/../out.yaml is outside the manifest's folder",
                "s/m.yaml:1:36: s/../x.csv is outside the manifest's folder",
                "s/m.yaml:1:46: s/../empty is outside the manifest's folder",
            ]
        )
        #expect(load("s/m.yaml").diagnostics.first?.help == "did you mean 'lamps.yaml'?")
        #expect(
            faults(load("s/m.yaml", outside: true)) == [
                "s/m.yaml:1:11: s/lmaps.yaml does not exist",
                "s/m.yaml:1:36: s/../x.csv is not a YAML file, and cannot be included",
                "s/m.yaml:1:46: s/../empty has no *.yaml or *.yml files",
            ]
        )
    }

    @Test func `an included file includes what is in the folder of the named one, and no more`() throws {
        try write("m.yaml", "m", "include: [deep/a.yaml]\n")
        try write("deep/a.yaml", "a", "include: [../b.yaml]\n")
        try write("b.yaml", "b")
        #expect(load("m.yaml").diagnostics == [])
        #expect(faults(load("deep/a.yaml")).count == 1)
        // A link out of an included folder is not followed either.
        try write("links/m.yaml", "m", "include: [more]\n")
        try folder.write("links/more/x.txt", "")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/links/more/out.yaml",
            withDestinationPath: folder.path + "/b.yaml"
        )
        #expect(
            faults(load("links/m.yaml")) == ["links/m.yaml:1:11: links/more/out.yaml is outside the manifest's folder"]
        )
    }

    @Test func `pictures of a table in the shop's folder are anywhere in it`() throws {
        try folder.write("shop/m.yaml", "market: {vendor_id: 1}\n")
        try folder.write("shop/tables/t.csv", "id,images\n1,../a.jpg\n2,../../b.jpg\n")
        for name in ["shop/a.jpg", "b.jpg"] { try folder.write(name, SamplePictures.jpeg()) }
        #expect(
            faults(load("shop/m.yaml", "shop/tables/t.csv")) == [
                "shop/tables/t.csv:3:images: ../../b.jpg is outside the manifest's folder"
            ]
        )
        #expect(faults(load("shop/tables/t.csv")).count == 2)
    }

    @Test func `pictures of an included file are in the folder of the named one`() throws {
        try write("shop/m.yaml", "m", "include: [deep/a.yaml]\n")
        try folder.write("shop/deep/a.yaml", "products: [{key: a, id: 1, images: [../a.jpg, ../../b.jpg]}]\n")
        for name in ["shop/a.jpg", "b.jpg"] { try folder.write(name, SamplePictures.jpeg()) }
        #expect(
            faults(load("shop/m.yaml")) == ["shop/deep/a.yaml:1:47: ../../b.jpg is outside the manifest's folder"]
        )
        #expect(faults(load("shop/deep/a.yaml")).count == 2)
        #expect(load("shop/m.yaml").manifest?.market.file == nil)
        try write("shop/m.yaml", "m", "include: [deep/c.yaml]\n")
        try folder.write("shop/deep/c.yaml", "market: {vendor_id: 1}\n")
        #expect(load("shop/m.yaml").manifest?.market.file?.hasSuffix("/deep/c.yaml") == true)
    }

    @Test(arguments: ["include: a.yaml\n", "include: []\n", "include: {a: b}\n"])
    func `an include that is no list is refused`(text: String) throws {
        try folder.write("m.yaml", text)
        #expect(load("m.yaml").diagnostics.map(\.code) == [.wrongType])
    }

    @Test func `sections come from one file of all`() throws {
        try write("m.yaml", "m", "include: [a.yaml]\ndefaults: {currency: KRW}\n")
        try write("a.yaml", "a", "defaults: {currency: USD}\n")
        #expect(faults(load("m.yaml")) == ["a.yaml:1:1: 'defaults' is given a second time"])
    }
}
