import FoundationEssentials
import GRDB
import OpenMarket

extension StateStore {
    /// Writes the market's state as JSON Lines, the same bytes for the same state: a header, then the products by key.
    ///
    /// - Parameter write: takes each line, its line break included.
    /// - Throws: ``StateError``, `missing` where nothing is known of the market: what is lost must not pass for a state
    ///   without products. And what `write` throws.
    public func exportLines(to write: (String) throws -> Void) throws {
        try requireKnown()
        let encoder = StateLines.encoder()
        func line(_ value: some Encodable) throws -> String {
            String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
        }
        try write(
            line(
                StateLines.Header(
                    format: StateLines.format,
                    version: StateLines.version,
                    market: scope,
                    vendorID: try read(nil) { try vendor($0, $1) },
                    products: try read(0) { db, scope in
                        let sql = "SELECT COUNT(*) FROM entries WHERE scope = ?"
                        return try Int.fetchOne(db, sql: sql, arguments: [scope]) ?? 0
                    }
                )
            )
        )
        // What `write` throws is the caller's own and must not be explained as a fault of the file.
        var failure: (any Error)?
        try forEachEntry { entry in
            guard failure == nil else { return }
            do { try write(line(StateLines.Product(entry))) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Checks that the market is one that something was done or remembered for.
    private func requireKnown() throws {
        guard database != nil else { throw StateError(.missing, "there is no state at \(place)") }
        let isKnown = try read(false) { db, scope in
            let sql = """
                SELECT EXISTS (SELECT * FROM entries WHERE scope = :scope) OR EXISTS (SELECT * FROM runs WHERE scope = :scope)
                    OR EXISTS (SELECT * FROM scopes WHERE id = :scope AND vendor IS NOT NULL)
                """
            return try Bool.fetchOne(db, sql: sql, arguments: ["scope": scope]) ?? false
        }
        guard isKnown else {
            throw StateError(
                .missing,
                "the state \(place) knows nothing of \(scope.url) (\(scope.profile)) as this vendor"
            )
        }
    }

    /// Replaces the market's entries by exported ones, in one transaction, once every line has been checked.
    ///
    /// - Parameters:
    ///   - text: what ``exportLines(to:)`` wrote.
    ///   - acceptingOtherMarket: takes a file that was exported for another market.
    ///   - replacing: takes the place of entries that are there already.
    /// - Returns: how many products the state knows now.
    /// - Throws: ``StateError``: `input` for a faulty file, `otherMarket` for another market's, `conflict` where entries would
    ///   be lost, `unsettled` where an operation is unsettled.
    @discardableResult
    public func importLines(_ text: String, acceptingOtherMarket: Bool = false, replacing: Bool = false) throws -> Int {
        let (header, entries) = try Self.parse(text)
        guard header.market == scope || acceptingOtherMarket else {
            throw StateError(
                .otherMarket,
                "line 1: this is the state of \(header.market.url) (\(header.market.profile)), "
                    + "not of \(scope.url) (\(scope.profile)) as the same vendor"
            )
        }
        try write { db, scope in
            let present =
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM entries WHERE scope = ?", arguments: [scope]) ?? 0
            guard present == 0 || replacing else {
                throw StateError(.conflict, "the state already knows \(present) products of this market")
            }
            try StateStore.requireSettled(nil, db, scope)
            try db.execute(sql: "DELETE FROM entries WHERE scope = ?", arguments: [scope])
            for entry in entries { try EntryRow.write(entry, scope: scope, in: db) }
            // Another market has another number for us.
            if header.market == self.scope, let vendor = header.vendorID {
                try StateStore.apply(.vendor(vendor), db, scope)
            }
        }
        return entries.count
    }

    private static func parse(_ text: String) throws -> (StateLines.Header, [StateEntry]) {
        var header: StateLines.Header?
        var entries: [StateEntry] = []
        // The lines by key, as it is written there: an older version's state may hold one key in two Unicode forms.
        var seen: [String: (line: Int, key: ExactText, id: Int64)] = [:]
        var count = 0
        var ids: Set<ProductID> = []
        for (index, bytes) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            let line = Substring(bytes)
            do throws(StateLines.Fault) {
                guard header != nil else {
                    header = try parseHeader(line)
                    continue
                }
                guard !line.isEmpty else { continue }
                let product = try StateLines.read(StateLines.Product.self, line)
                let entry = try product.entry()
                count += 1
                if let first = seen[entry.key] {
                    guard first.key != ExactText(product.key) else {
                        throw StateLines.Fault("the key \"\(entry.key)\" is there twice")
                    }
                    guard first.id == product.id else {
                        throw StateLines.Fault(
                            "the key \"\(entry.key)\" is there twice, in two spellings: as product "
                                + "\(first.id) in line \(first.line), and as product \(product.id) here; give "
                                + "the one that the manifest does not mean another key"
                        )
                    }
                    continue
                }
                seen[entry.key] = (index + 1, ExactText(product.key), product.id)
                guard ids.insert(entry.id).inserted else { throw StateLines.Fault("the id \(entry.id) is there twice") }
                entries.append(entry)
            } catch {
                throw StateError(.input, "line \(index + 1): \(error.reason)")
            }
        }
        guard let header else { throw StateError(.input, "line 1: the file is empty") }
        if let whole = header.products, whole != count {
            throw StateError(.input, "the file holds \(count) of its \(whole) products: it is not whole")
        }
        return (header, entries)
    }

    private static func parseHeader(_ line: Substring) throws(StateLines.Fault) -> StateLines.Header {
        let header: StateLines.Header
        do {
            header = try StateLines.read(StateLines.Header.self, line)
        } catch {
            throw StateLines.Fault("this is no exported state: \(error.reason)")
        }
        guard header.format == StateLines.format else { throw StateLines.Fault("this is no exported state") }
        guard header.version == StateLines.version else {
            throw StateLines.Fault("version \(header.version) is not known; a newer openmarket wrote it")
        }
        return header
    }
}
