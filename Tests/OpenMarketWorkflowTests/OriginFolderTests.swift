import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// The names of files in the state.
struct OriginFolderTests {
    @Test func `a file has its path whether or not it is there, and what is no file has none`() throws {
        let folder = try TemporaryDirectory()
        let lamps = try folder.write("catalog/lamps.yaml", "products: []\n")
        let origins = OriginFolder(folder.path)
        #expect(origins.origin(of: lamps) == "catalog/lamps.yaml")
        // A saved plan is applied without its manifest, and a pull writes the manifest last.
        #expect(origins.origin(of: folder.path + "/shop.yaml") == "shop.yaml")
        #expect(origins.origin(of: "<stdin>") == "-" && origins.origin(of: "/dev/fd/0") == "-")
        #expect(origins.origin(of: "/dev/null") == "-")
    }

    @Test func `origins are relative to the shop's folder, or to that of the market's file`() {
        let files = ["shop/lamps/l.yaml", "shop/m.yaml"]
        for (location, expected) in [
            ("shop/.openmarket/state.db", "lamps/l.yaml"), ("state.db", "lamps/l.yaml"),
            ("postgresql://host/shop", "lamps/l.yaml"), ("shop/lamps/.openmarket/state.db", "l.yaml"),
        ] {
            let state = OpenedState(
                MemoryState(),
                at: StateLocation(location),
                besides: files,
                marketFile: "shop/m.yaml"
            )
            #expect(state.origins.origin(of: "shop/lamps/l.yaml") == expected, "\(location)")
        }
        let state = OpenedState(MemoryState(), at: StateLocation("postgresql://host/shop"), besides: files)
        #expect(state.origins.origin(of: "shop/lamps/l.yaml") == "l.yaml")
    }

    @Test func `a file is gone only if it is certain, and read under any of its names`() throws {
        let folder = try TemporaryDirectory()
        let shop = try folder.write("shop.yaml", "products: []\n")
        try folder.write("other.yaml", "products: []\n")
        for (name, target) in [("alias.yaml", "shop.yaml"), ("loop.yaml", "loop.yaml")] {
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/" + name, withDestinationPath: target)
        }
        var entries = StateEntries()
        for origin in ["shop.yaml", "alias.yaml", "other.yaml", "loop.yaml", "gone.yaml", "-"] {
            entries.append(StateEntry(key: origin, id: 1, applied: ProductValues(), origin: origin))
        }
        let origins = OriginFolder(folder.path).origins(of: [shop], in: entries)
        #expect(origins.read == ["shop.yaml", "alias.yaml"])
        #expect(origins.gone == ["gone.yaml"])
    }
}
