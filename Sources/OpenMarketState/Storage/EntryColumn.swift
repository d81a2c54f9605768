import OpenMarket

/// The columns of a ``StateEntry`` in a database row, in the order in which they are read.
///
/// All SQL backends use these columns and values. An entry is written and read without JSON, because parsing JSON would
/// make a state of 100 000 entries slow to read.
enum EntryColumn: Int, CaseIterable, Sendable {
    case key
    case id
    case vendor
    case name
    case description
    case price
    case currency
    case sale
    case stock
    case images
    case thumbnail
    case sentImages
    case thumbnailURL
    case issuedAt
    case secret
    case isProtected
    case shown

    var name: String {
        switch self {
        case .sentImages: "sent_images"
        case .thumbnailURL: "thumbnail_url"
        case .issuedAt: "issued_at"
        case .isProtected: "protected"
        default: String(describing: self)
        }
    }

    /// All names in their order, as SQL lists them.
    static let list = allCases.map(\.name).joined(separator: ", ")
}

enum ColumnValue: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case id(MarketID)
    case flag(Bool)
}

protocol EntryRowValues {
    /// A text; `nil` if the column is empty.
    func text(_ column: EntryColumn) throws -> String?
    func integer(_ column: EntryColumn) throws -> Int64?
    func id(_ column: EntryColumn) throws -> MarketID
    func flag(_ column: EntryColumn) throws -> Bool
}

extension StateEntry {
    /// The entry's value for a column; `nil` if it is empty.
    func value(of column: EntryColumn) -> ColumnValue? {
        switch column {
        case .key: .text(key)
        case .id: .id(id)
        case .vendor: vendorID.map(ColumnValue.integer)
        case .name: applied.name.map(ColumnValue.text)
        case .description: applied.description.map(ColumnValue.text)
        case .price: (applied.price?.description).map(ColumnValue.text)
        case .currency: (applied.currency?.rawValue).map(ColumnValue.text)
        case .sale: (applied.sale?.stateText).map(ColumnValue.text)
        case .stock: applied.stock.map(ColumnValue.integer)
        case .images: applied.images.map { .text(TextList.joined($0.lazy.map(\.stateText))) }
        case .thumbnail: applied.thumbnail.map { .text(SharedDigests.text(ofThumbnail: $0, in: applied.images ?? [])) }
        case .sentImages: images.map { .text(SharedDigests.text(ofSent: $0, in: applied.images ?? [])) }
        case .thumbnailURL: thumbnailURL.map(ColumnValue.text)
        case .issuedAt: issuedAt.map(ColumnValue.text)
        case .secret: (secret?.stateText).map(ColumnValue.text)
        case .isProtected: .flag(isProtected)
        case .shown: shown.isEmpty ? nil : .text(CreateContents.document(shown))
        }
    }

    /// Reads a row, and rethrows its errors; `nil` means that a value cannot be read, which is damage and never a
    /// default.
    init?(_ row: some EntryRowValues) throws {
        guard let key = try row.text(.key) else { return nil }
        self.init(
            key: key,
            id: try row.id(.id),
            vendorID: try row.integer(.vendor),
            applied: ProductValues(
                name: try row.text(.name),
                description: try row.text(.description),
                currency: try row.text(.currency).map(Currency.init(rawValue:)),
                stock: try row.integer(.stock)
            ),
            thumbnailURL: try row.text(.thumbnailURL),
            issuedAt: try row.text(.issuedAt),
            isProtected: try row.flag(.isProtected)
        )
        do {
            applied.price = try Self.value(row.text(.price)) { ExactDecimal($0) }
            applied.sale = try Self.value(row.text(.sale), Sale.init(stateText:))
            applied.images = try Self.value(row.text(.images)) {
                TextList.split($0) { PictureIdentity(stateText: $0) }
            }
            let pictures = applied.images ?? []
            applied.thumbnail = try Self.value(row.text(.thumbnail)) { SharedDigests.thumbnail($0, in: pictures) }
            images = try Self.value(row.text(.sentImages)) { SharedDigests.sent($0, in: pictures) }
            secret = try Self.value(row.text(.secret), SecretReference.init(stateText:))
            shown = try Self.value(row.text(.shown), Self.shown) ?? ProductValues()
        } catch is UnreadableColumn {
            return nil
        }
    }

    private struct UnreadableColumn: Error {}

    private static func value<Value>(_ text: String?, _ read: (String) -> Value?) throws -> Value? {
        guard let text else { return nil }
        guard let value = read(text) else { throw UnreadableColumn() }
        return value
    }

    private static func shown(_ text: String) -> ProductValues? {
        guard let document = try? JSONValue.parse(unambiguous: Array(text.utf8)) else { return nil }
        return try? ProductValues(document: DocumentValue(document, at: "shown"))
    }
}

/// Digests that an entry contains more than once.
///
/// A thumbnail is one of the pictures, and a sent picture is the one at its position; `=` marks this. It saves space in
/// the row, and in memory, because the entry's values then share their texts.
private enum SharedDigests {
    static func text(ofThumbnail thumbnail: PictureIdentity, in images: [PictureIdentity]) -> String {
        images.firstIndex(of: thumbnail).map { "=\($0)" } ?? thumbnail.stateText
    }

    static func thumbnail(_ text: String, in images: [PictureIdentity]) -> PictureIdentity? {
        guard text.utf8.first == UInt8(ascii: "=") else { return PictureIdentity(stateText: text) }
        guard let index = Int(text.dropFirst()), images.indices.contains(index) else { return nil }
        return images[index]
    }

    static func text(ofSent sent: [StateEntry.BoundImage], in images: [PictureIdentity]) -> String {
        TextList.joined(
            sent.enumerated().lazy.map { index, image in
                index < images.count && images[index] == .digest(image.digest)
                    ? "=" + image.reference : image.stateText
            }
        )
    }

    static func sent(_ text: String, in images: [PictureIdentity]) -> [StateEntry.BoundImage]? {
        var index = 0
        return TextList.split(text) { line in
            defer { index += 1 }
            guard line.utf8.first == UInt8(ascii: "=") else { return StateEntry.BoundImage(stateText: line) }
            guard index < images.count, case .digest(let digest) = images[index] else { return nil }
            return StateEntry.BoundImage(digest: digest, reference: String(line.dropFirst()))
        }
    }
}
