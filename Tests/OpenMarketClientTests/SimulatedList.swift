@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketClient

/// The list of a market that others write to, as its description says it is, or not: pages in process.
struct SimulatedList {
    /// A list as it is described, and how it keeps that.
    struct Plan: Sendable, CustomTestStringConvertible {
        var name: String
        /// The section `list` of the description, without rows, path and past_end.
        var list: [String]
        /// What proves it while nothing changes.
        var proof: CatalogProof?
        /// Whether it is then known that nothing changed.
        var knowsCalm = true
        var isFalling = true
        /// Whether rows are sorted by a key, of which several rows have the same unless ``hasUniqueKeys``.
        var isKeyed = false
        var hasUniqueKeys = false
        /// Whether the order has nothing to do with ids.
        var isScrambled = false
        var tellsTotal = false
        /// Whether a page says that it is the last, instead of an empty one behind it.
        var tellsEnd = false
        /// Whether tokens count rows, instead of naming one.
        var tokensCount = false
        /// No page has more rows, whatever is asked for.
        var cap = Int.max
        /// Whether edits raise a row's key.
        var hasEdits = false

        var testDescription: String { name }

        /// The description in full.
        var description: String {
            let end = tellsEnd ? [] : ["past_end: [empty]"]
            let list = ["path: /products", "rows: /items"] + end + self.list
            return """
                market: 1
                name: simulated
                identity:
                  id: {at: /id, as: integer, order: rising}
                fields:
                  name: {at: /name, as: text}
                list:
                \(list.map { "  " + $0 }.joined(separator: "\n"))
                """
        }

        /// What its description says of the list, read once.
        var form: ListTraits? { Self.forms[name] }

        private static let forms = Dictionary(
            uniqueKeysWithValues: ProofTests.plans.compactMap { plan in
                MarketDescriptionLoader.load(Array(plan.description.utf8)).description.map {
                    (plan.name, ListTraits($0))
                }
            }
        )
    }

    /// What a market does that its description does not say.
    enum Fault: String, CaseIterable, Sendable {
        case ignoresFilter, includesLast, tiesKeys, mixesDates, scramblesOrder, forgetsLastKey
        case ignoresPage, repeatsLastPage, repeatsAPage
        case countsMore, countsFewer, forgetsTotal, cutsOff
        case leadsBack, leadsElsewhere, repeatsForEver
        case endsWithoutWords, saysMore, hidesRows, variesLostRows
    }

    struct Row {
        var id: Int64
        var key: Int64
    }

    let plan: Plan
    let fault: Fault?
    private(set) var rows: [Row] = []
    private var nextID: Int64 = 1
    private var nextKey: Int64 = 1
    private var answers = 0

    init(_ plan: Plan, count: Int, fault: Fault? = nil) {
        self.plan = plan
        self.fault = fault
        for _ in 0..<count { insert() }
    }

    var ids: Set<Int64> { Set(rows.map(\.id)) }

    // MARK: - Changes

    mutating func insert() {
        rows.append(Row(id: nextID, key: plan.hasUniqueKeys ? nextKey : nextID / 3))
        // Some numbers are never given.
        nextID += nextID % 5 == 0 ? 3 : 1
        nextKey += 1
        sort()
    }

    mutating func change(using generator: inout SeededGenerator) {
        guard !rows.isEmpty, Bool.random(using: &generator) else { return insert() }
        let place = Int.random(in: 0..<rows.count, using: &generator)
        if plan.hasEdits, Bool.random(using: &generator) {
            rows[place].key = nextKey
            nextKey += 1
            sort()
        } else {
            rows.remove(at: place)
        }
    }

    private mutating func sort() { rows = rows.sorted { isBefore($0, $1) } }

    private func isBefore(_ one: Row, _ other: Row) -> Bool {
        if plan.isScrambled || fault == .scramblesOrder {
            return (one.id &* 7919 % 1009, one.id) < (other.id &* 7919 % 1009, other.id)
        }
        let rises = plan.isKeyed ? (one.key, one.id) < (other.key, other.id) : one.id < other.id
        return plan.isFalling ? !rises && one.id != other.id : rises
    }

    private func key(_ row: Row) -> Int64 { fault == .tiesKeys ? row.key / 2 : row.key }

    /// What a row shows as its key.
    private func shownKey(_ row: Row) -> String {
        guard fault == .mixesDates else { return "\(key(row))" }
        let day = 10 + key(row) % 20
        return row.id % 2 == 0 ? "2026-11-\(day)T00:00:00Z" : "2026-11-\(day)T00:00:00+09:00"
    }

    // MARK: - Pages

    mutating func page(_ address: PageAddress) -> LivePage {
        answers += 1
        var number = 1
        let slice: Range<Int>
        var size: Int
        switch address {
        case .number(let asked, let wanted):
            number = fault == .ignoresPage ? 1 : fault == .repeatsAPage && asked == 3 ? 2 : asked
            size = min(wanted, plan.cap)
            let isOffset = plan.list.contains { $0.contains("by: offset") }
            var start = (number - 1) * (isOffset ? wanted : size)
            if fault == .repeatsLastPage, start >= rows.count { start = max(0, (rows.count - 1) / size * size) }
            if fault == .cutsOff, number > 2 { start = rows.count }
            slice = range(from: start, size)
        case .after(let last, let wanted):
            size = min(wanted, plan.cap)
            slice = range(from: fault == .ignoresFilter ? 0 : start(behind: last), size)
        case .cursor(let token, let wanted), .next(let token, let wanted):
            size = min(wanted, plan.cap)
            slice = range(from: start(at: token), size)
        case .whole:
            size = .max
            slice = rows.indices
        }
        return page(showing: slice, number: number, size: size, isFirst: address.isFirst)
    }

    private func range(from start: Int, _ size: Int) -> Range<Int> {
        let start = min(max(0, start), rows.count)
        return start..<(start + min(size, rows.count - start))
    }

    /// The first row behind one with this value.
    private func start(behind last: String?) -> Int {
        guard let last else { return 0 }
        guard let number = Int64(last) else { return rows.count }
        let includes = fault == .includesLast
        if plan.isKeyed {
            return rows.firstIndex { row in
                let key = key(row)
                return includes && key == number || (plan.isFalling ? key < number : key > number)
            } ?? rows.count
        }
        let edge = Row(id: number, key: 0)
        return rows.firstIndex { includes && $0.id == number || isBefore(edge, $0) } ?? rows.count
    }

    private func start(at token: String?) -> Int {
        guard let token, let number = Int64(token.dropFirst(2).prefix { $0 != "." }) else { return 0 }
        if token.hasPrefix("o=") { return Int(number) }
        let edge = Row(id: number, key: 0)
        return rows.firstIndex { isBefore(edge, $0) } ?? rows.count
    }

    private func page(showing slice: Range<Int>, number: Int, size: Int, isFirst: Bool) -> LivePage {
        var page = LivePage()
        var shown = Array(rows[slice])
        if fault == .hidesRows { shown.removeAll { $0.id % 7 == 3 } }
        page.rowCount = shown.count
        if fault == .variesLostRows, shown.count > 1 {
            shown.removeFirst()
            page.unreadableRows = [UInt64(answers)]
            page.problems = [RowProblem(place: "page \(number), row 1", message: "id is missing")]
        }
        page.ids = shown.map { MarketID($0.id) }
        page.orderKeys = plan.isKeyed ? shown.map(shownKey) : shown.map { _ in nil }
        page.provesItsEnd = slice.isEmpty && fault != .endsWithoutWords
        if plan.tellsTotal, fault != .forgetsTotal {
            page.total = rows.count + (fault == .countsMore ? 7 : fault == .countsFewer ? -7 : 0)
        }
        let isLast = slice.upperBound >= rows.count && fault != .repeatsForEver
        switch plan.form?.style {
        case .keyset:
            page.lastKey = fault == .forgetsLastKey ? nil : shown.last.map { "\(plan.isKeyed ? key($0) : $0.id)" }
            if plan.tellsEnd { page.hasNext = !isLast }
        case .cursor, .next:
            page.next =
                if isLast, fault != .saysMore {
                    .none
                } else if fault == .leadsElsewhere, !isFirst {
                    .refused("its host is another one")
                } else if fault == .repeatsForEver {
                    .at("o=0.\(answers)")
                } else if fault == .leadsBack, !isFirst {
                    .at(plan.tokensCount ? "o=\(size)" : "k=\(rows[size - 1].id)")
                } else {
                    .at(plan.tokensCount ? "o=\(slice.upperBound)" : "k=\(rows[slice.upperBound - 1].id)")
                }
            if fault == .saysMore { (page.next, page.hasNext) = (isLast ? .none : page.next, true) }
        case .number, .offset: if plan.tellsEnd { page.hasNext = !isLast || fault == .ignoresPage }
        case .whole: if fault == .saysMore { page.hasNext = true }
        case nil: break
        }
        return page
    }

    // MARK: - Reading

    struct Reading {
        var rows: [Int64] = []
        var problems: [RowProblem] = []
        var summary: CatalogSummary?
        var error: MarketError?
        var pages = 0
    }

    /// Reads it, page by page in an order of the generator's, and calls `between` before each page is made.
    mutating func read(
        _ walk: CatalogWalk,
        using generator: inout SeededGenerator,
        between: (inout SimulatedList, inout SeededGenerator) -> Void = { _, _ in }
    ) -> Reading {
        var walk = walk
        var reading = Reading()
        var outstanding: [(number: Int, address: PageAddress)] = []
        var pages: [Int: LivePage] = [:]
        var actions = walk.start()
        while true {
            for action in actions {
                switch action {
                case .fetch(let number, let address): outstanding.append((number, address))
                case .deliver(let number, let places, let problems):
                    reading.rows += places.compactMap { pages[number]?.ids[$0].number }
                    reading.problems += problems
                case .finish(let summary):
                    reading.summary = summary
                    return reading
                case .fail(let error):
                    reading.error = error
                    return reading
                }
            }
            guard !outstanding.isEmpty, reading.pages < 20_000 else { return reading }
            let (number, address) = outstanding.remove(at: .random(in: 0..<outstanding.count, using: &generator))
            between(&self, &generator)
            let page = page(address)
            reading.pages += 1
            pages[number] = page
            actions = walk.received(page, number: number)
        }
    }
}

extension PageAddress {
    /// Whether nothing is before the page.
    var isFirst: Bool {
        switch self {
        case .number(let number, _): number == 1
        case .after(let place, _), .cursor(let place, _), .next(let place, _): place == nil
        case .whole: true
        }
    }
}
