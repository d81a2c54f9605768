@testable import OpenMarket
@testable import OpenMarketManifest

/// What must hold for tables, whatever the bytes.
enum TableFuzz {
    /// What is wrong with the reader or the decoder; `nil` when nothing is.
    static func fault(_ bytes: [UInt8]) -> String? {
        let whole = rows(bytes, by: max(bytes.count, 1))
        for length in [1, 7] where rows(bytes, by: length) != whole { return "reads otherwise in pieces of \(length)" }
        let loaded = ManifestLoader().decode(table: bytes, name: "t.csv")
        for diagnostic in loaded.diagnostics {
            if diagnostic.message.isEmpty { return "a diagnostic without a message" }
            let places = [diagnostic.location] + diagnostic.notes.map(\.location)
            for place in places.compactMap({ $0 }) {
                guard let position = place.position else { continue }
                guard (1...bytes.count + 1).contains(Int(position.line)), position.column >= 1,
                    position.column <= bytes.count + 1
                else { return "a place outside of the table: \(place)" }
            }
        }
        guard let manifest = loaded.manifest else { return "bytes in memory that cannot be opened" }
        if manifest.isComplete { return "a table that lists all products" }
        var keys: Set<String> = []
        for listing in manifest.listings {
            if !keys.insert(listing.key).inserted { return "the key '\(listing.key)' appears twice" }
            if listing.key.isEmpty { return "a product without a key" }
        }
        return nil
    }

    /// All rows, or those before a fault, and the fault.
    private static func rows(_ bytes: [UInt8], by length: Int) -> [[[UInt8]]] {
        var reader = CSVReader()
        var rows: [[[UInt8]]] = []
        func take() throws(CSVFault) {
            while try reader.next() {
                let row = reader.row
                rows.append([Array("\(row.number)".utf8)] + (0..<row.count).map { row.withBytes(at: $0, Array.init) })
            }
        }
        do throws(CSVFault) {
            var rest = bytes[...]
            while !rest.isEmpty {
                reader.feed(Array(rest.prefix(length)))
                rest = rest.dropFirst(length)
                try take()
            }
            reader.finish()
            try take()
        } catch {
            rows.append([Array("\(error.kind) \(error.row) \(error.cell)".utf8)])
        }
        return rows
    }
}
