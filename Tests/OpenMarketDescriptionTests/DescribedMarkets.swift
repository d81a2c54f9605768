import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription

/// The markets that are described here: those of the program, of the examples and of the fixtures.
enum DescribedMarkets {
    static let names = ["v1a", "v1b", "v2a", "v2b", "medusa", "postgrest", "shopify", "square"] + examples

    /// A description's file.
    static func document(_ name: String) throws -> [UInt8] {
        if let market = BuiltInMarket(rawValue: name) { return market.document }
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let folder =
            examples.contains(name) ? examplesFolder : tests.appendingPathComponent("Fixtures")
        return [UInt8](try Data(contentsOf: folder.appendingPathComponent("\(name).market.yaml")))
    }

    /// The project's folder.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let examplesFolder = root.appendingPathComponent("examples/markets")

    /// The markets of `examples/markets`, as the folder has them.
    static let examples: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: examplesFolder.path)) ?? []
        return names.filter { $0.hasSuffix(".market.yaml") }.map { String($0.dropLast(".market.yaml".count)) }.sorted()
    }()

    /// A description's file as text.
    static func text(_ name: String) throws -> String { String(decoding: try document(name), as: UTF8.self) }

    /// A description that nothing is wrong with.
    static func market(_ name: String) throws -> MarketDescription {
        let loaded = MarketDescriptionLoader.load(try document(name))
        guard let description = loaded.description else { throw Faulty(faults: loaded.faults) }
        return description
    }

    struct Faulty: Error, CustomStringConvertible {
        var faults: [Problem]
        var description: String { faults.map(\.description).joined(separator: "\n") }
    }
}
