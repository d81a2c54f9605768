import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// The table of all keys.
struct SchemaTests {
    @Test func `the keys of the Korean page are keys of the schema`() throws {
        let manual = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("docs/ko/manifest.md")
        let text = String(decoding: try Data(contentsOf: manual), as: UTF8.self)
        var listed: [String: [String]] = [:]
        for part in text.split(separator: "<!-- keys: ").dropFirst() {
            let lines = part.split(separator: "\n").prefix { $0 != "<!-- end -->" }
            let path = try #require(lines.first?.split(separator: " ").first.map { String($0) })
            listed[path] = lines.filter { $0.hasPrefix("| `") }.map { line in
                String(line.dropFirst(3).prefix { $0 != "`" })
            }
        }
        let keys = Dictionary(
            uniqueKeysWithValues: ManifestSchema.mappings.map {
                ($0.path.isEmpty ? "manifest" : $0.path, Set($0.entries.map(\.key)))
            }
        )
        #expect(listed.count > 1)
        for (path, names) in listed {
            let known = try #require(keys[path], "\(path)")
            #expect(!names.isEmpty && known.isSuperset(of: names), "\(path): \(names)")
        }
    }

    @Test func `every key of the schema is known where it is, and suggested for a misspelling`() {
        for mapping in ManifestSchema.mappings {
            for (key, _) in mapping.entries {
                for name in [key, key + "x"] {
                    let text = Self.manifest(with: name, at: mapping.path)
                    let diagnostics = ManifestLoader().decode(Array(text.utf8)).diagnostics
                    let isStock = mapping.path.hasSuffix("stock")
                    let refusal = isStock ? "'stock' must be a number or {initial: N}" : "unknown key"
                    let helps = diagnostics.filter { $0.message.hasPrefix(refusal) }.map(\.help)
                    #expect(helps == (name == key ? [] : [isStock ? nil : "did you mean '\(key)'?"]), "\(text)")
                }
            }
        }
    }

    /// A manifest with a key at a place, its value aside.
    private static func manifest(with key: String, at path: String) -> String {
        switch path {
        case "": "\(key): 1\n"
        case "products[]": "products: [{\(key): 1}]\n"
        case "adjust[]": "adjust: [{\(key): 1}]\n"
        case "products[].stock": "products: [{stock: {\(key): 1}}]\n"
        case "market.limits": "market: {limits: {\(key): 1}}\n"
        case "policies.on_drift": "policies: {on_drift: {\(key): 1}}\n"
        default: "\(path): {\(key): 1}\n"
        }
    }
}
