import OpenMarket
import OpenMarketReview
import OpenMarketWorkflow

/// What `pull --drift` found: what it wrote, and what it left alone.
struct DriftReport: Sendable {
    /// A field that somebody changed on the market.
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

        init(_ listing: Listing, _ change: FieldChange, live: ProductValues, refusal: String? = nil) {
            let texts = FieldValueText(pictures: listing.pictures)
            key = listing.key
            field = change.field
            file = listing.file
            location = listing.location(of: change.field)
            move = "\(texts.text(change.manifest)) → \(texts.text(change.live))"
            self.refusal = refusal
        }

        init(gone listing: Listing) {
            key = listing.key
            file = listing.file
            location = listing.location()
            move = "gone from the market"
            refusal = "take it out if that is right, or let `apply` make it again"
        }
    }

    /// Whether a patch was written in the place of the files.
    let isPatch: Bool
    /// In the order of the plan.
    var items: [Item] = []
    /// The files that change.
    var files: [String] = []

    init(isPatch: Bool) { self.isPatch = isPatch }

    /// Whether all drift was written.
    var isComplete: Bool { items.allSatisfy { $0.refusal == nil } }

    /// Says what was written, and what was not.
    func write(to console: Console, isJSON: Bool) throws {
        guard !isJSON else { return try console.write(document.bytes() + Array("\n".utf8)) }
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
