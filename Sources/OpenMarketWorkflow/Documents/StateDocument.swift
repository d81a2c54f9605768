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

    /// Writes a market's state.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - write: Takes lines in UTF-8, as many as come together, their line breaks included.
    /// - Throws: `StateError`, `missing` where nothing is known of the market: what is lost must not pass for a state
    ///   without products. And what `write` throws.
    package static func export(_ state: any StateReader, to write: ([UInt8]) throws -> Void) async throws {
        try await Contents(of: state).write(write)
    }

    /// Writes a market's state into a file, whole or not at all.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - file: The file, which only its owner may read.
    ///   - mask: Hides credentials.
    /// - Throws: What ``export(_:to:)`` throws before the file is begun, `FileError`, and `FileConflict`.
    package static func export(
        _ state: any StateReader,
        toFile file: String,
        hiding mask: CredentialMask
    ) async throws {
        let contents = try await Contents(of: state)
        let file = try AtomicFile(file, permissions: .ownerReadWrite)
        try contents.write { try file.write(mask.masked(json: $0)) }
        try file.commit()
    }

    /// What is written of a market.
    private struct Contents {
        private let header: Header
        private let entries: StateEntries

        /// - Throws: `StateError`, as ``StateDocument/export(_:to:)`` says.
        init(of state: any StateReader) async throws {
            try await state.requirePresent()
            if let elsewhere = try await state.movedTo() { throw StateError.moved(state.location, to: elsewhere) }
            let snapshot = try await state.snapshot()
            let runs = try await state.runs(limit: 1)
            guard !snapshot.entries.isEmpty || snapshot.vendorID != nil || !runs.isEmpty else {
                let scope = state.scope
                throw StateError(
                    .missing,
                    "the state \(state.location) knows nothing of \(scope.url) (\(scope.market)) as this vendor"
                )
            }
            entries = snapshot.entries
            header = Header(scope: state.scope, products: entries.count, vendorID: snapshot.vendorID)
        }

        func write(_ write: ([UInt8]) throws -> Void) throws {
            var writer = JSONWriter()
            writer.value(header.document)
            writer.endLine()
            for place in entries.placesByKey {
                writer.entry(at: place, of: entries)
                writer.endLine()
                if writer.bytes.count >= StateDocument.chunkSize { try write(writer.take()) }
            }
            try write(writer.take())
        }
    }

    /// Some products as one document for people.
    ///
    /// - Parameters:
    ///   - places: Which products, by their places.
    ///   - entries: All products.
    ///   - write: Takes the document in pieces that end behind a product.
    /// - Throws: What `write` throws.
    package static func list(
        _ places: [Int],
        of entries: StateEntries,
        to write: ([UInt8]) throws -> Void
    ) throws {
        var writer = JSONWriter(pretty: true)
        try writer.object { writer in
            writer.member("format_version", .formatVersion)
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

    /// So many bytes are written together.
    private static let chunkSize = 1 << 16

    // MARK: - Reading

    /// A file that is something else than an exported state, by its first bytes.
    package struct NotExported: Error, Hashable, Sendable, CustomStringConvertible {
        /// The file.
        let file: String
        /// What it is.
        let kind: String

        package var description: String { "\(file) is \(kind), and not an exported state" }
    }

    /// The text of an exported state; `-` is standard input.
    ///
    /// - Throws: ``NotExported``, and `FileError`.
    package static func text(ofFile file: String) throws -> String {
        let bytes = try InputFile.bytes(of: file)
        if let kind = FileKind(head: bytes) { throw NotExported(file: file, kind: kind.name) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Replaces a market's products by exported ones, in one transaction, once every line has been checked.
    ///
    /// - Parameters:
    ///   - text: What ``export(_:to:)`` wrote.
    ///   - state: Whose products are replaced.
    ///   - acceptingOtherMarket: Takes a file that was exported for another market.
    ///   - replacing: Takes the place of products that are there already.
    /// - Returns: How many products the state knows now.
    /// - Throws: `StateError`: `input` for a faulty file, `otherMarket` for another market's, `conflict` where products
    ///   would be lost, `unresolved` where an operation is unresolved.
    @discardableResult
    package static func `import`(
        _ text: String,
        into state: any StateSession,
        acceptingOtherMarket: Bool = false,
        replacing: Bool = false
    ) async throws -> Int {
        let (header, entries) = try parse(text)
        let (market, scope) = (header.scope, state.scope)
        // Of a market whose description is not at hand it is not known.
        if let profile = MarketProfile(name: scope.name), !profile.capabilities.listShowsVendor,
            header.vendorID != nil || entries.contains(where: { $0.vendorID != nil })
        {
            throw StateError(.input, "\"vendor_id\" is of no use: \(scope.name) has no vendors")
        }
        guard market == scope || acceptingOtherMarket else {
            throw StateError(
                .otherMarket,
                "line 1: this is the state of \(market.url) (\(market.market)), "
                    + "not of \(scope.url) (\(scope.market)) as the same vendor"
            )
        }
        // Of a market whose description is not at hand, what one product shows holds for all.
        if let kind = MarketProfile(name: scope.name)?.capabilities.idKind ?? entries.first?.id.kind,
            let entry = entries.first(where: { $0.id.kind != kind })
        {
            throw StateError(
                .input,
                "\"\(entry.key)\": the ids of \(scope.name) are \(kind == .number ? "numbers" : "texts"), and "
                    + "\(entry.id) is not"
            )
        }
        // Another market has another number for us.
        try await state.replace(
            with: entries,
            vendorID: market == scope ? header.vendorID : nil,
            overwriting: replacing
        )
        return entries.count
    }

    private static func parse(_ text: String) throws(StateError) -> (header: Header, entries: [StateEntry]) {
        var header: Header?
        var isPrerelease = false
        var entries: [StateEntry] = []
        var keys: Set<String> = []
        var ids: Set<MarketID> = []
        for (index, bytes) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            let line = index + 1
            guard header != nil else {
                header = try readHeader(Array(bytes), isPrerelease: &isPrerelease)
                continue
            }
            guard !bytes.isEmpty else { continue }
            let entry = try readEntry(Array(bytes), in: line, isPrerelease: isPrerelease)
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

    /// An object in which no member appears twice: readers would differ in which of them counts.
    private static func object(in bytes: [UInt8]) -> JSONValue? {
        guard let value = try? JSONValue.parse(unambiguous: bytes), value.members != nil else { return nil }
        return value
    }

    private static func readHeader(_ bytes: [UInt8], isPrerelease: inout Bool) throws(StateError) -> Header {
        func refusal(_ reason: String? = nil) -> StateError {
            fault(in: 1, "this is not an exported state" + (reason.map { ": \($0)" } ?? ""))
        }
        guard var header = object(in: bytes) else { throw refusal("it is not a JSON object without repeated members") }
        guard header["format"] == .string(format) else { throw refusal() }
        isPrerelease = PrereleaseState.isHeader(header)
        if isPrerelease { header = PrereleaseState.header(header) }
        // Before anything else: another version's header has other members.
        if let version = header["format_version"]?.integer, version != Self.version {
            throw fault(in: 1, "version \(version) is not known; a newer openmarket wrote it")
        }
        do throws(DocumentError) {
            return try Header(document: DocumentValue(header, at: ""))
        } catch {
            throw refusal("\"\(error.place)\" \(error.message)")
        }
    }

    private static func readEntry(
        _ bytes: [UInt8],
        in line: Int,
        isPrerelease: Bool
    ) throws(StateError) -> StateEntry {
        guard let object = object(in: bytes) else {
            throw fault(in: line, "it is not a JSON object without repeated members")
        }
        do throws(DocumentError) {
            let document = isPrerelease ? PrereleaseState.entry(object) : object
            let entry = try StateEntry(document: DocumentValue(document, at: ""))
            // A file may come from anywhere, unlike what this tool wrote into its own journal.
            if let number = entry.id.number, number <= 0 {
                throw DocumentError("is \(number), which is not a product's id", at: "id")
            }
            if let fault = KeyRules.fault(of: entry.key) { throw DocumentError(fault, at: "key") }
            // Of the rest the market may have had what no manifest asks for, such as a fraction that the currency does not have.
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
