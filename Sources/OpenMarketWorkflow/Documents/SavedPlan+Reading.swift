import OpenMarket

extension SavedPlan {
    /// Whether bytes look like a saved plan, as opposed to a manifest: a plan is known by its content.
    public static func isPlan(_ head: some Sequence<UInt8>) -> Bool {
        let text = String(decoding: Array(head.prefix(256)), as: UTF8.self)
        return text.first(where: { !$0.isWhitespace }) == "{" && text.contains("\"format_version\"")
    }

    /// Reads a saved plan.
    ///
    /// - Parameters:
    ///   - bytes: what ``bytes(in:)`` made.
    ///   - folder: the absolute path of the folder that the plan is in.
    /// - Throws: ``SavedPlanError`` when the bytes are none, are of another version, say what this version does not know,
    ///   contradict themselves, or are for looking only.
    public init(bytes: [UInt8], in folder: String) throws(SavedPlanError) {
        let document: JSONValue
        do {
            document = try JSONValue.parse(unambiguous: bytes)
        } catch {
            throw SavedPlanError(.notAPlan, "not a saved plan: \(error)")
        }
        guard let version = document["format_version"] else { throw SavedPlanError(.notAPlan, "not a saved plan") }
        guard version == .integer(Self.formatVersion) else {
            throw SavedPlanError(
                .unreadable,
                "a plan of format \(version.integer ?? 0), written by another version of openmarket"
            )
        }
        guard document["apply"] != nil else {
            throw SavedPlanError(.previewOnly, "this plan is for looking only")
        }
        do throws(DocumentError) {
            self = try DocumentValue(document, at: "").object { object throws(DocumentError) in
                try SavedPlan(&object, DocumentPaths(folder: folder))
            }
        } catch {
            throw SavedPlanError(.unreadable, "the plan cannot be carried out: \(error.place) \(error.message)")
        }
    }

    private init(_ object: inout DocumentObject, _ paths: DocumentPaths) throws(DocumentError) {
        _ = try object.required("format_version", DocumentRead.count)
        let files = try object.required("pictures") { value throws(DocumentError) in try value.list(DocumentRead.file) }
        let operations = try object.required("operations") { value throws(DocumentError) in
            try value.list { value throws(DocumentError) in
                let operation = try DocumentRead.operation(value) { value throws(DocumentError) in
                    try value.read("the number of a picture") { value in
                        value.integer.flatMap { Int(exactly: $0) }.flatMap {
                            files.indices.contains($0) ? files[$0] : nil
                        }
                    }
                }
                try operation.requireItsPictures(at: value.place)
                return operation.mappingPaths(paths.absolute)
            }
        }
        guard Set(operations.flatMap(\.pictures)).count == files.count else {
            throw DocumentError("holds a file twice, or one that no operation sends", at: "pictures")
        }
        let refusals = try object.required("refusals") { value throws(DocumentError) in
            try value.read("a list", \.elements)
        }
        guard refusals.isEmpty else { throw DocumentError("says what forbids the plan", at: "refusals") }
        _ = try object.required("diagnostics") { value throws(DocumentError) in try value.read("a list", \.elements) }
        let summary = try object.required("summary") { value throws(DocumentError) in try PlanSummary(value) }
        let context = try object.required("apply") { value throws(DocumentError) in
            try value.object { object throws(DocumentError) in try Context(&object, paths) }
        }
        let market = try object.required("market") { value throws(DocumentError) in
            try value.object { object throws(DocumentError) -> (String, MarketProfile) in
                (try object.required("url", DocumentRead.text), try object.required("api", DocumentRead.choice))
            }
        }
        let manifest = try object.required("manifest") { value throws(DocumentError) in
            try value.object { object throws(DocumentError) -> ([String], ContentDigest) in
                (
                    try object.required("files") { value throws(DocumentError) in try value.list(DocumentRead.text) },
                    try object.required("sha256", DocumentRead.digest)
                )
            }
        }
        let plan = Plan(
            operations: operations,
            unchanged: summary.unchanged,
            unselected: summary.unselected,
            stateUpdates: context.stateUpdates,
            namesakes: context.namesakes
        )
        guard summary == plan.summary else {
            throw DocumentError("is not that of the operations", at: "summary")
        }
        self.init(
            tool: try object.required("tool", DocumentRead.text),
            url: market.0,
            profile: market.1,
            manifestFiles: manifest.0.map(paths.absolute),
            manifestDigest: manifest.1,
            plan: plan,
            unsettled: try object.optional("unsettled", DocumentRead.count) ?? 0,
            identifier: context.identifier,
            secret: context.secret,
            identifierDigest: context.identifierDigest,
            pictureHosts: context.pictureHosts,
            state: context.state,
            known: context.known
        )
    }

    /// What apply needs beside the operations.
    private struct Context {
        var identifier: SecretReference?
        var secret: SecretReference?
        var identifierDigest: ContentDigest?
        var pictureHosts: [String]
        var state: String
        var known: Known
        var namesakes: KnownNamesakes
        var stateUpdates: [StateMutation]

        init(_ object: inout DocumentObject, _ paths: DocumentPaths) throws(DocumentError) {
            identifier = try object.optional("identifier", DocumentRead.secret)?.mappingPath(paths.absolute)
            secret = try object.optional("secret", DocumentRead.secret)?.mappingPath(paths.absolute)
            identifierDigest = try object.optional("identifier_sha256", DocumentRead.digest)
            pictureHosts =
                try object.optional("picture_hosts") { value throws(DocumentError) in
                    try value.list(DocumentRead.text)
                } ?? []
            state = paths.absolute(try object.required("state", DocumentRead.text))
            known = try object.required("known") { value throws(DocumentError) in
                try value.object { object throws(DocumentError) in try Known(&object) }
            }
            namesakes = try object.required("namesakes", DocumentRead.namesakes)
            stateUpdates = try object.required("state_updates") { value throws(DocumentError) in
                try value.list(DocumentRead.mutation)
            }.map { $0.mappingPaths(paths.absolute) }
        }
    }
}

extension SavedPlan.Known {
    fileprivate init(_ object: inout DocumentObject) throws(DocumentError) {
        let ids = try object.required("ids") { value throws(DocumentError) in
            var ids: [String: ProductID] = [:]
            for member in try value.read("an object", \.members) {
                let place = "\(value.place).\(member.name)"
                ids[member.name.composed] = try DocumentRead.id(DocumentValue(member.value, at: place))
            }
            return ids
        }
        self.init(
            products: try object.required("products", DocumentRead.count),
            ids: ids,
            lastRun: try object.optional("last_run", DocumentRead.text).map(RunID.init(rawValue:))
        )
    }
}

extension PlanSummary {
    fileprivate init(_ value: DocumentValue) throws(DocumentError) {
        self = try value.object { object throws(DocumentError) in
            var summary = PlanSummary(
                unchanged: try object.required("unchanged", DocumentRead.count),
                unselected: try object.optional("not_selected", DocumentRead.count) ?? 0
            )
            summary.add = try object.required("add", DocumentRead.count)
            summary.change = try object.required("change", DocumentRead.count)
            summary.replace = try object.required("replace", DocumentRead.count)
            summary.delete = try object.required("delete", DocumentRead.count)
            summary.adopt = try object.required("adopt", DocumentRead.count)
            summary.forget = try object.required("forget", DocumentRead.count)
            summary.rename = try object.optional("rename", DocumentRead.count) ?? 0
            return summary
        }
    }
}

extension PlannedOperation {
    /// Checks that the files to be sent are the pictures that are shown.
    fileprivate func requireItsPictures(at place: String) throws(DocumentError) {
        let shown: [PictureIdentity]?
        switch work {
        case .create(let product): shown = product.values.images
        case .replace(let replacement): shown = replacement.product.values.images
        case .update(let update): shown = update.changedFields.contains(.images) ? update.desired.images : []
        case .adopt, .delete, .forget: shown = []
        }
        guard (shown ?? []) == pictures.map({ .digest($0.digest) }) else {
            throw DocumentError("are not those of the field images", at: "\(place).pictures")
        }
    }
}
