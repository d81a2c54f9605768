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
