import GRDB
import OpenMarket

extension StateStore {
    /// The error is a ``StateError``.
    func keys() throws -> ProductKeys {
        try read(ProductKeys()) { db, scope in
            var keys = ProductKeys()
            let rows = try Row.fetchCursor(
                db,
                sql: "SELECT id, key FROM entries WHERE scope = ? ORDER BY id, key",
                arguments: [scope]
            )
            while let row = try rows.next() {
                keys.append(try row.product(0), try row.text(1))
            }
            return keys
        }
    }
}
