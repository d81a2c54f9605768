import GRDB
import OpenMarket

/// The values of a create, in a table of their own until the entry of the product has the same.
///
/// A catalog of 100 000 creates would be in the file twice otherwise. An entry that is about to change gives the
/// values back first, see ``StateStore/detach(_:_:_:)``.
struct CreateContents {
    /// The values, as a document.
    let wanted: String
    /// The picture files, until an entry has the values.
    let pictures: String?

    init(wanted: String, pictures: String?) {
        self.wanted = wanted
        self.pictures = pictures
    }

    init(_ product: NewProduct) {
        wanted = Self.document(product.values)
        pictures =
            product.pictures.isEmpty
            ? nil : String(decoding: product.pictures.document.bytes(), as: UTF8.self)
    }

    /// What an entry has.
    init(_ entry: StateEntry) {
        self.init(wanted: Self.document(entry.applied), pictures: nil)
    }

    /// Values as they are written: equal texts are equal values, byte for byte.
    static func document(_ values: ProductValues) -> String {
        String(decoding: values.document.bytes(), as: UTF8.self)
    }

    func values() throws -> ProductValues {
        try ProductValues(document: DocumentValue(JSONValue.parse(Array(wanted.utf8)), at: "wanted"))
    }

    /// The picture files; `nil` where they are no longer kept.
    func files() throws -> [Picture]? {
        try pictures.map { text in
            try [Picture](document: DocumentValue(JSONValue.parse(Array(text.utf8)), at: "pictures"))
        }
    }

    /// Pictures that were sent: of them only the names and the hashes are kept.
    static func pictures(_ paths: [String], of images: [PictureIdentity]) -> [Picture] {
        zip(paths, images).compactMap { path, image in
            guard case .digest(let digest) = image else { return nil }
            return Picture(path: path, file: path, digest: digest, byteCount: 0, format: .jpeg, width: 0, height: 0)
        }
    }
}

extension StateStore {
    /// Gives the journal back what only an entry has, before the entry changes or goes.
    static func detach(_ key: String, _ db: Database, _ scope: Int64) throws {
        let positions = try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT o.position FROM operations o
                    WHERE o.key = ? AND o.described_by_entry
                        AND EXISTS (SELECT 1 FROM runs WHERE number = o.position >> 32 AND scope = ?)
                    """
            ),
            arguments: [key, scope]
        )
        guard !positions.isEmpty, let entry = try entry(key, db, scope) else { return }
        let contents = CreateContents(entry)
        for position in positions {
            try db.cachedStatement(sql: "INSERT INTO contents (position, wanted) VALUES (?, ?)")
                .execute(arguments: [position, contents.wanted])
            try db.cachedStatement(sql: "UPDATE operations SET described_by_entry = 0 WHERE position = ?")
                .execute(arguments: [position])
        }
    }

    /// The same for all entries of a market.
    static func detachAll(_ db: Database, _ scope: Int64) throws {
        let keys = try String.fetchAll(
            db,
            sql: """
                SELECT o.key FROM operations o JOIN runs r ON r.number = o.position >> 32
                WHERE o.described_by_entry AND r.scope = ?
                """,
            arguments: [scope]
        )
        for key in Set(keys) { try detach(key, db, scope) }
    }

    /// What is kept beside a create's row, or, where nothing is, what the entry of its key has.
    static func contents(
        _ wanted: String?,
        _ pictures: String?,
        isDescribedByEntry: Bool,
        key: String,
        _ db: Database,
        _ scope: Int64
    ) throws -> CreateContents? {
        if let wanted { return CreateContents(wanted: wanted, pictures: pictures) }
        guard isDescribedByEntry else { return nil }
        return try entry(key, db, scope).map(CreateContents.init)
    }
}
