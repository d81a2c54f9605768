/// The rows of the market's list that do not identify their product.
///
/// Each may be a product that no other row shows. So these rows decide whether the list proves that a product or a name
/// is absent from the market.
package struct UnreadRows: Sendable {
    /// Why a list does not prove that a name is absent from the market.
    enum Doubt: Hashable, Sendable, CustomStringConvertible {
        /// A row has the name, or its beginning, and an unreadable id.
        case unnumbered
        /// This many rows have neither a readable id nor a readable name.
        case unreadable(rows: Int)
        /// The list is older than the question.
        case cached

        package var description: String {
            switch self {
            case .unnumbered: "the market lists a product with this name but an unreadable id"
            case .unreadable(let rows):
                "\(counted(rows, "row")) of the market's list show\(rows == 1 ? "s" : "") neither id nor name"
            case .cached: "the market's list comes from a cache, so a missing product may exist"
            }
        }
    }

    /// The names in rows without a readable id.
    private var names: Set<String> = []
    /// The lengths of those names in Unicode scalars, because a market may truncate names.
    private var lengths: Set<Int> = []
    /// The number of rows without a readable id.
    package private(set) var count = 0
    /// The number of those rows that also lack a name.
    private var namelessCount = 0
    private var first: RowProblem?
    private(set) var isFromCache = false
    /// The problems of rows with a readable id.
    private var numbered: [MarketID: RowProblem] = [:]

    init(_ problems: [RowProblem], isFromCache: Bool = false) {
        self.isFromCache = isFromCache
        var places: Set<String> = []
        for problem in problems {
            if let id = problem.id {
                if numbered[id] == nil { numbered[id] = problem }
            } else if places.insert(problem.place).inserted {
                first = first ?? problem
                count += 1
                if let name = problem.name, !name.isEmpty {
                    names.insert(name)
                    lengths.insert(name.unicodeScalars.count)
                } else {
                    namelessCount += 1
                }
            }
        }
    }

    /// The problem of a row that may be a product missing from the list; `nil` if the list proves the product's
    /// absence.
    func row(of id: MarketID) -> RowProblem? { numbered[id] ?? first }

    /// Why the list does not prove that a name is absent from the market; `nil` if it does.
    func doubt(aboutName name: String?) -> Doubt? {
        if isFromCache { return .cached }
        guard count > 0 else { return nil }
        if let name {
            let scalars = name.unicodeScalars
            let mayBeNamed =
                names.contains(name)
                || lengths.contains { $0 < scalars.count && names.contains(String(scalars.prefix($0))) }
            if mayBeNamed { return .unnumbered }
        }
        return namelessCount > 0 ? .unreadable(rows: namelessCount) : nil
    }
}

extension LiveCatalog {
    package var unreadRows: UnreadRows { UnreadRows(problems) }

    /// For decisions about the outcome of a request, or about one product: a cache proves no absence.
    var unreadRowsSinceRequest: UnreadRows { UnreadRows(problems, isFromCache: isFromCache) }
}
