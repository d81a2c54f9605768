public import OpenMarket

extension SavedPlan {
    /// The version of the document.
    static let formatVersion = 2

    /// The document, with what surrounds the operations only where it is to be saved for apply.
    ///
    /// - Parameters:
    ///   - forApply: whether it is to be carried out later.
    ///   - folder: the absolute path of the folder that it is for: the paths in it are relative to that.
    ///   - words: what an override is called.
    /// - Returns: the document.
    public func document(
        forApply: Bool,
        in folder: String,
        override words: (PlanOverride) -> String = { $0.description }
    ) -> JSONValue {
        let paths = DocumentPaths(folder: folder)
        let operations = plan.operations.map { $0.mappingPaths(paths.relative) }
        let pictures = Set(operations.flatMap(\.pictures)).sorted { left, right in
            left.path.isExactly(right.path)
                ? left.file.utf8.lexicographicallyPrecedes(right.file.utf8)
                : left.path.utf8.lexicographicallyPrecedes(right.path.utf8)
        }
        let numbers = Dictionary(zip(pictures, pictures.indices)) { first, _ in first }
        return .object(
            of: ("format_version", .integer(Self.formatVersion)),
            ("tool", .string(tool)),
            ("market", .object(of: ("url", .string(url)), ("api", .string(profile.rawValue)))),
            (
                "manifest",
                .object(
                    of: ("files", .array(manifestFiles.map { .string(paths.relative($0)) })),
                    ("sha256", .string(manifestDigest.hexadecimal))
                )
            ),
            ("summary", JSONValue(plan.summary)),
            ("unsettled", unsettled > 0 ? .integer(unsettled) : nil),
            (
                "operations",
                .array(operations.map { JSONValue($0) { picture in .integer(numbers[picture] ?? 0) } })
            ),
            ("pictures", .array(pictures.map { JSONValue($0) })),
            ("refusals", .array(plan.refusals.map { JSONValue($0, override: words) })),
            ("diagnostics", .array(plan.diagnostics.map { JSONValue($0) })),
            ("apply", forApply ? context(paths) : nil)
        )
    }

    /// What apply needs beside the operations.
    private func context(_ paths: DocumentPaths) -> JSONValue {
        let ids = known.ids.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let updates = plan.stateUpdates.map { $0.mappingPaths(paths.relative) }
        return .object(
            of: ("identifier", identifier.map { .string($0.mappingPath(paths.relative).stateText) }),
            ("secret", secret.map { .string($0.mappingPath(paths.relative).stateText) }),
            ("identifier_sha256", identifierDigest.map { .string($0.hexadecimal) }),
            ("picture_hosts", pictureHosts.isEmpty ? nil : .array(pictureHosts.map(JSONValue.string))),
            ("state", .string(paths.relative(state))),
            (
                "known",
                .object(
                    of: ("products", .integer(known.products)),
                    ("ids", .object(ids.map { JSONValue.Member($0.key, .integer($0.value.rawValue)) })),
                    ("last_run", (known.lastRun?.rawValue).map(JSONValue.string))
                )
            ),
            ("namesakes", JSONValue(plan.namesakes)),
            ("state_updates", .array(updates.map { JSONValue($0) }))
        )
    }

    /// The bytes of a plan to be saved: a line for each operation.
    ///
    /// - Parameter folder: the absolute path of the folder that it is for.
    /// - Returns: the bytes.
    public func bytes(in folder: String) -> [UInt8] {
        var bytes = Array("{".utf8)
        for (index, member) in (document(forApply: true, in: folder).members ?? []).enumerated() {
            bytes += Array((index == 0 ? "\n  " : ",\n  ").utf8)
            bytes += JSONValue.string(member.name).bytes() + Array(": ".utf8)
            if let elements = member.value.elements, !elements.isEmpty {
                for (index, element) in elements.enumerated() {
                    bytes += Array((index == 0 ? "[\n    " : ",\n    ").utf8) + element.bytes()
                }
                bytes += Array("\n  ]".utf8)
            } else {
                bytes += member.value.bytes()
            }
        }
        return bytes + Array("\n}\n".utf8)
    }
}
