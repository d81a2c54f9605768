/// What a market cannot be asked for whatever a product is like: the rule of plans, of saved plans and of `validate`.
extension MarketCapabilities {
    /// Why an action cannot be taken there; none where it can.
    package func obstacles(taking action: PlannedOperation.Action) -> [String] {
        Self.writings(of: action).flatMap { obstacles(to: $0) }
    }

    /// What lets products be made there although nothing would show what became of a create whose answer is lost; `nil` where
    /// something does, or where the policies accept it.
    ///
    /// - Parameters:
    ///   - sendsKeys: whether products carry the manifest's keys.
    ///   - policies: what is accepted.
    /// - Returns: what to allow.
    package func unsettledCreates(sendsKeys: Bool, _ policies: Policies) -> PlanOverride? {
        guard !policies.allowsUnsettledCreates, !settlesCreates(sendsKeys: sendsKeys) else { return nil }
        return .unsettledCreates(canSendKeys: !sendsKeys && settlesCreates(sendsKeys: true))
    }

    /// Why nothing at all can be written to a market, as a message.
    ///
    /// - Parameters:
    ///   - market: the market's name.
    ///   - reasons: why, each reason once.
    /// - Returns: one sentence, lower case, no full stop.
    package static func readOnlyMessage(_ market: String, _ reasons: [String]) -> String {
        "nothing can be written to \(market): \(reasons.joined(separator: "; "))"
    }

    /// What may become of a create on a market where nothing settles it, as a message.
    ///
    /// - Parameters:
    ///   - products: the products that would be made.
    ///   - market: the market's name.
    /// - Returns: one sentence, lower case, no full stop.
    package static func unsettledMessage(_ products: String, on market: String) -> String {
        "\(products) would be made, and nothing shows what becomes of a create on \(market) whose answer is lost: a product "
            + "could be made twice"
    }

    /// That an action cannot be taken on a market, as a message.
    ///
    /// - Parameters:
    ///   - products: the products that it is about.
    ///   - action: what would be done to them.
    ///   - market: the market's name.
    ///   - reasons: why not.
    /// - Returns: one sentence, lower case, no full stop.
    package static func obstacleMessage(
        _ products: String,
        _ action: PlannedOperation.Action,
        on market: String,
        _ reasons: [String]
    ) -> String {
        "\(products) would be \(action.participle), which cannot be done on \(market): "
            + reasons.joined(separator: "; ")
    }
}

extension PlannedOperation {
    /// `'a', 'b' and 3 others`.
    ///
    /// - Parameters:
    ///   - keys: the first three of them, or all that there are.
    ///   - count: how many there are.
    /// - Returns: the list.
    package static func list(_ keys: [String], of count: Int) -> String {
        let shown = keys.prefix(count > 3 ? 2 : 3).map { "'\($0)'" }
        let others = count - shown.count
        return others > 0 ? "\(shown.joined(separator: ", ")) and \(others) others" : shown.listed("and")
    }
}

extension PlannedOperation.Action {
    /// What happens to a product, to be read after "would be".
    fileprivate var participle: String {
        switch self {
        case .adopt: "taken over"
        case .create: "made"
        case .update: "changed"
        case .replace: "replaced"
        case .delete: "deleted"
        case .forget: "forgotten"
        }
    }
}
