/// A ``StateEntry`` as columns of a row: reading 100 000 of them back must not cost a JSON parser.
///
/// Every backend in SQL has these columns, with these texts.
package struct EntryColumns: Sendable {
    /// The names of the columns, in the order in which they are read.
    package static let names = [
        "key", "id", "vendor", "name", "description", "price", "currency", "sale", "stock", "images", "thumbnail",
        "sent_images", "thumbnail_url", "issued_at", "secret", "protected", "shown",
    ]

    package var key: String
    package var id: MarketID
    package var vendor: Int64?
    package var name: String?
    package var description: String?
    package var price: String?
    package var currency: String?
    package var sale: String?
    package var stock: Int64?
    package var images: String?
    package var thumbnail: String?
    package var sentImages: String?
    package var thumbnailURL: String?
    package var issuedAt: String?
    package var secret: String?
    package var isProtected: Bool
    package var shown: String?

    /// A row that says nothing of a product but that it is there.
    package init(key: String, id: MarketID, isProtected: Bool) {
        self.key = key
        self.id = id
        self.isProtected = isProtected
    }

    /// The columns of an entry.
    package init(_ entry: StateEntry) {
        let applied = entry.applied
        self.init(key: entry.key, id: entry.id, isProtected: entry.isProtected)
        vendor = entry.vendorID
        name = applied.name
        description = applied.description
        price = applied.price?.description
        currency = applied.currency?.rawValue
        sale = applied.sale?.stateText
        stock = applied.stock
        images = applied.images.map { TextList.joined($0.lazy.map(\.stateText)) }
        thumbnail = applied.thumbnail.map { Self.thumbnailText($0, of: applied.images ?? []) }
        sentImages = entry.images.map { Self.sentImagesText($0, of: applied.images ?? []) }
        thumbnailURL = entry.thumbnailURL
        issuedAt = entry.issuedAt
        secret = entry.secret?.stateText
        shown = entry.shown.isEmpty ? nil : CreateContents.document(entry.shown)
    }

    /// The entry; `nil` where a value cannot be read, which is damage and never a default.
    package var entry: StateEntry? {
        var entry = StateEntry(
            key: key,
            id: id,
            vendorID: vendor,
            applied: ProductValues(
                name: name,
                description: description,
                currency: currency.map(Currency.init(rawValue:)),
                stock: stock
            ),
            thumbnailURL: thumbnailURL,
            issuedAt: issuedAt,
            isProtected: isProtected
        )
        do {
            entry.applied.price = try Self.value(price) { ExactDecimal($0) }
            entry.applied.sale = try Self.value(sale, Sale.init(stateText:))
            entry.applied.images = try Self.value(images) { TextList.split($0) { PictureIdentity(stateText: $0) } }
            let images = entry.applied.images ?? []
            entry.applied.thumbnail = try Self.value(thumbnail) { Self.thumbnail($0, of: images) }
            entry.images = try Self.value(sentImages) { Self.sentImages($0, of: images) }
            entry.secret = try Self.value(secret, SecretReference.init(stateText:))
            entry.shown = try Self.value(shown, Self.shown) ?? ProductValues()
        } catch {
            return nil
        }
        return entry
    }

    /// A value that cannot be read.
    private struct Unreadable: Error {}

    private static func value<Value>(_ text: String?, _ read: (String) -> Value?) throws(Unreadable) -> Value? {
        guard let text else { return nil }
        guard let value = read(text) else { throw Unreadable() }
        return value
    }

    private static func shown(_ text: String) -> ProductValues? {
        guard let document = try? JSONValue.parse(unambiguous: Array(text.utf8)) else { return nil }
        return try? ProductValues(document: DocumentValue(document, at: "shown"))
    }

    // MARK: - Digests that an entry holds more than once

    // A thumbnail is one of the pictures, and a picture that was sent is the one at its place: `=` says so. The row is
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
}
