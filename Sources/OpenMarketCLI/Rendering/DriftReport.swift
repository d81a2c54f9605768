import OpenMarket
import OpenMarketReview
import OpenMarketWorkflow

/// What `pull --drift` found: what it wrote, and what it left alone.
struct DriftReport: Sendable {
    /// A field that was changed on the market.
    struct Item: Sendable {
        var key: String
        /// `nil` for the whole product.
        var field: ProductField?
        var file: String
        var location: SourceLocation
        /// What the manifest says, and what the market shows.
        var move: String
        /// Why it was left alone; `nil` where it was written.
        var refusal: String?

        init(_ item: DriftEdits.Item) {
            let listing = item.listing
            key = listing.key
            field = item.change?.field
            file = listing.file
            location = listing.location(of: field)
            let texts = FieldValueText(pictures: listing.pictures)
            move = item.change.map { "\(texts.text($0.manifest)) → \(texts.text($0.live))" } ?? "was not compared"
            switch item.refusal {
            case nil: refusal = nil
            case .unwritable(let reason): refusal = reason
            case .conflict: refusal = "the manifest was changed, too"
            case .obstacle(.gone):
                move = "gone from the market"
                refusal = "take it out if that is right, or let `apply` make it again"
            case .obstacle(.foreign): refusal = "its number is another vendor's product now"
            case .obstacle(.pinnedElsewhere(let id)): refusal = "its `id` is not that of the state, which is \(id)"
            case .obstacle(.unreadable): refusal = "the market's row could not be read"
            case .obstacle(.unresolved): refusal = "an operation on it is unresolved, which `apply` settles"
            case .obstacle(.unknown):
                refusal = "the state does not know it, so which side changed cannot be known; `apply` takes it over"
            }
        }
    }

    /// Whether a patch was written in the place of the files.
    let isPatch: Bool
    /// In the order of the plan.
    let items: [Item]
    /// The files that change.
    let files: [String]

    init(_ edits: DriftEdits, isPatch: Bool) {
        self.isPatch = isPatch
        items = edits.items.map { Item($0) }
        files = edits.files.map(\.name)
    }

    /// Whether all drift was written.
    var isComplete: Bool { items.allSatisfy { $0.refusal == nil } }

    /// Says what was written, and what was not.
    func write(to console: Console, isJSON: Bool) throws {
        guard !isJSON else { return try console.write(document: document, pretty: false) }
        for item in items {
            let what = item.field.map { " \($0.rawValue)" } ?? ""
            let line = "\(item.location): '\(item.key)'\(what) \(item.move)".terminalSafe
            guard let refusal = item.refusal else {
                try console.write(line + "\n")
                continue
            }
            console.complain(console.errorStyle(.boldYellow, "left alone: ") + line)
            console.complain(console.errorStyle(.cyan, "  because: ") + refusal.terminalSafe)
        }
        let written = items.count { $0.refusal == nil }
        guard !items.isEmpty else { return try console.write("No drift.\n") }
        let places = counted(files.count, "file")
        try console.write(
            isPatch
                ? "\(counted(written, "value")) in a patch of \(places).\n"
                : "Wrote \(counted(written, "value")) into \(places).\n"
        )
    }

    private var document: JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("files", .array(files.map(JSONValue.string))),
            (
                "drift",
                .array(
                    items.map { item in
                        .object(
                            of: ("key", .string(item.key)),
                            ("field", item.field.map { .string($0.rawValue) }),
                            ("location", .string(item.location.description)),
                            ("change", .string(item.move)),
                            ("written", .bool(item.refusal == nil)),
                            ("reason", item.refusal.map(JSONValue.string))
                        )
                    }
                )
            )
        )
    }
}
