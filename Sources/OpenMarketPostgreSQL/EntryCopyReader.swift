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
        bytes.isProtected = try row.text().with { $0.first == 1 }
        let shown = try row.bytes()
        if secret == nil, shown == nil, reader.append(bytes, to: &entries) { return }

        var columns = EntryColumns(
            key: bytes.key.text,
            id: bytes.id,
            isProtected: bytes.isProtected
        )
        columns.vendor = bytes.vendor
        columns.name = bytes.name?.text
        columns.description = bytes.description?.text
        columns.price = bytes.price?.text
        columns.currency = bytes.currency?.text
        columns.sale = bytes.sale?.text
        columns.stock = bytes.stock
        columns.images = bytes.images?.text
        columns.thumbnail = bytes.thumbnail?.text
        columns.sentImages = bytes.sentImages?.text
        columns.thumbnailURL = bytes.thumbnailURL?.text
        columns.issuedAt = bytes.issuedAt?.text
        columns.secret = secret?.text
        columns.shown = shown?.text
        guard let entry = columns.entry else {
            throw UnreadableValue(reason: "an entry holds a value that cannot be read")
        }
        entries.append(entry)
    }
}
#endif
