/// The products that a plan would make although the market has others of their name that may be the same ones.
///
/// Without its state, or with an old one, the tool does not know what it made before. So a product whose name is on the
/// market already is not made until somebody says whose that one is.
struct Namesakes {
    /// How a live product comes to be one that is to be made.
    enum Kind {
        /// It has the name.
        case sameName
        /// It has the name and is newer than the product that is to be replaced.
        case replaced
        /// It has the beginning of the name, as a market stores it that cuts names.
        case cutName
        /// It has the name, and its number could not be read.
        case unnumbered
    }

    /// A product to be made, and the live products that it may be.
    fileprivate struct Case {
        var key: String
        var source: SourceLocation?
        var ids: [ProductID]
        var kind: Kind
    }

    private var cases: [Case] = []

    /// How many are listed one by one.
    private static let shown = 20

    /// Notes a product to be made.
    mutating func note(_ key: String, at source: SourceLocation?, ids: [ProductID], kind: Kind = .sameName) {
        guard !ids.isEmpty || kind == .unnumbered else { return }
        cases.append(Case(key: key, source: source, ids: ids, kind: kind))
    }

    /// The live products that were taken for others'.
    var ids: [ProductID] { Set(cases.flatMap(\.ids)).sorted() }

    /// Why the plan must not be carried out: the first products one by one, and how many more.
    var refusals: [PlanRefusal] {
        var refusals = cases.prefix(Self.shown).map(\.refusal)
        let rest = cases.count - refusals.count
        if rest > 0 {
            refusals.append(
                PlanRefusal(
                    "\(rest) more would be made although the market has others of their names that may be ours",
                    override: .manyNamesakes
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
        if kind == .replaced {
            return PlanRefusal(
                "'\(key)' would be made once more, and no key has \(products) of its name, "
                    + "which an earlier replace may have made",
                override: .leftover,
                source: source
            )
        }
        if kind == .unnumbered {
            return PlanRefusal(
                "'\(key)' would be made although the market lists one of its name whose number cannot be read",
                override: .unnumbered,
                source: source
            )
        }
        return PlanRefusal(
            "'\(key)' would be made although the market has \(products) of "
                + (kind == .cutName ? "the beginning of its name" : "its name") + ", which may be yours",
            override: .namesakes(ids),
            source: source
        )
    }
}
