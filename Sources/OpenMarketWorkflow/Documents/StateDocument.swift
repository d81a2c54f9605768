package import OpenMarket
import OpenMarketDescription
import OpenMarketFiles
import OpenMarketManifest
import SystemPackage

/// A market's state as JSON Lines: a header, then a line for each product by key; the same bytes for the same state.
package enum StateDocument {
    private static let format = "openmarket-state"
    private static let version = 1

    private struct Header: DocumentRecord {
        var scope = MarketScope(url: "", name: "", parameters: [:], identifier: nil)
        var products: Int?
        var vendorID: Int64?

        static var blank: Header { Header() }

        mutating func describe(_ members: inout DocumentMembers) {
            var (format, version) = (StateDocument.format, StateDocument.version)
            var (url, name, parameters, identifier) = (scope.url, scope.name, scope.parameters, scope.identifier)
            members.required("format", &format)
            members.required("format_version", &version)
            members.object("market") { members in
                members.required("url", &url)
                members.required("profile", &name)
                members.optional("parameters", &parameters, default: [:])
                members.optional("identifier_sha256", &identifier)
            }
            members.optional("vendor_id", &vendorID)
            members.optional("products", &products)
            if members.isReading {
                scope = MarketScope(url: url, name: name, parameters: parameters, identifier: identifier)
            }
        }
    }

    // MARK: - Writing

    /// Writes a market's state in lines of UTF-8, several at a time, with their line breaks.
    ///
    /// Throws `StateError` with code `missing` if the state does not have the market: a lost state must not count as
    /// one without products. Also throws errors of `write`.
    package static func export(_ state: any StateReader, to write: ([UInt8]) throws -> Void) async throws {
        try await state.requirePresent()
        if let elsewhere = try await state.movedTo() { throw StateError.moved(state.location, to: elsewhere) }
        let snapshot = try await state.snapshot()
        let entries = snapshot.entries
        if entries.isEmpty, snapshot.vendorID == nil, try await state.runs(limit: 1).isEmpty {
            let scope = state.scope
            throw StateError(
                .missing,
                "the state \(state.location) does not have \(scope.url) (\(scope.market)) as this vendor"
            )
        }
        var writer = JSONWriter()
        writer.value(Header(scope: state.scope, products: entries.count, vendorID: snapshot.vendorID).document)
        writer.endLine()
        for place in entries.placesByKey {
            writer.entry(at: place, of: entries)
            writer.endLine()
            if writer.bytes.count >= chunkSize { try write(writer.take()) }
        }
        try write(writer.take())
    }

    /// Writes a market's state atomically into a file that only its owner may read.
    ///
    /// Secrets are masked. Errors of ``export(_:to:)`` come before the file is created; also throws `FileError`
    /// and `FileConflict`.
    package static func export(_ state: any StateReader, toFile path: String) async throws {
        var file: AtomicFile?
        try await export(state) { bytes in
            if file == nil { file = try AtomicFile(path, permissions: .ownerReadWrite) }
            try file?.write(SecretMask.current.masked(json: bytes))
        }
        if let file { try file.commit() }
    }

    /// Writes the products at some positions as one document for people, in pieces that end after a product.
    package static func list(
        _ places: [Int],
        of entries: StateEntries,
        to write: ([UInt8]) throws -> Void
    ) throws {
        var writer = JSONWriter(pretty: true)
        try writer.object { writer in
            writer.member("format_version", JSONValue.formatVersion)
            writer.name("products")
            try writer.array { writer in
                for place in places {
                    writer.entry(at: place, of: entries)
                    if writer.bytes.count >= chunkSize { try write(writer.take()) }
                }
            }
        }
        writer.endLine()
        try write(writer.take())
    }

    private static let chunkSize = 1 << 16

    // MARK: - Reading

    /// The text of an exported state; `-` is standard input.
    ///
    /// Throws `FileError`, and `StateError` for a file of another kind and for bytes that are not UTF-8, which a repair
    /// would change.
    package static func text(ofFile file: String) throws -> String {
        let bytes = try InputFile.bytes(of: file)
        if let kind = FileKind(head: bytes) {
            throw StateError(.input, "\(file) is \(kind.name), and not an exported state")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw StateError(.input, "\(file) is not UTF-8: it is damaged, or was saved in another encoding")
        }
        return text
    }

    /// Replaces a market's products by those that ``export(_:to:)`` wrote.
    ///
    /// All lines are checked first; then one transaction replaces the products. Returns the new number of products.
    /// `acceptingOtherMarket` accepts a file of another market, and `replacing` lets existing products be replaced.
    ///
    /// Throws `StateError`: `input` if the file is faulty, `otherMarket` if it is of another market, `conflict` if
    /// products would be lost, `unresolved` if an operation is unresolved.
    @discardableResult
    package static func `import`(
        _ text: String,
        into state: any StateSession,
        acceptingOtherMarket: Bool = false,
        replacing: Bool = false
    ) async throws -> Int {
        let (header, entries) = try parse(text)
        let (market, scope) = (header.scope, state.scope)
        // The capability is unknown if the market's description is not available.
        if let profile = MarketProfile(name: scope.name), !profile.capabilities.listShowsVendor,
            header.vendorID != nil || entries.contains(where: { $0.vendorID != nil })
        {
            throw StateError(.input, "\"vendor_id\" is unsupported: \(scope.name) does not have vendors")
        }
        guard market == scope || acceptingOtherMarket else {
            throw StateError(
                .otherMarket,
                "line 1: this is the state of \(market.url) (\(market.market)), "
                    + "not of \(scope.url) (\(scope.market)) as the same vendor"
            )
        }
        // If the market's description is not available, the first product determines the kind.
        if let kind = MarketProfile(name: scope.name)?.capabilities.idKind ?? entries.first?.id.kind,
            let entry = entries.first(where: { $0.id.kind != kind })
        {
            throw StateError(
                .input,
                "\"\(entry.key)\": the ids of \(scope.name) are \(kind == .number ? "numbers" : "texts"), and "
                    + "\(entry.id) is not"
            )
        }
        // Another market has another number for the vendor.
        try await state.replace(
            with: entries,
            vendorID: market == scope ? header.vendorID : nil,
            overwriting: replacing
        )
        return entries.count
    }

    private static func parse(_ text: String) throws(StateError) -> (header: Header, entries: [StateEntry]) {
        var header: Header?
        var entries: [StateEntry] = []
        var keys: Set<String> = []
        var ids: Set<MarketID> = []
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
                "the file holds \(entries.count) of its \(counted(whole, "product")): it is not whole"
            )
        }
        return (header, entries)
    }

    private static func fault(in line: Int, _ reason: String) -> StateError {
        StateError(.input, "line \(line): \(reason)")
    }

    /// An object without repeated members: readers differ in the one that they use.
    private static func object(in bytes: [UInt8]) -> JSONValue? {
        guard let value = try? JSONValue.parse(unambiguous: bytes), value.members != nil else { return nil }
        return value
    }

    private static func noObject(_ bytes: [UInt8]) -> String {
        bytes.starts(with: "<<<<<<<".utf8)
            ? "a git conflict is not resolved: '<<<<<<<'" : "it is not a JSON object without repeated members"
    }

    private static func readHeader(_ bytes: [UInt8]) throws(StateError) -> Header {
        func refusal(_ reason: String? = nil) -> StateError {
            fault(in: 1, "this is not an exported state" + (reason.map { ": \($0)" } ?? ""))
        }
        guard let header = object(in: bytes) else { throw refusal(noObject(bytes)) }
        guard header["format"] == .string(format) else { throw refusal() }
        // This check is first, because another version's header has other members.
        if let version = header["format_version"]?.integer, version != Self.version {
            throw fault(in: 1, "version \(version) is unsupported; a newer openmarket wrote it")
        }
        do throws(DocumentError) {
            return try Header(document: DocumentValue(header, at: ""))
        } catch {
            throw refusal("\"\(error.place)\" \(error.message)")
        }
    }

    private static func readEntry(_ bytes: [UInt8], in line: Int) throws(StateError) -> StateEntry {
        guard let object = object(in: bytes) else {
            throw fault(in: line, noObject(bytes))
        }
        do throws(DocumentError) {
            let entry = try StateEntry(document: DocumentValue(object, at: ""))
            // The file may come from anywhere, unlike the tool's own journal.
            if let number = entry.id.number, number <= 0 {
                throw DocumentError("is \(number), which is not a product's id", at: "id")
            }
            if let fault = KeyRules.fault(of: entry.key) { throw DocumentError(fault, at: "key") }
            // Other values that the market had may be invalid in a manifest, such as a fraction that the currency
            // lacks.
            var amounts = entry.applied
            amounts.currency = nil
            if let fault = amounts.impossible(in: [.price, .salePrice]) {
                throw DocumentError(fault.message, at: "applied.\(fault.field.rawValue)")
            }
            return entry
        } catch {
            throw fault(in: line, "\"\(error.place)\" \(error.message)")
        }
    }
}
