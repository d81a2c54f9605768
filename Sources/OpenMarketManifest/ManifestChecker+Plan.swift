import OpenMarket

/// Reports in advance what every plan would refuse, whatever the market shows.
extension ManifestChecker {
    /// Reports unsupported operations, each reason once, at the first product concerned.
    ///
    /// A read-only market is an error, because there can be no plan. A product that cannot be created is a warning: it
    /// may exist already, which only a plan can find out.
    mutating func foreseePlan() {
        guard options.foreseesPlan, market.profile != nil else { return }
        guard capabilities.canWrite else {
            guard let first = listed.first else { return }
            let reasons = capabilities.writingObstacles
            return preflight(.error, MarketCapabilities.readOnlyMessage(marketName, reasons), at: first)
        }
        let sendsKeys = market.sendsKeys && capabilities.carriesKeys
        let obstacles = capabilities.obstacles(taking: .create)
        let override = capabilities.unsettledCreates(sendsKeys: sendsKeys, sections.policies)
        let unsentKey = capabilities.choosesIDs && !sendsKeys ? UnsupportedChange.unsentKey : nil
        // Hot: built-in markets have none.
        guard !obstacles.isEmpty || override != nil || unsentKey != nil else { return }
        // A product with an id is on the market.
        let made = listed.filter { products.listings.pinnedID(at: $0) == nil }
        guard let first = made.first else { return }
        let keys = made.prefix(3).map { products.listings.key(at: $0) }
        let subject = "\(PlannedOperation.list(keys, of: made.count)), if not on \(marketName) already,"
        guard obstacles.isEmpty else {
            let message = MarketCapabilities.obstacleMessage(subject, .create, on: marketName, obstacles)
            return preflight(.warning, message, at: first)
        }
        if let unsentKey {
            preflight(.warning, unsentKey.message(of: keys[0], on: marketName), at: first, help: unsentKey.help)
        }
        guard let override else { return }
        let sending = override == .unsettledCreates(canSendKeys: true) ? "set 'market.send_keys: true', or " : "set "
        preflight(
            .warning,
            MarketCapabilities.unsettledMessage(subject, on: marketName),
            at: first,
            help: sending + "'policies.allow_unsettled_creates: true'"
        )
    }

    /// Indices of the products that a plan would include.
    private var listed: [Int] {
        products.listings.indices.filter { index in
            !products.drafts[index].isFaulty && !products.drafts[index].isLeftOut
                && !products.listings.isAbsent(at: index)
        }
    }

    private mutating func preflight(
        _ severity: Diagnostic.Severity,
        _ message: String,
        at index: Int,
        help: String? = nil
    ) {
        let draft = products.drafts[index]
        let isRow = products.listings.row(at: index) != nil
        log.add(
            severity,
            .unsupportedByMarket,
            message,
            file: draft.file,
            span: SourceSpan(start: products.listings.position(at: index), length: 1),
            path: isRow ? "" : "products[\(draft.index)]",
            help: help
        )
    }
}
