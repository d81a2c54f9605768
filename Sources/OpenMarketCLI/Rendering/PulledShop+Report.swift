import OpenMarket
import OpenMarketManifest
import OpenMarketReview
import OpenMarketWorkflow

extension PulledShop {
    /// Most fields of one kind that are named one by one for people.
    static let most = 20

    /// Says what was made, and what was left out.
    func write(to console: Console, isJSON: Bool) throws {
        guard !isJSON else { return try console.write(document: document, pretty: false) }
        for omission in omissions.prefix(Self.most) {
            console.note(
                "warning: '\(omission.key.terminalSafe)' (\(omission.id)): \(omission.field.rawValue) is not managed: "
                    + omission.reason.terminalSafe
            )
        }
        if omissions.count > Self.most {
            console.note("warning: and \(omissions.count - Self.most) more, each named in \(path.terminalSafe)")
        }
        for loss in losses.prefix(Self.most) { console.note("dropped: \(loss.what)".terminalSafe) }
        if losses.count > Self.most { console.note("dropped: and \(losses.count - Self.most) more") }
        try console.write(
            "Pulled \(counted(products, "product")) and \(counted(pictures, "picture")) into \(path.terminalSafe)\n"
        )
    }

    private var document: JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("manifest", .string(path)),
            ("products", .integer(Int64(products))),
            ("pictures", .integer(Int64(pictures))),
            ("missing_pictures", .integer(Int64(missing))),
            ("catalog_moved", .bool(catalogMoved)),
            (
                "not_managed",
                .array(
                    omissions.map {
                        .object(
                            of: ("key", .string($0.key)),
                            ("id", .integer($0.id.rawValue)),
                            ("field", .string($0.field.rawValue)),
                            ("reason", .string($0.reason))
                        )
                    }
                )
            ),
            ("dropped", losses.isEmpty ? nil : .array(losses.map { .string($0.what) }))
        )
    }
}

extension Console {
    /// Names what stopped a pull, where that is more than one sentence.
    func report(_ error: PullError) {
        switch error {
        case .wouldBeInvalid(let diagnostics), .notAdopted(let diagnostics): report(diagnostics)
        case .wouldLose(let losses, let path):
            for loss in losses.prefix(PulledShop.most) {
                note("\(path):\(loss.line): would be gone: \(loss.what)".terminalSafe)
            }
            if losses.count > PulledShop.most { note("and \(losses.count - PulledShop.most) more") }
        default: break
        }
    }
}
