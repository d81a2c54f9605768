import OpenMarket

extension SavedPlan {
    /// The members of the document that are only shown, and that applying the plan does not use.
    static let uncounted: Set = ["tool", "unresolved", "diagnostics"]
    /// The same for an operation: the manifest's line, which is for messages.
    static let uncountedOfOperations: Set = ["source"]

    private static let pieceSize = 65_536

    /// The saved document without members that are only shown; the same plan always has the same bytes.
    ///
    /// An approval of a plan is bound to their SHA-256.
    ///
    /// It is derived from the document and not from a list of members, so that no new member is forgotten. Paths are
    /// relative to the first manifest's folder, so the plan is the same in another checkout or saved elsewhere.
    var content: [UInt8] {
        var content: [UInt8] = []
        forEachPieceOfContent { content += $0 }
        return content
    }

    /// Passes on ``content`` piece by piece; for a plan of 100 000 products it has 90 MB.
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
                        let counted = (operation.members ?? []).filter { !Self.uncountedOfOperations.contains($0.name) }
                        writer.value(.object(counted))
                        if writer.bytes.count >= Self.pieceSize { body(writer.take()) }
                    }
                }
            }
        }
        body(writer.take())
    }

    /// The folder to which the paths of ``content`` are relative: the first manifest's, or the state's if no manifest
    /// is a file.
    private var contentFolder: String {
        let anchor = manifestFiles.first { $0.hasPrefix("/") } ?? state
        guard anchor.hasPrefix("/"), let end = anchor.lastIndex(of: "/") else { return "/" }
        return String(anchor[..<end])
    }
}
