import OpenMarket

extension SavedPlan {
    /// The members of the document that are only shown, and that carrying the plan out does not use.
    static let uncounted: Set = ["tool", "unresolved", "diagnostics"]
    /// The same of an operation: the manifest's line, for messages.
    static let uncountedOfOperations: Set = ["source"]

    /// So many bytes are written before a piece of the content is handed over.
    private static let pieceSize = 65_536

    /// The whole document that is saved but for what is only shown: the same bytes whenever the plan is the same.
    ///
    /// An approval of a plan is bound to their SHA-256.
    ///
    /// Made from the document and not from a list of what counts, so that no new member is forgotten. Paths are relative to
    /// the first manifest's folder: the same plan in another checkout, or saved to another place, is the same.
    var content: [UInt8] {
        var content: [UInt8] = []
        forEachPieceOfContent { content += $0 }
        return content
    }

    /// Hands over ``content`` piece by piece: of a plan of 100 000 products it has 90 MB.
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

    /// The folder that the paths of ``content`` are relative to: the first manifest's, or where none is a file, the state's.
    private var contentFolder: String {
        let anchor = manifestFiles.first { $0.hasPrefix("/") } ?? state
        guard anchor.hasPrefix("/"), let end = anchor.lastIndex(of: "/") else { return "/" }
        return String(anchor[..<end])
    }
}
