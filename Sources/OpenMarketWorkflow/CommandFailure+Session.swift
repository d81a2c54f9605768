import OpenMarket

extension CommandFailure {
    /// A key of the filter, without wildcards, matches no product: a typing error would plan too little, or too much.
    package static func unmatchedKey(_ pattern: String) -> CommandFailure {
        CommandFailure(
            .usage,
            "no product has a key like '\(pattern)'",
            help: "--target and --exclude name keys; * and ? in them are wild"
        )
    }

    /// The plan has errors or refusals, so it is not applied.
    static let unsoundPlan = CommandFailure(.refused, "the plan has errors or is refused; no change was sent")

    /// The plan differs from the approved one.
    static func unexpectedPlan(_ content: ContentDigest, expected: ContentDigest) -> CommandFailure {
        CommandFailure(
            .stalePlan,
            "the plan is sha256:\(content), and sha256:\(expected) was expected; no change was sent",
            help: "have this plan reviewed, and give its digest with --expect-plan"
        )
    }

    /// Operations of earlier runs are unresolved, and must be resolved first.
    static func unresolved(_ settled: [Recovery.Settled]) -> CommandFailure {
        let first = settled.first.map { item in
            "\(item.operation.operation.action.rawValue) of '\(item.operation.operation.key)'"
        }
        let others = settled.count > 1 ? " and \(counted(settled.count - 1, "other"))" : ""
        return CommandFailure(
            .partialFailure,
            "\(first ?? "an operation")\(others) of an earlier run is still unresolved: \(settled.first?.outcome ?? "")",
            help: "run apply again when the market answers; until then its key is left alone"
        )
    }

    /// The description of the market of this name was not accepted, so only reads are sent.
    static func unacceptedMarket(_ name: String, digest: ContentDigest) -> CommandFailure {
        CommandFailure(
            .refused,
            "the description of \(name), sha256:\(digest), was not accepted; no change was sent",
            help: "`openmarket apply` shows its requests, and asks"
        )
    }

    /// The catalog changed faster than it could be read completely, in this many passes.
    static func unsettled(passes: Int) -> CommandFailure {
        CommandFailure(
            .failure,
            "\(CatalogSummary.unsettledWords(passes: passes)); what was read is not the whole catalog",
            help: "try again when the market changes less; of a described market, `market probe` shows its pages"
        )
    }
}
