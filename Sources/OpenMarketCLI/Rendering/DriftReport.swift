import OpenMarket
import OpenMarketReview
import OpenMarketWorkflow

/// What `pull --drift` found: what it wrote, and what it left alone.
struct DriftReport {
    let edits: DriftEdits
    /// Whether a patch was written in the place of the files.
    let isPatch: Bool

    /// Whether all drift was written.
    var isComplete: Bool { edits.items.allSatisfy { $0.refusal == nil } }

    /// Says what was written, and what was not.
    func write(to console: Console, isJSON: Bool) throws {
        guard !isJSON else { return try console.write(document: document, pretty: false) }
        for item in edits.items {
            let what = item.change.map { " \($0.field.rawValue)" } ?? ""
            let line = "\(item.location): '\(item.listing.key)'\(what) \(item.move)".terminalSafe
            guard let reason = item.reason else {
                try console.write(line + "\n")
                continue
            }
            console.complain(console.errorStyle(.boldYellow, "left alone: ") + line)
            console.complain(console.errorStyle(.cyan, "  because: ") + reason.terminalSafe)
        }
        guard !edits.items.isEmpty else { return try console.write("No drift.\n") }
        let values = counted(edits.items.count { $0.refusal == nil }, "value")
        let places = counted(edits.files.count, "file")
        try console.write(isPatch ? "\(values) in a patch of \(places).\n" : "Wrote \(values) into \(places).\n")
    }

    private var document: JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("files", .array(edits.files.map { .string($0.name) })),
            (
                "drift",
                .array(
                    edits.items.map { item in
                        .object(
                            of: ("key", .string(item.listing.key)),
                            ("field", item.change.map { .string($0.field.rawValue) }),
                            ("location", .string(item.location.description)),
                            ("change", .string(item.move)),
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
    fileprivate var location: SourceLocation { listing.location(of: change?.field) }

    /// What the manifest says, and what the market shows.
    fileprivate var move: String {
        if refusal == .obstacle(.gone) { return "gone from the market" }
        let texts = FieldValueText(pictures: listing.pictures)
        return change.map { "\(texts.text($0.manifest)) → \(texts.text($0.live))" } ?? "was not compared"
    }

    /// Why it was left alone; `nil` where it was written.
    fileprivate var reason: String? {
        switch refusal {
        case nil: nil
        case .unwritable(let reason): reason
        case .conflict: "the manifest was changed, too"
        case .obstacle(.gone): "take it out if that is right, or let `apply` make it again"
        case .obstacle(.foreign): "its number is another vendor's product now"
        case .obstacle(.pinnedElsewhere(let id)): "its `id` is not that of the state, which is \(id)"
        case .obstacle(.unreadable): "the market's row could not be read"
        case .obstacle(.unresolved): "an operation on it is unresolved, which `apply` settles"
        case .obstacle(.unknown):
            "the state does not know it, so which side changed cannot be known; `apply` takes it over"
        }
    }
}
