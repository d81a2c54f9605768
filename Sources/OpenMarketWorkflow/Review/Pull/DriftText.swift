package import OpenMarket

extension DriftEdits {
    /// The lines about the changes that were written, into the manifest's files or as a patch of them.
    package func writtenText(asPatch isPatch: Bool) -> String {
        guard !items.isEmpty else { return "No drift.\n" }
        let written = items.filter { $0.refusal == nil }
        let values = counted(written.count, "value")
        let places = counted(planned.files.count, "file")
        return written.map { $0.line + "\n" }.joined()
            + (isPatch ? "\(values) in a patch of \(places).\n" : "Wrote \(values) into \(places).\n")
    }

    /// The lines about the changes that were left alone, with the reasons.
    package func leftAlone(_ style: Style) -> [String] {
        items.flatMap { item in
            item.reason.map { reason in
                [style(.boldYellow, "left alone: ") + item.line, style(.cyan, "  because: ") + reason.terminalSafe]
            } ?? []
        }
    }

    package var document: JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("files", .array(planned.files.map { .string($0.name) })),
            (
                "drift",
                .array(
                    items.map { item in
                        .object(
                            of: ("key", .string(item.listing.key)),
                            ("source", JSONValue(item.location)),
                            ("change", item.change.map { ShownChange($0).document }),
                            ("written", .bool(item.refusal == nil)),
                            ("reason", item.reason.map(JSONValue.string))
                        )
                    }
                )
            )
        )
    }
}

extension DriftEdits.Item {
    fileprivate var line: String {
        let what = change.map { " \($0.field.rawValue)" } ?? ""
        return "\(location): '\(listing.key)'\(what) \(move)".terminalSafe
    }

    fileprivate var location: SourceLocation { listing.location(of: change?.field) }

    fileprivate var move: String {
        if refusal == .obstacle(.gone) { return "gone from the market" }
        let texts = FieldValueText(pictures: listing.pictures)
        return change.map { "\(texts.text($0.manifest)) → \(texts.text($0.live))" } ?? "was not compared"
    }

    /// Why the change was left alone; `nil` if it was written.
    fileprivate var reason: String? {
        switch refusal {
        case nil: nil
        case .unwritable(let reason): reason
        case .conflict:
            change.map { listing.adjusted?.touches($0.field) == true } == true
                ? "it is adjusted there, and not written into the catalog" : "the manifest was changed, too"
        case .obstacle(.gone): "take it out if that is right, or let `apply` create it again"
        case .obstacle(.foreign): "its number is another vendor's product now"
        case .obstacle(.pinnedElsewhere(let id)): "its `id` is not that of the state, which is \(id)"
        case .obstacle(.unreadable): "the market's row could not be read"
        case .obstacle(.otherKind): "it is of another kind, which the market's description lets nobody write"
        case .obstacle(.unresolved): "an operation on it is unresolved, which `apply` settles"
        case .obstacle(.unknown):
            "the state does not know it, so which side changed cannot be known; `apply` takes it over"
        }
    }
}
