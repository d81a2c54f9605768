import OpenMarket

extension SavedPlan {
    static let formatVersion = 1

    /// The document; the context of the operations is included only if it is to be saved for apply.
    ///
    /// The folder is the absolute path of the document's folder, to which its paths are relative.
    func document(
        forApply: Bool,
        in folder: String,
        override words: @escaping (PlanOverride) -> String = { $0.description }
    ) -> JSONValue {
        SavedPlanDocument(saved: self, isForApply: forApply, in: folder, words: words).document
    }

    /// The bytes of a plan to save, with a line for each operation.
    ///
    /// The folder is the absolute path of the document's folder, to which its paths are relative.
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

    /// Whether bytes look like a saved plan and not like a manifest; only their content decides.
    static func isPlan(_ head: some Sequence<UInt8>) -> Bool {
        let text = String(decoding: Array(head.prefix(256)), as: UTF8.self)
        return text.first(where: { !$0.isWhitespace && $0 != "\u{FEFF}" }) == "{" && text.contains("\"format_version\"")
    }

    /// Reads a saved plan as written by ``bytes(in:)``; the folder is the absolute path of its folder.
    ///
    /// Throws ``SavedPlanError`` if the bytes are not a plan, have another version or unknown content, contradict
    /// themselves, or are a preview only.
    init(bytes: [UInt8], in folder: String) throws(SavedPlanError) {
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
            let paths = DocumentPaths(folder: folder)
            let current = DocumentPaths(folder: DocumentFolder.current)
            self = try SavedPlanDocument(document: DocumentValue(document, at: "")).saved.mappingPaths(paths.absolute)
            let sources = SourcePaths(of: plan, from: paths, to: current)
            for index in plan.operations.indices {
                plan.operations[index].source = sources.location(plan.operations[index].source)
            }
        } catch {
            throw SavedPlanError(.unreadable, "the plan cannot be carried out: \(error.place) \(error.message)")
        }
    }
}
