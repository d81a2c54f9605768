import FoundationEssentials
import OpenMarket
import OpenMarketCatalogFiles
import OpenMarketClient
import OpenMarketFiles
import OpenMarketReview
import OpenMarketWorkflow
import SystemPackage

/// Asks whether a catalog without products is to be believed, before it takes the place of one with products.
struct EmptyExport {
    /// How many products of the state, and of the earlier file, are asked for.
    static let sample = 20
    /// How much of the earlier file is looked at.
    private static let beginningSize = 1 << 16

    /// Where the export goes.
    let path: String
    /// As what the file there is read.
    var role = FileRole.ownExport
    /// The newest products that the state knows.
    let managed: [ProductID]

    /// Makes sure that the products of the state and of the earlier file are gone.
    ///
    /// - Throws: ``CommandFailure`` with exit 5 when one is there, or when nothing can be asked for, and `MarketError`.
    func confirm(by market: MarketClient) async throws {
        let earlier = try earlierRows()
        let ids = Set(managed + (earlier ?? []))
        for id in ids.sorted(by: >) where try await market.product(id) != nil {
            throw refusal("product \(id) is on the market")
        }
        guard let earlier, earlier.isEmpty else { return }
        throw refusal("nothing confirms that the products in \(path.terminalSafe) are gone")
    }

    private func refusal(_ why: String) -> CommandFailure {
        CommandFailure(
            .refused,
            "the market's list is empty, and \(why); nothing was written",
            help: "try again; \(Setting.allowEmpty.flag) writes an export without products all the same"
        )
    }

    /// The rows at the beginning of the file that is to be replaced: their ids, where they stand in front; `nil` where
    /// there are none.
    private func earlierRows() throws -> [ProductID]? {
        guard path != "-", FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            var beginning = try beginning()
            if beginning.starts(with: CatalogDatabase.magic) {
                let ids = try CatalogDatabase.newestProducts(in: path, atMost: Self.sample)
                return ids.isEmpty ? nil : ids
            }
            if beginning.starts(with: GzipReader.magic) { beginning = try Self.decompressed(beginning) }
            return ExportFormat(fileName: path) == .manifest ? Self.pins(beginning) : Self.rows(beginning)
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure(.invalidInput, "cannot read \(path.terminalSafe): \(error)")
        }
    }

    /// The products that a manifest pins by their numbers.
    private static func pins(_ text: [UInt8]) -> [ProductID]? {
        let ids = text.split(separator: UInt8(ascii: "\n")).compactMap { line -> ProductID? in
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard words.count == 2, words[0] == "id:" else { return nil }
            return Int64(words[1]).map { ProductID($0) }
        }
        return ids.isEmpty ? nil : Array(ids.prefix(sample))
    }

    private static func rows(_ text: [UInt8]) -> [ProductID]? {
        let lines = text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        // The first line of a table is its header; each of JSON Lines is a product.
        let rows = lines.filter { !$0.isEmpty }.dropFirst(lines.first?.hasPrefix("{") ?? false ? 0 : 1)
        guard !rows.isEmpty else { return nil }
        let ids = rows.compactMap { row in
            let number = row.hasPrefix(#"{"id":"#) ? row.dropFirst(6) : row[...]
            return Int64(number.prefix { $0.isNumber }).map { ProductID($0) }
        }
        return Array(ids.prefix(sample))
    }

    private func beginning() throws -> [UInt8] {
        let descriptor = try InputFile.open(path, as: role)
        return try descriptor.closeAfter {
            try [UInt8](unsafeUninitializedCapacity: Self.beginningSize) { buffer, count in
                count = try descriptor.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
    }

    private static func decompressed(_ bytes: [UInt8]) throws -> [UInt8] {
        var text: [UInt8] = []
        let reader = try GzipReader()
        try reader.decompress(bytes) { if text.count < beginningSize { text += $0 } }
        return text
    }
}
