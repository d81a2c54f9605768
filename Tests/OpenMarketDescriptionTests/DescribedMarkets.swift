import FoundationEssentials
import OpenMarket
import OpenMarketDescription

/// The markets that are described here: those of the program and those of the fixtures.
enum DescribedMarkets {
    static let names = [
        "v1a", "v1b", "v2a", "v2b", "json-files", "medusa", "oscar", "postgrest", "pretix", "shopify", "square",
        "woocommerce",
    ]

    /// A description's file.
    static func document(_ name: String) throws -> [UInt8] {
        if let market = BuiltInMarket(rawValue: name) { return market.document }
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/\(name).market.yaml")
        return [UInt8](try Data(contentsOf: file))
    }

    /// A description's file as text.
    static func text(_ name: String) throws -> String { String(decoding: try document(name), as: UTF8.self) }

    /// A description that nothing is wrong with.
    static func market(_ name: String) throws -> MarketDescription {
        let loaded = MarketDescriptionLoader.load(try document(name))
        guard let description = loaded.description else { throw Faulty(faults: loaded.faults) }
        return description
    }

    struct Faulty: Error, CustomStringConvertible {
        var faults: [DescriptionFault]
        var description: String { faults.map(\.description).joined(separator: "\n") }
    }
}
