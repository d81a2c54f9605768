public import OpenMarket

/// A market's state as JSON Lines: a header, then a line for each product by key; the same bytes for the same state.
public enum StateDocument {
    private static let format = "openmarket-state"
    private static let version: Int64 = 1

    /// What is wrong with a line.
    struct Fault: Error {
        var reason: String

        init(_ reason: String) {
            self.reason = reason
        }
    }

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
        // The lines by key, as it is written there: an older version's state may hold one key in two Unicode forms.
        var seen: [String: (line: Int, key: ExactText, id: ProductID)] = [:]
        var count = 0
        var ids: Set<ProductID> = []
        for (index, bytes) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            do throws(Fault) {
                guard header != nil else {
                    header = try parseHeader(Array(bytes))
                    continue
                }
                guard !bytes.isEmpty else { continue }
                let (spelling, entry) = try StateLine(Array(bytes)).product()
                count += 1
                if let first = seen[entry.key] {
                    guard first.key != spelling else { throw Fault("the key \"\(entry.key)\" is there twice") }
                    guard first.id == entry.id else {
                        throw Fault(
                            "the key \"\(entry.key)\" is there twice, in two spellings: as product "
                                + "\(first.id) in line \(first.line), and as product \(entry.id) here; give "
                                + "the one that the manifest does not mean another key"
                        )
                    }
                    continue
                }
                seen[entry.key] = (index + 1, spelling, entry.id)
                guard ids.insert(entry.id).inserted else { throw Fault("the id \(entry.id) is there twice") }
                entries.append(entry)
            } catch {
                throw StateError(.input, "line \(index + 1): \(error.reason)")
            }
        }
        guard let header else { throw StateError(.input, "line 1: the file is empty") }
        if let whole = header.products, whole != count {
            throw StateError(
                .input,
                "the file holds \(count) of its \(counted(Int(clamping: whole), "product")): it is not whole"
            )
        }
        return (header.market, header.vendorID, entries)
    }

    private static func parseHeader(
        _ bytes: [UInt8]
    ) throws(Fault) -> (market: MarketScope, vendorID: Int64?, products: Int64?) {
        do throws(Fault) {
            let line = try StateLine(bytes)
            guard try line.required("format", \.text) == format else { throw Fault("") }
            let version = try line.required("version", \.integer)
            guard version == Self.version else {
                throw Fault("version \(version) is not known; a newer openmarket wrote it")
            }
            let market = try StateLine(line.required("market", { $0.members == nil ? nil : $0 }))
            guard let profile = MarketProfile(rawValue: try market.required("profile", \.text)) else {
                throw Fault("\"profile\" cannot be read")
            }
            let scope = MarketScope(
                url: try market.required("url", \.text),
                profile: profile,
                identifier: try market.parsed("identifier", ContentDigest.init(hexadecimal:))
            )
            return (scope, try line.optional("vendor_id", \.integer), try line.optional("products", \.integer))
        } catch {
            guard !error.reason.hasPrefix("version") else { throw error }
            throw Fault("this is no exported state" + (error.reason.isEmpty ? "" : ": \(error.reason)"))
        }
    }
}

/// One line: an object of named values.
private struct StateLine {
    let object: JSONValue

    init(_ object: JSONValue) {
        self.object = object
    }

    init(_ bytes: [UInt8]) throws(StateDocument.Fault) {
        guard let object = try? JSONValue.parse(bytes), object.members != nil else {
            throw StateDocument.Fault("it is no JSON object")
        }
        self.object = object
    }

    /// A member that may be missing.
    func optional<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws(StateDocument.Fault) -> Value? {
        guard let member = object[name], !member.isNull else { return nil }
        guard let value = read(member) else { throw StateDocument.Fault("\"\(name)\" is of the wrong kind") }
        return value
    }

    /// A member that must be there.
    func required<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws(StateDocument.Fault) -> Value {
        guard let value = try optional(name, read) else { throw StateDocument.Fault("\"\(name)\" is missing") }
        return value
    }

    /// A member that is a text with a meaning, which may be missing.
    func parsed<Value>(_ name: String, _ read: (String) -> Value?) throws(StateDocument.Fault) -> Value? {
        guard let text = try optional(name, \.text) else { return nil }
        guard let value = read(text) else { throw StateDocument.Fault("\"\(name)\" cannot be read") }
        return value
    }

    /// A member that is a list, which may be missing.
    private func list<Element>(
        _ name: String,
        _ read: (JSONValue) -> Element?
    ) throws(StateDocument.Fault) -> [Element]? {
        guard let elements = try optional(name, \.elements) else { return nil }
        let values = elements.compactMap(read)
        guard values.count == elements.count else { throw StateDocument.Fault("\"\(name)\" cannot be read") }
        return values
    }

    /// The product, and its key as it is written here.
    func product() throws(StateDocument.Fault) -> (spelling: ExactText, entry: StateEntry) {
        let key = try required("key", \.text)
        guard !key.isEmpty else { throw StateDocument.Fault("\"key\" is empty") }
        let entry = StateEntry(
            key: key.composed,
            id: ProductID(try required("id", \.integer)),
            vendorID: try optional("vendor_id", \.integer),
            applied: ProductValues(
                name: try optional("name", \.text),
                description: try optional("description", \.text),
                price: try parsed("price") { ExactDecimal($0) },
                currency: try optional("currency", \.text).map(Currency.init(rawValue:)),
                sale: try parsed("sale", Sale.init(stateText:)),
                stock: try optional("stock", \.integer),
                images: try list("images") { $0.text.flatMap { PictureIdentity(stateText: $0) } },
                thumbnail: try parsed("thumbnail") { PictureIdentity(stateText: $0) }
            ),
            images: try list("sent_images") { image in
                guard let digest = image["digest"]?.text.flatMap(ContentDigest.init(hexadecimal:)),
                    let reference = image["reference"]?.text
                else { return nil }
                return StateEntry.BoundImage(digest: digest, reference: reference)
            },
            thumbnailURL: try optional("thumbnail_url", \.text),
            issuedAt: try optional("issued_at", \.text),
            secret: try parsed("secret", SecretReference.init(stateText:)),
            isProtected: try optional("protected", \.truth) ?? false
        )
        return (ExactText(key), entry)
    }
}
