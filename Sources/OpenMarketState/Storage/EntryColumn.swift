import OpenMarket

/// The columns of a ``StateEntry`` in a database row, in the order of reading.
///
/// All SQL backends use these columns and values. They contain no JSON, because parsing it would slow down reading a
/// state of 100 000 entries.
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
    case origin

    var name: String {
        switch self {
        case .sentImages: "sent_images"
        case .thumbnailURL: "thumbnail_url"
        case .issuedAt: "issued_at"
        case .isProtected: "protected"
        default: String(describing: self)
        }
    }

    /// The column names, comma-separated, for SQL.
    static let list = allCases.map(\.name).joined(separator: ", ")
}

enum ColumnValue: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case id(MarketID)
    case flag(Bool)
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
        case .origin: origin.map(ColumnValue.text)
        }
    }

    init(_ row: some StateRow) throws {
        func text(_ column: EntryColumn) throws -> String? { try row.textIfPresent(column.rawValue) }
        func value<Value>(_ column: EntryColumn, _ read: (String) -> Value?) throws -> Value? {
            guard let text = try text(column) else { return nil }
            guard let value = read(text) else {
                throw UnreadableValue(reason: "an entry holds a value that cannot be read")
            }
            return value
        }
        var applied = ProductValues.blank
        applied.name = try text(.name)
        applied.description = try text(.description)
        applied.currency = try text(.currency).map(Currency.init(rawValue:))
        applied.stock = try row.integerIfPresent(EntryColumn.stock.rawValue)
        applied.price = try value(.price) { ExactDecimal($0) }
        applied.sale = try value(.sale, Sale.init(stateText:))
        applied.images = try value(.images) { TextList.split($0) { PictureIdentity(stateText: $0) } }
        let pictures = applied.images ?? []
        applied.thumbnail = try value(.thumbnail) { SharedDigests.thumbnail($0, in: pictures) }
        self.init(
            key: try row.text(EntryColumn.key.rawValue),
            id: try row.product(EntryColumn.id.rawValue),
            applied: applied
        )
        vendorID = try row.integerIfPresent(EntryColumn.vendor.rawValue)
        thumbnailURL = try text(.thumbnailURL)
        issuedAt = try text(.issuedAt)
        isProtected = try row.flag(EntryColumn.isProtected.rawValue)
        origin = try text(.origin)
        images = try value(.sentImages) { SharedDigests.sent($0, in: pictures) }
        secret = try value(.secret, SecretReference.init(stateText:))
        shown = try value(.shown, Self.shown) ?? .blank
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
