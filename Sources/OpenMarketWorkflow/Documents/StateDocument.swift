public import OpenMarket

/// A market's state as JSON Lines: a header, then a line for each product by key; the same bytes for the same state.
public enum StateDocument {
    private static let format = "openmarket-state"
    private static let version: Int64 = 1

    // MARK: - Writing

    /// Writes a market's state.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - write: Takes each line, its line break included.
    /// - Throws: `StateError`, `missing` where nothing is known of the market: what is lost must not pass for a state
    ///   without products. And what `write` throws.
    public static func export(_ state: any StateReader, to write: (String) throws -> Void) async throws {
        guard try await state.exists else { throw StateError(.missing, "there is no state at \(state.location)") }
        let snapshot = try await state.snapshot()
        let runs = try await state.runs(limit: 1)
        guard !snapshot.entries.isEmpty || snapshot.vendorID != nil || !runs.isEmpty else {
            let scope = state.scope
            throw StateError(
                .missing,
                "the state \(state.location) knows nothing of \(scope.url) (\(scope.profile)) as this vendor"
            )
        }
        func line(_ value: JSONValue) throws { try write(String(decoding: value.bytes(), as: UTF8.self) + "\n") }
        try line(header(state.scope, snapshot))
        for entry in snapshot.entries.values.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            try line(JSONValue(entry))
        }
    }

    private static func header(_ scope: MarketScope, _ snapshot: StateSnapshot) -> JSONValue {
        .object(
            of: ("format", .string(format)),
            (
                "market",
                .object(
                    of: ("identifier", scope.identifier.map { .string($0.hexadecimal) }),
                    ("profile", .string(scope.profile.rawValue)),
                    ("url", .string(scope.url))
                )
            ),
            ("products", .integer(snapshot.entries.count)),
            ("vendor_id", snapshot.vendorID.map { .integer($0) }),
            ("version", .integer(version))
        )
    }

    // MARK: - Reading

    /// Replaces a market's products by exported ones, in one transaction, once every line has been checked.
    ///
    /// - Parameters:
    ///   - text: What ``export(_:to:)`` wrote.
    ///   - state: Whose products are replaced.
    ///   - acceptingOtherMarket: Takes a file that was exported for another market.
    ///   - replacing: Takes the place of products that are there already.
    /// - Returns: How many products the state knows now.
    /// - Throws: `StateError`: `input` for a faulty file, `otherMarket` for another market's, `conflict` where products
    ///   would be lost, `unsettled` where an operation is.
    @discardableResult
    public static func `import`(
        _ text: String,
        into state: any StateSession,
        acceptingOtherMarket: Bool = false,
        replacing: Bool = false
    ) async throws -> Int {
        let (market, vendorID, entries) = try parse(text)
        let scope = state.scope
        guard market == scope || acceptingOtherMarket else {
            throw StateError(
                .otherMarket,
                "line 1: this is the state of \(market.url) (\(market.profile)), "
                    + "not of \(scope.url) (\(scope.profile)) as the same vendor"
            )
        }
        // Another market has another number for us.
        try await state.replace(
            with: entries,
            vendorID: market == scope ? vendorID : nil,
            overwriting: replacing
        )
        return entries.count
    }

    private static func parse(
        _ text: String
    ) throws(StateError) -> (market: MarketScope, vendorID: Int64?, entries: [StateEntry]) {
        var header: (market: MarketScope, vendorID: Int64?, products: Int64?)?
        var entries: [StateEntry] = []
        var keys: Set<String> = []
        var ids: Set<ProductID> = []
        for (index, bytes) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            let line = index + 1
            guard header != nil else {
                header = try readHeader(Array(bytes))
                continue
            }
            guard !bytes.isEmpty else { continue }
            let entry = try readEntry(Array(bytes), in: line)
            guard keys.insert(entry.key).inserted else {
                throw fault(in: line, "the key \"\(entry.key)\" is there twice")
            }
            guard ids.insert(entry.id).inserted else { throw fault(in: line, "the id \(entry.id) is there twice") }
            entries.append(entry)
        }
        guard let header else { throw StateError(.input, "line 1: the file is empty") }
        if let whole = header.products, whole != entries.count {
            throw StateError(
                .input,
                "the file holds \(entries.count) of its \(counted(Int(clamping: whole), "product")): it is not whole"
            )
        }
        return (header.market, header.vendorID, entries)
    }

    private static func fault(in line: Int, _ reason: String) -> StateError {
        StateError(.input, "line \(line): \(reason)")
    }

    /// An object in which no member stands twice: readers would differ in which of them counts.
    private static func object(in bytes: [UInt8]) -> JSONValue? {
        guard let value = try? JSONValue.parse(unambiguous: bytes), value.members != nil else { return nil }
        return value
    }

    private static func readHeader(
        _ bytes: [UInt8]
    ) throws(StateError) -> (market: MarketScope, vendorID: Int64?, products: Int64?) {
        func refusal(_ reason: String? = nil) -> StateError {
            fault(in: 1, "this is no exported state" + (reason.map { ": \($0)" } ?? ""))
        }
        guard let header = object(in: bytes) else { throw refusal("it is no JSON object without repeated members") }
        guard header["format"] == .string(format) else { throw refusal() }
        // Before anything else: another version's header has other members.
        if let version = header["version"]?.integer, version != Self.version {
            throw fault(in: 1, "version \(version) is not known; a newer openmarket wrote it")
        }
        do throws(DocumentError) {
            return try DocumentValue(header, at: "").object { object throws(DocumentError) in
                _ = try object.required("format", DocumentRead.text)
                _ = try object.required("version", DocumentRead.integer)
                return (
                    try object.required("market", market),
                    try object.optional("vendor_id", DocumentRead.integer),
                    try object.optional("products", DocumentRead.integer)
                )
            }
        } catch {
            throw refusal("\"\(error.place)\" \(error.message)")
        }
    }

    private static func market(_ value: DocumentValue) throws(DocumentError) -> MarketScope {
        try value.object { object throws(DocumentError) in
            MarketScope(
                url: try object.required("url", DocumentRead.text),
                profile: try object.required("profile", DocumentRead.choice),
                identifier: try object.optional("identifier", DocumentRead.digest)
            )
        }
    }

    private static func readEntry(_ bytes: [UInt8], in line: Int) throws(StateError) -> StateEntry {
        guard let object = object(in: bytes) else {
            throw fault(in: line, "it is no JSON object without repeated members")
        }
        do throws(DocumentError) {
            let entry = try DocumentRead.entry(DocumentValue(object, at: ""))
            // A file may come from anywhere, unlike what this tool wrote into its own journal.
            guard entry.id.rawValue > 0 else {
                throw DocumentError("is \(entry.id), which is no product's number", at: "id")
            }
            // No manifest can name such a key, and no list can show it.
            let isPlain = entry.key.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: false
                default: true
                }
            }
            guard isPlain else { throw DocumentError("holds a line break or a control character", at: "key") }
            return entry
        } catch {
            throw fault(in: line, "\"\(error.place)\" \(error.message)")
        }
    }
}
