#if PostgreSQL
import OpenMarket

/// Reads rows of ``EntryColumns`` into a state: of most of them no value is made.
struct EntryCopyReader {
    private var reader = EntryBytesReader()
    private(set) var entries = StateEntries()

    /// Adds a row.
    ///
    /// - Throws: ``UnreadableValue``.
    mutating func append(_ row: CopiedRow) throws {
        var row = row
        var bytes = EntryBytes(key: try row.text(), id: try row.product(), isProtected: false)
        bytes.vendor = try row.integer()
        bytes.name = try row.bytes()
        bytes.description = try row.bytes()
        bytes.price = try row.bytes()
        bytes.currency = try row.bytes()
        bytes.sale = try row.bytes()
        bytes.stock = try row.integer()
        bytes.images = try row.bytes()
        bytes.thumbnail = try row.bytes()
        bytes.sentImages = try row.bytes()
        bytes.thumbnailURL = try row.bytes()
        bytes.issuedAt = try row.bytes()
        let secret = try row.bytes()
        bytes.isProtected = try row.text().first == 1
        let shown = try row.bytes()
        if secret == nil, shown == nil, reader.append(bytes, to: &entries) { return }

        func text(_ bytes: EntryBytes.Bytes?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
        var columns = EntryColumns(
            key: String(decoding: bytes.key, as: UTF8.self),
            id: bytes.id,
            isProtected: bytes.isProtected
        )
        columns.vendor = bytes.vendor
        columns.name = text(bytes.name)
        columns.description = text(bytes.description)
        columns.price = text(bytes.price)
        columns.currency = text(bytes.currency)
        columns.sale = text(bytes.sale)
        columns.stock = bytes.stock
        columns.images = text(bytes.images)
        columns.thumbnail = text(bytes.thumbnail)
        columns.sentImages = text(bytes.sentImages)
        columns.thumbnailURL = text(bytes.thumbnailURL)
        columns.issuedAt = text(bytes.issuedAt)
        columns.secret = text(secret)
        columns.shown = text(shown)
        guard let entry = columns.entry else {
            throw UnreadableValue(reason: "an entry holds a value that cannot be read")
        }
        entries.append(entry)
    }
}
#endif
