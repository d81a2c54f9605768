import Crypto
package import OpenMarket
import OpenMarketDescription
import OpenMarketManifest

extension SavedPlan {
    static let formatVersion = 1

    /// The document; it includes the operations' context only if it is to be saved for apply.
    ///
    /// `folder` is the absolute path of the document's folder, the base of its relative paths.
    func document(forApply: Bool, in folder: String) -> JSONValue {
        SavedPlanDocument(saved: self, isForApply: forApply, in: folder).document
    }

    /// The bytes of a plan to save, with one line for each operation.
    ///
    /// `folder` is the absolute path of the document's folder, the base of its relative paths.
    func bytes(in folder: String) -> [UInt8] {
        let document = SavedPlanDocument(saved: self, in: folder)
        var bytes = Array("{".utf8)
        for (index, member) in document.membersWithoutOperations.enumerated() {
            bytes += Array((index == 0 ? "\n  " : ",\n  ").utf8)
            bytes += JSONValue.string(member.name).bytes() + Array(": ".utf8)
            var count = 0
            func append(_ element: JSONValue) {
                bytes += Array((count == 0 ? "[\n    " : ",\n    ").utf8) + element.bytes()
                count += 1
            }
            if member.name == "operations" {
                document.forEachOperation(append)
            } else {
                member.value.elements?.forEach(append)
            }
            bytes += count == 0 ? member.value.bytes() : Array("\n  ]".utf8)
        }
        return bytes + Array("\n}\n".utf8)
    }

    /// Reads a saved plan as written by ``bytes(in:)``; `folder` is the absolute path of its folder.
    ///
    /// Throws ``CommandFailure`` if the bytes are not a plan, have another version or unknown content, contradict
    /// themselves, or are a preview only.
    init(bytes: [UInt8], in folder: String) throws(CommandFailure) {
        let document: JSONValue
        do {
            document = try JSONValue.parse(unambiguous: bytes)
        } catch {
            throw CommandFailure.notAPlan("not a saved plan: \(error)")
        }
        guard let version = document["format_version"] else { throw CommandFailure.notAPlan("not a saved plan") }
        guard version == .integer(Self.formatVersion) else {
            throw CommandFailure.unreadablePlan(
                "a plan of format \(version.integer ?? 0), written by another version of openmarket"
            )
        }
        guard document["apply"] != nil else {
            throw CommandFailure.notAPlan("this plan is for looking only")
        }
        do throws(DocumentError) {
            let paths = DocumentPaths(folder: folder)
            let current = DocumentPaths(folder: DocumentFolder.current)
            self = try SavedPlanDocument(document: DocumentValue(document, at: "")).saved.mappingPaths(paths.absolute)
            let sources = SourcePaths(of: plan, from: paths, to: current)
            for index in plan.operations.indices {
                sources.convert(&plan.operations[index])
            }
        } catch {
            throw CommandFailure.unreadablePlan("the plan cannot be carried out: \(error.place) \(error.message)")
        }
    }
}

// MARK: - Content

extension SavedPlan {
    /// The members that are only shown; applying the plan does not use them.
    static let uncounted: Set = ["tool", "unresolved", "diagnostics"]
    /// The same for an operation: lines of the manifest, which are for messages.
    static let uncountedOfOperations: Set = ["source", "adjusted"]

    private static let pieceSize = 65_536

    /// The saved document without members that are only shown; the same plan always has the same bytes.
    ///
    /// An approval is bound to the SHA-256 of these bytes.
    ///
    /// It is derived from the document, so that a new member cannot be forgotten. Paths are relative to the first
    /// manifest's folder, so another checkout or another plan file has the same bytes.
    var content: [UInt8] {
        var content: [UInt8] = []
        forEachPieceOfContent { content += $0 }
        return content
    }

    /// Passes ``content`` to `body` in pieces; a plan of 100 000 products has 90 MB.
    func forEachPieceOfContent(_ body: ([UInt8]) -> Void) {
        let document = SavedPlanDocument(saved: self, in: contentFolder)
        var writer = JSONWriter()
        writer.object {
            for member in document.membersWithoutOperations where !Self.uncounted.contains(member.name) {
                guard member.name == "operations" else {
                    $0.member(member.name, member.value)
                    continue
                }
                $0.name(member.name)
                $0.array { writer in
                    document.forEachOperation { operation in
                        writer.value(Self.counted(operation))
                        if writer.bytes.count >= Self.pieceSize { body(writer.take()) }
                    }
                }
            }
        }
        body(writer.take())
    }

    private static func counted(_ operation: JSONValue) -> JSONValue {
        .object((operation.members ?? []).filter { !uncountedOfOperations.contains($0.name) })
    }

    /// What a person decides about: the operations as in ``content``.
    var items: [PlanDecisions.Item] {
        var items: [PlanDecisions.Item] = []
        SavedPlanDocument(saved: self, in: contentFolder).forEachOperation { document in
            let operation = plan.operations[items.count]
            let digest = ContentDigest(bytes: SHA256.hash(data: Self.counted(document).bytes()))
            let action = operation.action.rawValue
            items.append(PlanDecisions.Item(digest: digest, key: operation.key, action: action))
        }
        return items
    }

    /// The base of the paths in ``content``: the first manifest's folder, else the state's.
    private var contentFolder: String {
        let anchor = manifestFiles.first { $0.hasPrefix("/") } ?? state
        guard anchor.hasPrefix("/"), let end = anchor.lastIndex(of: "/") else { return "/" }
        return String(anchor[..<end])
    }

    package var contentDigest: ContentDigest {
        var hash = SHA256()
        forEachPieceOfContent { hash.update(data: $0) }
        return ContentDigest(bytes: hash.finalize())
    }

    /// Checks that the plan is the approved one; otherwise throws ``CommandFailure/unexpectedPlan(_:expected:)``.
    func requireContent(_ expected: ContentDigest?) throws(CommandFailure) {
        guard let expected else { return }
        let content = contentDigest
        guard content == expected else { throw .unexpectedPlan(content, expected: expected) }
    }
}

// MARK: - Members

struct SavedPlanDocument: DocumentRecord {
    var saved: SavedPlan
    /// Converts an operation's paths to the document's.
    ///
    /// Operations are converted one at a time: a converted operation no longer shares its data with the manifest.
    private var path: (String) -> String = { $0 }
    private var sources: SourcePaths?
    var isForApply = true
    /// Whether the list of operations is empty, because a caller writes them one by one.
    ///
    /// A tree of all operations would take kilobytes for each.
    private var leavesOutOperations = false
    private var market = MarketDocument()

    /// The document of a plan with absolute paths.
    ///
    /// `isForApply` includes the data for applying it. `folder` is the absolute path of the document's folder, the base
    /// of its relative paths.
    init(saved: SavedPlan, isForApply: Bool = true, in folder: String) {
        let paths = DocumentPaths(folder: folder)
        path = { paths.relative($0) }
        sources = SourcePaths(of: saved.plan, from: DocumentPaths(folder: DocumentFolder.current), to: paths)
        self.saved = saved.mappingPathsBesideOperations(path)
        self.isForApply = isForApply
        market = MarketDocument(saved.profile)
    }

    private init() { saved = SavedPlan() }

    static var blank: SavedPlanDocument { SavedPlanDocument() }

    mutating func describe(_ members: inout DocumentMembers) {
        var format = SavedPlan.formatVersion
        members.required("format_version", &format)
        members.required("tool", &saved.tool)
        members.object("market") { members in
            members.required("url", &saved.url)
            market.describeName(&members)
        }
        members.object("manifest") { members in
            members.required("files", &saved.manifestFiles)
            members.optional("market_file", &saved.marketFile)
            members.optional("edited_by", &saved.editedBy)
            members.required("sha256", &saved.manifestDigest)
        }
        var summary = saved.plan.summary
        members.required("summary", &summary)
        members.optional("unresolved", &saved.unresolved, default: 0)
        describeOperations(&members)
        describeFindings(&members)
        if isForApply { members.object("apply") { describeContext(&$0) } }
        guard members.isReading else { return }
        do throws(DocumentError) { saved.profile = try market.profile() } catch { members.refuse(error) }
        for (index, operation) in saved.plan.operations.enumerated() {
            guard let fault = operation.fault(on: saved.profile, sendsKeys: saved.sendsKeys) else { continue }
            members.refuse(fault, at: "operations[\(index)]")
        }
        if let (index, fault) = saved.plan.repetition { members.refuse(fault, at: "operations[\(index)]") }
        saved.plan.unchanged = summary.unchanged
        saved.plan.unselected = summary.unselected
        saved.plan.waiting = summary.waiting
        if summary != saved.plan.summary { members.refuse("is not that of the operations", at: "summary") }
    }

    var membersWithoutOperations: [JSONValue.Member] {
        var copy = self
        copy.leavesOutOperations = true
        return copy.document.members ?? []
    }

    func forEachOperation(_ body: (JSONValue) -> Void) {
        let numbers = Self.numbers(of: pictureFiles)
        for operation in saved.plan.operations { body(document(of: operation, numbers).document) }
    }

    private func document(of operation: PlannedOperation, _ numbers: [Picture: Int]) -> OperationDocument {
        var operation = operation.mappingPaths(path)
        sources?.convert(&operation)
        return OperationDocument(operation) { .integer(numbers[$0] ?? 0) }
    }

    /// The picture files in the order of the numbers that operations refer to.
    private var pictureFiles: [Picture] {
        Set(sentPictures.map { $0.mappingPath(path) }).sorted { left, right in
            left.path.isExactly(right.path)
                ? left.file.utf8.lexicographicallyPrecedes(right.file.utf8)
                : left.path.utf8.lexicographicallyPrecedes(right.path.utf8)
        }
    }

    /// The picture files that operations send, with the operations' paths.
    private var sentPictures: Set<Picture> {
        var pictures: Set<Picture> = []
        for operation in saved.plan.operations { pictures.formUnion(operation.pictures) }
        return pictures
    }

    private static func numbers(of files: [Picture]) -> [Picture: Int] {
        var numbers: [Picture: Int] = [:]
        for (number, file) in files.enumerated() { numbers[file] = number }
        return numbers
    }

    /// Describes the operations, and the picture files that they refer to by number.
    private mutating func describeOperations(_ members: inout DocumentMembers) {
        var files = pictureFiles
        let numbers = Self.numbers(of: files)
        var operations = leavesOutOperations ? [] : saved.plan.operations.map { document(of: $0, numbers) }
        members.required("operations", &operations)
        members.required("pictures", &files)
        guard members.isReading else { return }
        do throws(DocumentError) {
            saved.plan.operations = []
            saved.plan.operations.reserveCapacity(operations.count)
            for (index, operation) in operations.enumerated() {
                let place = "operations[\(index)]"
                saved.plan.operations.append(try Self.operation(operation, at: place, files))
            }
        } catch {
            members.refuse(error)
        }
        if sentPictures.count != files.count {
            members.refuse("holds a file twice, or one that no operation sends", at: "pictures")
        }
    }

    /// Describes the refusals, and members that are only shown.
    private func describeFindings(_ members: inout DocumentMembers) {
        var refusals = saved.plan.refusals.map { refusal in
            var refusal = refusal
            if let sources { refusal.source = sources.location(refusal.source) }
            return JSONValue(refusal)
        }
        var diagnostics = saved.plan.diagnostics.map { diagnostic in
            var diagnostic = diagnostic
            if let sources { diagnostic.location = sources.location(diagnostic.location) }
            return JSONValue(diagnostic)
        }
        members.required("refusals", &refusals)
        members.required("diagnostics", &diagnostics)
        if !refusals.isEmpty { members.refuse("lists reasons that forbid the plan", at: "refusals") }
    }

    /// Describes the members that apply needs besides the operations.
    private mutating func describeContext(_ members: inout DocumentMembers) {
        market.describeText(&members)
        members.optional("identifier", &saved.identifier)
        members.optional("secret", &saved.secret)
        members.optional("identifier_sha256", &saved.identifierDigest)
        members.optional("picture_hosts", &saved.pictureHosts, default: [])
        members.optional("sends_keys", &saved.sendsKeys, default: false)
        members.required("state", &saved.state)
        members.object("known") { members in
            members.required("products", &saved.known.products)
            members.required("ids", &saved.known.ids)
            members.optional("last_run", &saved.known.lastRun)
        }
        members.required("namesakes", &saved.plan.namesakes)
        members.required("state_updates", &saved.plan.stateUpdates)
    }

    private static func operation(
        _ document: OperationDocument,
        at place: String,
        _ files: [Picture]
    ) throws(DocumentError) -> PlannedOperation {
        let operation = try document.operation(at: place) { value throws(DocumentError) in
            try value.read("the number of a picture") { value in
                value.integer.flatMap { Int(exactly: $0) }.flatMap { files.indices.contains($0) ? files[$0] : nil }
            }
        }
        // The file may come from anywhere, and a plan must not set values that a manifest must not set.
        if let fault = operation.impossible {
            throw DocumentError(fault.message, at: "\(place).\(fault.member)")
        }
        // The files to send must be the pictures that a review shows.
        let shown: [PictureIdentity]? =
            switch operation.work {
            case .create(let product): product.values.images
            case .replace(let replacement): replacement.product.values.images
            case .update(let update): update.changedFields.contains(.images) ? update.desired.images : []
            case .adopt, .delete, .forget, .rename: []
            }
        guard (shown ?? []) == operation.pictures.map({ .digest($0.digest) }) else {
            throw DocumentError("are not those of the field images", at: "\(place).pictures")
        }
        return operation
    }
}

extension Plan {
    /// The first operation that repeats a create of a key, or a change of a product.
    ///
    /// An adopted product may also be changed.
    fileprivate var repetition: (index: Int, fault: String)? {
        var made: Set<String> = []
        var taken: Set<String> = []
        var ids: Set<MarketID> = []
        for (index, operation) in operations.enumerated() {
            let isNew =
                switch operation.action {
                case .create, .replace: made.insert(operation.key).inserted
                case .adopt: taken.insert(operation.key).inserted
                case .update, .delete, .forget, .rename: true
                }
            guard isNew else { return (index, "is the second one that gives the key '\(operation.key)' a product") }
            if let id = operation.id, operation.action != .adopt, !ids.insert(id).inserted {
                return (index, "is the second one that is about product \(id)")
            }
        }
        return nil
    }
}

extension PlannedOperation {
    /// A value that is invalid in a manifest, with its member; `nil` if all are valid.
    fileprivate var impossible: (member: String, message: String)? {
        let (values, fields) = (writtenValues, writtenFields)
        if let fault = values.impossible(in: fields) { return (fault.field.rawValue, fault.message) }
        for field in fields {
            guard case .text(let text)? = values[field] else { continue }
            // A text that the market already has may be sent again; apply checks that the market still has it.
            let lost = replacement?.live[field] == values[field] ? nil : LostText.fault(of: text)
            let fault = lost ?? (field == .name ? VisibleLine.fault(of: text) : nil)
            if let fault { return (field.rawValue, fault) }
        }
        guard [.create, .adopt].contains(action) || renamedFrom != nil, let fault = KeyRules.fault(of: key) else {
            return nil
        }
        return ("key", fault)
    }

    fileprivate func fault(on market: MarketProfile, sendsKeys: Bool) -> String? {
        let capabilities = market.capabilities
        let reasons = capabilities.obstacles(taking: action)
        guard reasons.isEmpty else {
            return "cannot be done on \(market.name): \(reasons.joined(separator: "; "))"
        }
        let faults = capabilities.unsupportedChange(in: work, sendsKeys: sendsKeys)
        return faults.isEmpty
            ? nil : "is not possible: " + faults.map { $0.message(of: key, on: market.name) }.listed("and")
    }

    fileprivate var writtenValues: ProductValues {
        switch work {
        case .create(let product): product.values
        case .replace(let replacement): replacement.product.values
        case .update(let update): update.desired
        case .adopt, .delete, .forget, .rename: .blank
        }
    }

    /// The written fields that come from the manifest and not from the market.
    fileprivate var writtenFields: [ProductField] {
        switch work {
        case .create: ProductField.allCases
        case .replace(let replacement): ProductField.allCases.filter { !replacement.carriedOver.contains($0) }
        case .update(let update): ProductField.allCases.filter(update.changedFields.contains)
        case .adopt, .delete, .forget, .rename: []
        }
    }
}

extension PlanSummary: DocumentRecord {
    package static var blank: PlanSummary { PlanSummary() }

    package mutating func describe(_ members: inout DocumentMembers) {
        members.required("add", &add)
        members.required("change", &change)
        members.required("replace", &replace)
        members.required("delete", &delete)
        members.required("adopt", &adopt)
        members.required("forget", &forget)
        members.optional("rename", &rename, default: 0)
        members.required("unchanged", &unchanged)
        members.optional("not_selected", &unselected, default: 0)
        members.optional("waiting", &waiting, default: 0)
    }
}

/// The market of a document: the name of a built-in one, or another one's description.
struct MarketDocument {
    private var name = ""
    private var parameters: [String: String] = [:]
    private var digest: ContentDigest?
    private var text: String?

    init() {}

    init(_ profile: MarketProfile) {
        name = profile.name
        guard !profile.isBuiltIn else { return }
        parameters = profile.parameters
        digest = profile.digest
        text = String(decoding: profile.document, as: UTF8.self)
    }

    /// Describes the members that are shown.
    mutating func describeName(_ members: inout DocumentMembers) {
        members.required("profile", &name)
        members.optional("parameters", &parameters, default: [:])
        members.optional("description_sha256", &digest)
    }

    /// Describes the market's description, which holds no secret.
    mutating func describeText(_ members: inout DocumentMembers) { members.optional("description", &text) }

    /// The market that was read; throws `DocumentError` if this version does not support it.
    func profile() throws(DocumentError) -> MarketProfile {
        guard let text else {
            guard let profile = MarketProfile.builtIns.first(where: { $0.name.isExactly(name) }) else {
                throw DocumentError("is '\(name)', which is unknown to this version", at: "market.profile")
            }
            return profile
        }
        let profile: MarketProfile
        do throws(MarketProfileError) {
            profile = try MarketProfile(document: Array(text.utf8), parameters: parameters)
        } catch {
            throw DocumentError("is not one: \(error)", at: "apply.description")
        }
        guard profile.name.isExactly(name), profile.digest == digest else {
            throw DocumentError("is not that of the market", at: "apply.description")
        }
        return profile
    }
}
