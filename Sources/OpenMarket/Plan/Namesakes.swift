/// The products that a plan would create although the market has others of the same name that may be the same ones.
///
/// Without its state, or with an old one, the tool does not know what it created before. So a product whose name is
/// already on the market is not created until the user states whose product that is.
struct Namesakes {
    /// Why a live product may be one that is to be created.
    enum Kind {
        case sameName
        /// It has the name and is newer than the product to be replaced.
        case replaced
        /// It has the beginning of the name, and the market cuts names.
        case cutName
        /// It has the name in another spelling; markets rewrite names.
        case rewrittenName
        case unread(UnreadRows.Doubt)
        case nameless
        /// Another key manages it, and it has the name and the pictures; `canRename` states whether that key may be
        /// renamed to this one.
        case secondListing(of: String, canRename: Bool)
        /// Another key manages it that differs only in ways that people and spreadsheets cause; `canRename` states
        /// whether that key may be renamed to this one.
        case respelling(of: String, canRename: Bool)
    }

    /// A product to be created, and the live products that it may be.
    fileprivate struct Case {
        var key: String
        var source: SourceLocation?
        var ids: [MarketID]
        var kind: Kind

        /// Whether the products belong to one of our keys, as opposed to unmanaged products of the market.
        var isOfKey: Bool {
            switch kind {
            case .secondListing, .respelling: true
            case .sameName, .replaced, .cutName, .rewrittenName, .unread, .nameless: false
            }
        }
    }

    private var cases: [Case] = []
    /// Products to be created whose names other vendors use, provided that our vendor identity is right, with the live
    /// products.
    private var contested: [(key: String, ids: [MarketID])] = []

    /// The number of cases that are listed one by one.
    private static let shown = 20

    mutating func note(_ key: String, at source: SourceLocation?, ids: [MarketID], kind: Kind = .sameName) {
        switch kind {
        case .sameName, .replaced, .cutName, .rewrittenName, .nameless: if ids.isEmpty { return }
        case .unread, .secondListing, .respelling: break
        }
        cases.append(Case(key: key, source: source, ids: ids, kind: kind))
    }

    /// Adds a product to be created whose name other vendors use, provided that our vendor identity is right.
    mutating func contest(_ key: String, ids: [MarketID]) {
        contested.append((key, ids))
    }

    var ids: [MarketID] { Set(cases.flatMap(\.ids) + contested.flatMap(\.ids)).inOrder() }

    /// The keys of products that are created only after the market has confirmed our vendor identity.
    var contestedKeys: [String] { contested.map(\.key) }

    /// Why the plan must not be applied although each namesake would be another vendor's if our claimed identity were
    /// right.
    ///
    /// Apply creates none of the products before the market has confirmed our vendor number. The delete key of a
    /// product that shows it confirms it, as does the reply to the create of a product whose name is not on the market.
    /// So a few namesakes are not a reason to refuse. If most of the new products have namesakes under another number,
    /// our number is more likely wrong, unless the market reported it itself.
    func refusalOfContested(_ input: Planner.Input, _ identity: VendorIdentity, _ plan: Plan) -> PlanRefusal? {
        guard !identity.isClaimRemembered, let words = wordsOfContested(input, identity, plan) else { return nil }
        return PlanRefusal(words, override: .unconfirmedVendor, code: .vendorUnconfirmed)
    }

    /// The warning for reviewers if the market itself reported our number, so that the plan may be applied.
    func warningOfContested(_ input: Planner.Input, _ identity: VendorIdentity, _ plan: Plan) -> Diagnostic? {
        guard identity.isClaimRemembered, let words = wordsOfContested(input, identity, plan) else { return nil }
        return Diagnostic(
            .warning,
            .ambiguousAdoption,
            words,
            help: "apply makes one product first, and deletes it again where the market then says another number; "
                + "`market.vendor_id` says which one is right"
        )
    }

    private func wordsOfContested(_ input: Planner.Input, _ identity: VendorIdentity, _ plan: Plan) -> String? {
        guard let first = contested.first, let example = first.ids.first, let claim = identity.claim else { return nil }
        let fresh = plan.operations.count { $0.action == .create || $0.action == .adopt }
        guard contested.count * 2 > fresh else { return nil }
        let vendors = Set(contested.flatMap(\.ids).compactMap { input.live.products[$0]?.vendorID }).sorted()
        let whose = vendors.prefix(3).map(String.init).joined(separator: ", ") + (vendors.count > 3 ? ", …" : "")
        return (contested.count == 1 ? "'\(first.key)'" : "\(contested.count) products, '\(first.key)' first,")
            + " would be made although vendor \(whose) has products of the same names, such as product \(example), "
            + "and nothing on the market confirms that we are vendor \(claim)"
    }

    /// The keys of products that may have been approved already.
    var doubtfulKeys: [String] { cases.filter(\.isOfKey).map(\.key) }

    var keys: Set<String> { Set(cases.map(\.key)) }

    /// Why the plan must not be applied: the first products one by one, and the number of the others.
    var refusals: [PlanRefusal] {
        let unmanaged = cases.filter { !$0.isOfKey }
        let ofKeys = cases.filter(\.isOfKey)
        var refusals = unmanaged.prefix(Self.shown).map(\.refusal)
        if unmanaged.count > Self.shown {
            refusals.append(
                PlanRefusal(
                    "\(unmanaged.count - Self.shown) more would be made although the market has others of their names "
                        + "that may be ours",
                    override: .manyNamesakes
                )
            )
        }
        refusals += ofKeys.prefix(Self.shown).map(\.refusal)
        if ofKeys.count > Self.shown {
            refusals.append(
                PlanRefusal(
                    "\(ofKeys.count - Self.shown) more would be made although other keys are probably the same products",
                    override: .manyRespellings
                )
            )
        }
        return refusals
    }
}

extension Namesakes.Case {
    fileprivate var refusal: PlanRefusal {
        let listed = ids.prefix(10).map(\.description).joined(separator: ", ") + (ids.count > 10 ? ", …" : "")
        let products = ids.count == 1 ? "product \(listed)" : "products \(listed)"
        func refusal(_ message: String, _ override: PlanOverride) -> PlanRefusal {
            PlanRefusal("'\(key)' would be made \(message)", override: override, source: source)
        }
        return switch kind {
        case .replaced:
            refusal(
                "once more, and no key has \(products) of its name, which an earlier replace may have made",
                .leftover
            )
        case .unread(let doubt):
            refusal("although \(doubt)\(doubt == .unnumbered ? "" : ", and may be it")", .unread)
        case .rewrittenName:
            refusal(
                "although the market has \(products) of its name in another spelling, which may be yours",
                .namesakes(ids)
            )
        case .nameless:
            refusal("although the market has \(products) without a name, which may be yours", .namesakes(ids))
        case .secondListing(let known, let canRename):
            refusal(
                "although \(products), which '\(known)' manages, has its name and its pictures",
                .secondListing(of: known, canRename: canRename)
            )
        case .respelling(let known, let canRename):
            refusal(
                ids.isEmpty
                    ? "although '\(known)', which an unfinished run may have made, is probably the same key"
                    : "although '\(known)', which is \(products), is probably the same key",
                .respelling(of: known, canRename: canRename)
            )
        case .sameName:
            refusal("although the market has \(products) of its name, which may be yours", .namesakes(ids))
        case .cutName:
            refusal(
                "although the market has \(products) of the beginning of its name, which may be yours",
                .namesakes(ids)
            )
        }
    }
}
