import GRDB
import OpenMarket

/// A ``StateEntry`` as a row of columns: reading 100 000 of them back must not cost a JSON parser.
enum EntryRow {
    static let columns = """
        key, id, vendor, name, description, price, currency, sale, stock, images, thumbnail, sent_images, \
        thumbnail_url, issued_at, secret, protected, shown
        """

    static func write(_ entry: StateEntry, scope: Int64, in db: Database) throws {
        let applied = entry.applied
        let statement = try db.cachedStatement(
            sql:
                "INSERT OR REPLACE INTO entries (scope, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        try statement.execute(arguments: [
            scope,
            entry.key,
            entry.id.databaseValue,
            entry.vendorID,
            applied.name,
            applied.description,
            applied.price?.description,
            applied.currency?.rawValue,
            applied.sale?.stateText,
            applied.stock,
            applied.images.map { TextList.joined($0.lazy.map(\.stateText)) },
            applied.thumbnail.map { thumbnailText($0, of: applied.images ?? []) },
            entry.images.map { sentImagesText($0, of: applied.images ?? []) },
            entry.thumbnailURL,
            entry.issuedAt,
            entry.secret?.stateText,
            entry.isProtected,
            entry.shown.isEmpty ? nil : CreateContents.document(entry.shown),
        ])
    }

    /// Reads a row of ``columns``; a value that cannot be read is damage, never a default.
    static func read(_ row: Row) throws -> StateEntry {
        var entry = StateEntry(
            key: try row.decode(String.self, atIndex: 0),
            id: try row.productID(atIndex: 1),
            vendorID: try row.decode(Int64?.self, atIndex: 2),
            applied: ProductValues(
                name: try row.decode(String?.self, atIndex: 3),
                description: try row.decode(String?.self, atIndex: 4),
                currency: try row.decode(String?.self, atIndex: 6).map(Currency.init(rawValue:)),
                stock: try row.decode(Int64?.self, atIndex: 8)
            ),
            thumbnailURL: try row.decode(String?.self, atIndex: 12),
            issuedAt: try row.decode(String?.self, atIndex: 13),
            isProtected: try row.decode(Bool.self, atIndex: 15)
        )
        entry.applied.price = try value(row, 5) { ExactDecimal($0) }
        entry.applied.sale = try value(row, 7, Sale.init(stateText:))
        entry.applied.images = try value(row, 9) { TextList.split($0) { PictureIdentity(stateText: $0) } }
        let images = entry.applied.images ?? []
        entry.applied.thumbnail = try value(row, 10) { thumbnail($0, of: images) }
        entry.images = try value(row, 11) { sentImages($0, of: images) }
        entry.secret = try value(row, 14, SecretReference.init(stateText:))
        entry.shown = try value(row, 16, shown) ?? ProductValues()
        return entry
    }

    private static func shown(_ text: String) -> ProductValues? {
        guard let document = try? JSONValue.parse(unambiguous: Array(text.utf8)) else { return nil }
        return try? ProductValues(document: DocumentValue(document, at: "shown"))
    }

    // MARK: - Digests that an entry holds more than once

    // A thumbnail is one of the pictures, and a picture that was sent is the one at its place: `=` says so. The file is
    // smaller for it, and so is the memory, where the entry's values then share their texts.

    private static func thumbnailText(_ thumbnail: PictureIdentity, of images: [PictureIdentity]) -> String {
        images.firstIndex(of: thumbnail).map { "=\($0)" } ?? thumbnail.stateText
    }

    private static func thumbnail(_ text: String, of images: [PictureIdentity]) -> PictureIdentity? {
        guard text.utf8.first == UInt8(ascii: "=") else { return PictureIdentity(stateText: text) }
        guard let index = Int(text.dropFirst()), images.indices.contains(index) else { return nil }
        return images[index]
    }

    private static func sentImagesText(_ sent: [StateEntry.BoundImage], of images: [PictureIdentity]) -> String {
        TextList.joined(
            sent.enumerated().lazy.map { index, image in
                index < images.count && images[index] == .digest(image.digest)
                    ? "=" + image.reference : image.stateText
            }
        )
    }

    private static func sentImages(_ text: String, of images: [PictureIdentity]) -> [StateEntry.BoundImage]? {
        var index = 0
        return TextList.split(text) { line in
            defer { index += 1 }
            guard line.utf8.first == UInt8(ascii: "=") else { return StateEntry.BoundImage(stateText: line) }
            guard index < images.count, case .digest(let digest) = images[index] else { return nil }
            return StateEntry.BoundImage(digest: digest, reference: String(line.dropFirst()))
        }
    }

    private static func value<Value>(_ row: Row, _ index: Int, _ read: (String) -> Value?) throws -> Value? {
        guard let text = try row.decode(String?.self, atIndex: index) else { return nil }
        guard let value = read(text) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an entry holds a value that cannot be read")
        }
        return value
    }
}
