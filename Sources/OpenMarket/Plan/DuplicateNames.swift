/// The products that a plan would create although the market has others of the same name that may be the same ones.
///
/// Without its state, or with an old one, the tool does not know what it created before. So a product whose name is
/// already on the market is not created until the user states whose product that is.
struct DuplicateNames {
    /// Why a live product may be one that is to be created.
    enum Kind {
        case sameName
        /// It has the name and is newer than the product to be replaced.
        case replaced
        /// It has the beginning of the name, and the market cuts names.
        case truncatedName
        /// It has the name in another spelling; markets rewrite names.
        case rewrittenName
        case unread(UnreadRows.Doubt)
        case nameless
    }

    /// A product to be created, and the live products that it may be.
    struct Case {
        var key: String
        var source: SourceLocation?
        var ids: [MarketID]
        var kind: Kind
    }

    private(set) var cases: [Case] = []
    /// Products to be created whose names other vendors use, provided that our vendor identity is right, with the live
    /// products.
    private(set) var contested: [(key: String, ids: [MarketID])] = []

    mutating func note(_ key: String, at source: SourceLocation?, ids: [MarketID], kind: Kind = .sameName) {
        switch kind {
        case .sameName, .replaced, .truncatedName, .rewrittenName, .nameless: if ids.isEmpty { return }
        case .unread: break
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

    var keys: Set<String> { Set(cases.map(\.key)) }
}
