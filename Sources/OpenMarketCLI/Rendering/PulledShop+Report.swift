import OpenMarketReview
import OpenMarketWorkflow

extension Console {
    /// Says what a pull made, and what it left out.
    func report(_ shop: PulledShop, isJSON: Bool) throws {
        guard !isJSON else { return try write(document: shop.document, pretty: false) }
        let text = PulledShopText()
        for line in text.remarks(shop) { note(line) }
        try write(text.result(shop))
    }

    /// Names what stopped a pull, where that is more than one sentence.
    func report(_ error: PullError) {
        switch error {
        case .wouldBeInvalid(let diagnostics), .notAdopted(let diagnostics): report(diagnostics)
        case .wouldLose(let losses, let path): for line in PulledShopText().losses(losses, in: path) { note(line) }
        default: break
        }
    }
}
