/// New products that may be on the market already.
extension PlanCheck {
    /// Reports that the state has products, but only of other markets, and that one of these may be meant.
    static func otherMarkets(_ context: Context) -> [Diagnostic] {
        guard let (own, others) = context.input.otherMarkets, !others.isEmpty,
            context.plan.operations.contains(where: \.makesProduct)
        else { return [] }
        let known = others.prefix(3).map {
            "\(counted($0.products, "product")) of \($0.scope.url) (\($0.scope.market))"
        }
        let isSame = others.contains { ($0.scope.url, $0.scope.market) == (own.url, own.market) }
        let this = isSame ? "this is the same with another identifier" : "this is \(own.url) (\(own.market))"
        return [
            Diagnostic(
                .warning,
                .otherMarket,
                "the state has \(known.listed("and")); \(this)",
                help: "for the same market, put back its URL, 'api' and identifier"
            )
        ]
    }

    /// Refuses new products that may be live ones without a key.
    static func namesakes(_ context: Context) -> [PlanRefusal] {
        let cases = context.namesakes.cases
        let refusals = cases.prefix(shown).map(\.refusal)
        guard cases.count > shown else { return refusals }
        return refusals + [
            PlanRefusal(
                "\(cases.count - shown) more would be created although the market has others of their names that may be yours",
                override: .manyNamesakes
            )
        ]
    }

    /// Refuses a plan whose new products have namesakes that the claimed vendor number would assign to another vendor.
    ///
    /// Apply creates none of these before the market confirms the number. The delete key of a product with that number
    /// confirms it, as does the reply to a create whose name is not on the market. So a few namesakes are not refused.
    ///
    /// If most new products have namesakes under another number, the claimed number is probably wrong. If the market
    /// itself reported it, the plan may be applied, and reviewers are warned.
    static func contestedNames(_ context: Context) -> Findings {
        let contested = context.namesakes.contested
        guard let first = contested.first, let example = first.ids.first, let claim = context.identity.claim else {
            return Findings()
        }
        let fresh = context.plan.operations.count { $0.action == .create || $0.action == .adopt }
        guard contested.count * 2 > fresh else { return Findings() }
        let vendors = Set(contested.flatMap(\.ids).compactMap { context.input.live.products[$0]?.vendorID }).sorted()
        let whose = vendors.prefix(3).map(String.init).joined(separator: ", ") + (vendors.count > 3 ? ", …" : "")
        let words =
            (contested.count == 1 ? "'\(first.key)'" : "\(contested.count) products, '\(first.key)' first,")
            + " would be created although vendor \(whose) has products of the same names, such as product \(example), "
            + "and the market does not confirm that you are vendor \(claim)"
        guard context.identity.isClaimRemembered else {
            return Findings(refusals: [PlanRefusal(words, override: .unconfirmedVendor, code: .vendorUnconfirmed)])
        }
        let help =
            "apply creates one product first, and deletes it if the market shows another number; "
            + "set `market.vendor_id` to the right one"
        return Findings(diagnostics: [Diagnostic(.warning, .ambiguousAdoption, words, help: help)])
    }
}

extension DuplicateNames.Case {
    fileprivate var refusal: PlanRefusal {
        let listed = ids.prefix(10).map(\.description).joined(separator: ", ") + (ids.count > 10 ? ", …" : "")
        let products = ids.count == 1 ? "product \(listed)" : "products \(listed)"
        let (reason, override): (String, PlanOverride) =
            switch kind {
            case .replaced:
                (
                    "once more, although \(products) of its name without a key may come from an earlier replace",
                    .leftover
                )
            case .unread(let doubt): ("although \(doubt)\(doubt == .unnumbered ? "" : ", and may be it")", .unread)
            case .sameName, .truncatedName, .rewrittenName, .nameless:
                ("although the market has \(products) \(kind.likeness), which may be yours", .namesakes(ids))
            }
        return PlanRefusal("'\(key)' would be created \(reason)", override: override, source: source)
    }
}

extension DuplicateNames.Kind {
    /// The part of the name that the live product has, as a phrase for messages.
    fileprivate var likeness: String {
        switch self {
        case .truncatedName: "of the beginning of its name"
        case .rewrittenName: "of its name in another spelling"
        case .nameless: "without a name"
        case .sameName, .replaced, .unread: "of its name"
        }
    }
}
