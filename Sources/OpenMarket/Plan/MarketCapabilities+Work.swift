/// Requests that a market never supports, for any product. Plans and saved plans share this rule.
extension MarketCapabilities {
    /// Why the market does not support an action; empty if it does.
    package func obstacles(taking action: PlannedOperation.Action) -> [String] {
        Self.writings(of: action).flatMap { obstacles(to: $0) }
    }

    /// The override that allows creates whose outcome stays unknown if the reply is lost.
    ///
    /// `nil` if the market shows the outcome, or the policies accept the risk. `sendsKeys` states whether products
    /// carry the manifest's keys.
    func unsettledCreates(sendsKeys: Bool, _ policies: Policies) -> PlanOverride? {
        guard !policies.allowsUnsettledCreates, !settlesCreates(sendsKeys: sendsKeys) else { return nil }
        return .unsettledCreates(canSendKeys: !sendsKeys && settlesCreates(sendsKeys: true))
    }

    /// States that a market does not support an action: one sentence, in lower case, without a full stop.
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
    /// `'a', 'b' and 3 others`; `keys` holds all keys or at least the first three, `count` is the total.
    package static func list(_ keys: [String], of count: Int) -> String {
        let shown = keys.prefix(count > 3 ? 2 : 3).map { "'\($0)'" }
        let others = count - shown.count
        return others > 0 ? "\(shown.joined(separator: ", ")) and \(others) others" : shown.listed("and")
    }
}

extension PlannedOperation.Action {
    /// The effect on a product, after "would be".
    fileprivate var participle: String {
        switch self {
        case .adopt: "taken over"
        case .create: "created"
        case .update: "changed"
        case .replace: "replaced"
        case .delete: "deleted"
        case .forget: "forgotten"
        case .rename: "renamed"
        }
    }
}
