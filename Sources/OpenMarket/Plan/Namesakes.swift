/// The products that a plan would make although the market has others of their name that may be the same ones.
///
/// Without its state, or with an old one, the tool does not know what it made before. So a product whose name is on the
/// market already is not made until it is said whose that one is.
struct Namesakes {
    /// How a live product comes to be one that is to be made.
    enum Kind {
        /// It has the name.
        case sameName
        /// It has the name and is newer than the product that is to be replaced.
        case replaced
        /// It has the beginning of the name, as a market stores it that cuts names.
        case cutName
        /// It has the name in another spelling, as a market shows it that rewrites names.
        case rewrittenName
        /// It may be a row that could not be read.
        case unread(UnreadRows.Doubt)
        /// It shows no name.
        case nameless
        /// Another key manages it, and it has the name and the pictures; whether that key may be given up for this one.
        case secondListing(of: String, canRename: Bool)
        /// Another key manages it that differs only in what hands and spreadsheets change; whether it may be given up.
        case respelling(of: String, canRename: Bool)
    }

    /// A product to be made, and the live products that it may be.
    fileprivate struct Case {
        var key: String
        var source: SourceLocation?
        var ids: [MarketID]
        var kind: Kind

        /// Whether it is about a key of ours, and not about the market's products that are not managed.
        var isOfKey: Bool {
            switch kind {
            case .secondListing, .respelling: true
            case .sameName, .replaced, .cutName, .rewrittenName, .unread, .nameless: false
            }
        }
    }

    private var cases: [Case] = []
    /// Products to be made whose names others use if we are who we are said to be, with those products.
    private var contested: [(key: String, ids: [MarketID])] = []

    /// How many are listed one by one.
    private static let shown = 20

    /// Notes a product to be made.
    mutating func note(_ key: String, at source: SourceLocation?, ids: [MarketID], kind: Kind = .sameName) {
        switch kind {
        case .sameName, .replaced, .cutName, .rewrittenName, .nameless: if ids.isEmpty { return }
        case .unread, .secondListing, .respelling: break
        }
        cases.append(Case(key: key, source: source, ids: ids, kind: kind))
    }

    /// Notes a product to be made whose name others use if we are who we are said to be.
    mutating func contest(_ key: String, ids: [MarketID]) {
        contested.append((key, ids))
    }

    /// The live products that were taken for others'.
    var ids: [MarketID] { Set(cases.flatMap(\.ids) + contested.flatMap(\.ids)).inOrder() }

    /// The keys of products that are made only once the market has confirmed who we are.
    var contestedKeys: [String] { contested.map(\.key) }

    /// Why the plan must not be carried out although each of its namesakes would be another vendor's if we were who we are
    /// said to be.
    ///
    /// Apply makes none of them before the market has confirmed the number: by the delete key of a product that shows it,
    /// or by the reply to the create of a product whose name is not on the market. So a few are not a reason to refuse. Where most of
    /// what is new has namesakes under another number, the number is more likely wrong, unless the market said it itself.
    func refusalOfContested(_ input: Planner.Input, _ identity: VendorIdentity, _ plan: Plan) -> PlanRefusal? {
        guard !identity.isClaimRemembered, let words = wordsOfContested(input, identity, plan) else { return nil }
        return PlanRefusal(words, override: .unconfirmedVendor, code: .vendorUnconfirmed)
    }

    /// The same, where the market said our number itself: the plan may be carried out, and whoever reviews it should know.
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

    /// The keys of products that may have been agreed to already.
    var doubtfulKeys: [String] { cases.filter(\.isOfKey).map(\.key) }

    /// The keys of all products that were noted.
    var keys: Set<String> { Set(cases.map(\.key)) }

    /// Why the plan must not be carried out: the first products one by one, and how many more.
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
                "although the market, which rewrites names, has \(products) of its name in another spelling, which may be "
                    + "yours",
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
