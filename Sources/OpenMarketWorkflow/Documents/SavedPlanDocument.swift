package import OpenMarket
import OpenMarketManifest

/// A saved plan as written, with the document's paths.
struct SavedPlanDocument: DocumentRecord {
    var saved: SavedPlan
    /// Converts an operation's paths to the document's.
    ///
    /// Operations are converted one after another, because one with other paths no longer shares its data with the
    /// manifest.
    private var path: (String) -> String = { $0 }
    private var sources: SourcePaths?
    /// Whether the document has the data for applying it.
    var isForApply = true
    /// The text that shows an override.
    var words: (PlanOverride) -> String = \.description
    /// Whether the list of operations is left empty, for a caller that writes them one by one.
    ///
    /// A tree of all of them would take kilobytes for each.
    private var leavesOutOperations = false
    private var market = MarketDocument()

    /// Creates the document of a plan with absolute paths.
    ///
    /// `isForApply` includes the data for applying it. The folder is the absolute path of the document's folder, to
    /// which its paths are relative.
    init(
        saved: SavedPlan,
        isForApply: Bool = true,
        in folder: String,
        words: @escaping (PlanOverride) -> String = \.description
    ) {
        let paths = DocumentPaths(folder: folder)
        path = paths.relative
        sources = SourcePaths(of: saved.plan, from: DocumentPaths(folder: DocumentFolder.current), to: paths)
        self.saved = saved.mappingPathsBesideOperations(path)
        self.isForApply = isForApply
        self.words = words
        market = MarketDocument(saved.profile)
    }

    private init(blank saved: SavedPlan) { self.saved = saved }

    static var blank: SavedPlanDocument { SavedPlanDocument(blank: .blank) }

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
        if summary != saved.plan.summary { members.refuse("is not that of the operations", at: "summary") }
    }

    /// The members with an empty list of operations.
    var membersWithoutOperations: [JSONValue.Member] {
        var copy = self
        copy.leavesOutOperations = true
        return copy.document.members ?? []
    }

    /// Passes on the documents of the operations one by one.
    func forEachOperation(_ body: (JSONValue) -> Void) {
        let numbers = Self.numbers(of: pictureFiles)
        for operation in saved.plan.operations { body(document(of: operation, numbers).document) }
    }

    private func document(of operation: PlannedOperation, _ numbers: [Picture: Int]) -> OperationDocument {
        var operation = operation.mappingPaths(path)
        if let sources { operation.source = sources.location(operation.source) }
        return OperationDocument(operation) { .integer(numbers[$0] ?? 0) }
    }

    /// The picture files, which operations refer to by number, in this order.
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
            return JSONValue(refusal, override: words)
        }
        var diagnostics = saved.plan.diagnostics.map { diagnostic in
            var diagnostic = diagnostic
            if let sources { diagnostic.location = sources.location(diagnostic.location) }
            return JSONValue(diagnostic)
        }
        members.required("refusals", &refusals)
        members.required("diagnostics", &diagnostics)
        if !refusals.isEmpty { members.refuse("says what forbids the plan", at: "refusals") }
    }

    /// Describes the members that apply needs beside the operations.
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
        // A file may come from anywhere, and a plan may not ask for more than a manifest may.
        if let fault = operation.impossible {
            throw DocumentError(fault.message, at: "\(place).\(fault.member)")
        }
        // The files to send are the pictures that are shown.
        let shown: [PictureIdentity]? =
            switch operation.work {
            case .create(let product): product.values.images
            case .replace(let replacement): replacement.product.values.images
            case .update(let update): update.changedFields.contains(.images) ? update.desired.images : []
            case .adopt, .delete, .forget: []
            }
        guard (shown ?? []) == operation.pictures.map({ .digest($0.digest) }) else {
            throw DocumentError("are not those of the field images", at: "\(place).pictures")
        }
        return operation
    }
}

extension Plan {
    /// The first operation that creates a second product for a key, or that concerns the same product as another one.
    ///
    /// An adopted product may be changed as well.
    fileprivate var repetition: (index: Int, fault: String)? {
        var made: Set<String> = []
        var taken: Set<String> = []
        var ids: Set<MarketID> = []
        for (index, operation) in operations.enumerated() {
            let isNew =
                switch operation.action {
                case .create, .replace: made.insert(operation.key).inserted
                case .adopt: taken.insert(operation.key).inserted
                case .update, .delete, .forget: true
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
    /// A value that no manifest may have, with its member; `nil` if all are allowed.
    fileprivate var impossible: (member: String, message: String)? {
        let (values, fields) = (writtenValues, writtenFields)
        if let fault = values.impossible(in: fields) { return (fault.field.rawValue, fault.message) }
        for field in fields {
            guard case .text(let text)? = values[field] else { continue }
            // A text that the market has already may be sent again; apply checks whether it has it.
            let lost = replacement?.live[field] == values[field] ? nil : LostText.fault(of: text)
            let fault = lost ?? (field == .name ? VisibleLine.fault(of: text) : nil)
            if let fault { return (field.rawValue, fault) }
        }
        guard [.create, .adopt].contains(action), let fault = KeyRules.fault(of: key) else { return nil }
        return ("key", fault)
    }

    /// Why a market cannot do the operation; `nil` if it can.
    fileprivate func fault(on market: MarketProfile, sendsKeys: Bool) -> String? {
        let capabilities = market.capabilities
        let reasons = capabilities.obstacles(taking: action)
        guard reasons.isEmpty else {
            return "cannot be done on \(market.name): \(reasons.joined(separator: "; "))"
        }
        let faults = capabilities.inexpressible(in: work, sendsKeys: sendsKeys)
        return faults.isEmpty
            ? nil : "is not possible: " + faults.map { $0.message(of: key, on: market.name) }.listed("and")
    }

    fileprivate var writtenValues: ProductValues {
        switch work {
        case .create(let product): product.values
        case .replace(let replacement): replacement.product.values
        case .update(let update): update.desired
        case .adopt, .delete, .forget: ProductValues()
        }
    }

    /// The written fields that come from the manifest and not from the market.
    fileprivate var writtenFields: [ProductField] {
        switch work {
        case .create: ProductField.allCases
        case .replace(let replacement): ProductField.allCases.filter { !replacement.carriedOver.contains($0) }
        case .update(let update): ProductField.allCases.filter(update.changedFields.contains)
        case .adopt, .delete, .forget: []
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
    }
}
