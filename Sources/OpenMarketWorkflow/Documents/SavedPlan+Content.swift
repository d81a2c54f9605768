import OpenMarket

extension SavedPlan {
    /// The members of the document that are only shown, and that carrying the plan out does not use.
    static let uncounted: Set = ["tool", "unresolved", "diagnostics"]
    /// The same of an operation: the manifest's line, for messages.
    static let uncountedOfOperations: Set = ["source"]

    /// The whole document that is saved but for what is only shown: the same bytes whenever the plan is the same.
    ///
    /// An approval of a plan is bound to their SHA-256.
    ///
    /// Made from the document and not from a list of what counts, so that no new member is forgotten. Paths are relative to
    /// the first manifest's folder: the same plan in another checkout, or saved to another place, is the same.
    public var content: [UInt8] {
        let members = document(forApply: true, in: contentFolder).members ?? []
        let counted = members.filter { !Self.uncounted.contains($0.name) }.map { member in
            guard member.name == "operations", let operations = member.value.elements else { return member }
            let values = operations.map { operation in
                JSONValue.object(
                    (operation.members ?? []).filter { !Self.uncountedOfOperations.contains($0.name) }
                )
            }
            return JSONValue.Member(member.name, .array(values))
        }
        return JSONValue.object(counted).bytes()
    }

    /// The folder that the paths of ``content`` are relative to: the first manifest's, or where none is a file, the state's.
    private var contentFolder: String {
        let anchor = manifestFiles.first { $0.hasPrefix("/") } ?? state
        guard anchor.hasPrefix("/"), let end = anchor.lastIndex(of: "/") else { return "/" }
        return String(anchor[..<end])
    }
}
