/// Products to create whose names are already on the market.
///
/// Without its state, or with an old one, the tool cannot recognize the products that it created. It creates such a
/// product only after the user states whose the existing one is.
struct DuplicateNames {
    /// Why a live product may be the one to create.
    enum Kind {
        case sameName
        /// It has the name and is newer than the product to replace.
        case replaced
        /// It has the beginning of the name, and the market truncates names.
        case truncatedName
        /// It has the name in another spelling, because markets rewrite names.
        case rewrittenName
        case unread(UnreadRows.Doubt)
        case nameless
    }

    /// A product to create, and the live products that it may be.
    struct Case {
        var key: String
        var source: SourceLocation?
        var ids: [MarketID]
        var kind: Kind
    }

    private(set) var cases: [Case] = []
    /// Products to create whose names other vendors use, if the claimed vendor identity is right, with the live
    /// products.
    private(set) var contested: [(key: String, ids: [MarketID])] = []

    mutating func note(_ key: String, at source: SourceLocation?, ids: [MarketID], kind: Kind = .sameName) {
        switch kind {
        case .sameName, .replaced, .truncatedName, .rewrittenName, .nameless: if ids.isEmpty { return }
        case .unread: break
        }
        cases.append(Case(key: key, source: source, ids: ids, kind: kind))
    }

    /// Adds a product to create whose name other vendors use, if the claimed vendor identity is right.
    mutating func contest(_ key: String, ids: [MarketID]) {
        contested.append((key, ids))
    }

    var ids: [MarketID] { Set(cases.flatMap(\.ids) + contested.flatMap(\.ids)).inOrder() }

    /// Keys of products that are created only after the market confirms the vendor identity.
    var contestedKeys: [String] { contested.map(\.key) }

    var keys: Set<String> { Set(cases.map(\.key)) }
}
