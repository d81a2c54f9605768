/// The rows of a reading of the market's list that do not show which product they are.
///
/// A product that no other row shows may be one of them. Whoever concludes that the market lacks a product, or has none of
/// a name, asks here whether the reading proves it.
package struct UnreadRows: Sendable {
    /// Why a reading does not prove that the market has no product of a name.
    enum Doubt: Hashable, Sendable, CustomStringConvertible {
        /// A row has the name, or the beginning of it, and its number could not be read.
        case unnumbered
        /// Of so many rows neither number nor name could be read.
        case unreadable(rows: Int)

        /// The doubt as a clause for messages.
        package var description: String {
            switch self {
            case .unnumbered: "the market lists a product with this name but an unreadable id"
            case .unreadable(let rows):
                "\(counted(rows, "row")) of the market's list show\(rows == 1 ? "s" : "") neither id nor name"
            }
        }
    }

    /// The names that rows without a number show.
    private var names: Set<String> = []
    /// The lengths of those names in Unicode scalars: a market may cut names.
    private var lengths: Set<Int> = []
    /// How many rows have no number that could be read.
    package private(set) var count = 0
    /// How many of them have no name either.
    private var namelessCount = 0
    private var first: RowProblem?
    /// What is wrong with rows whose number could be read.
    private var numbered: [MarketID: RowProblem] = [:]

    init(_ problems: [RowProblem]) {
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

    /// What is wrong with the row that may be a product which the rest of the reading does not show; `nil` where the
    /// reading proves that the market lacks the product.
    func row(of id: MarketID) -> RowProblem? { numbered[id] ?? first }

    /// Why the reading does not prove that the market has no product of a name; `nil` where it does.
    func doubt(aboutName name: String?) -> Doubt? {
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
    /// The rows that do not show which product they are.
    package var unreadRows: UnreadRows { UnreadRows(problems) }
}
