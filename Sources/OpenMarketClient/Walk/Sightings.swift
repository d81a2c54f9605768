import OpenMarket

/// Which products were seen in which passes over a list.
///
/// A product that was seen in a pass before a moment and in one after it was there at that moment, in whatever order the
/// pages showed it: numbers are never given twice. So many such products as the market counted at that moment are all
/// that it had.
struct Sightings {
    /// What a row is to those before it.
    enum Novelty {
        /// Never seen.
        case new
        /// Seen in an earlier pass only.
        case earlier
        /// Seen in this pass already.
        case repeated
    }

    /// The products of the first pass as long as each is older than the one before: then none of them is there twice, and
    /// nothing has to be looked up.
    private var falling: [Int64] = []
    /// The pass that showed each product last, once they came otherwise, or a second time: those with numbers, and the others.
    private var numbers: [Int64: UInt16] = [:]
    private var texts: [MarketID: UInt16] = [:]
    /// The same for rows without a number that can be read, by their bytes.
    private var unreadableRows: [UInt64: UInt16] = [:]
    private var pass: UInt16 = 0
    /// What the market counted when a pass began, by pass.
    private var totals: [Int?] = [nil]
    /// How many rows were seen both before a pass and in or after it, by pass.
    private var spanning = [0]
    private var distinctProducts = 0

    /// How many different rows were seen in all.
    var count: Int { falling.count + numbers.count + texts.count + unreadableRows.count }

    mutating func beginPass() {
        pass += 1
        totals.append(nil)
        spanning.append(0)
        distinctProducts = 0
    }

    /// Notes what the market counts as the pass begins.
    mutating func noteTotal(_ total: Int) { totals[Int(pass)] = total }

    mutating func see(_ id: MarketID) -> Novelty {
        let novelty =
            if case .number(let number) = id { see(number) } else { note(texts.updateValue(pass, forKey: id)) }
        if novelty != .repeated { distinctProducts += 1 }
        return novelty
    }

    private mutating func see(_ number: Int64) -> Novelty {
        if pass == 1, numbers.isEmpty, falling.last.map({ number < $0 }) ?? true {
            falling.append(number)
            return .new
        }
        if !falling.isEmpty {
            numbers = Dictionary(falling.lazy.map { ($0, 1) }) { _, _ in 1 }
            falling = []
        }
        return note(numbers.updateValue(pass, forKey: number))
    }

    /// Notes a row without a number that can be read.
    mutating func see(unreadableRow: UInt64) {
        _ = note(unreadableRows.updateValue(pass, forKey: unreadableRow))
    }

    /// Counts a row for the moments between the pass that showed it last and this one.
    private mutating func note(_ last: UInt16?) -> Novelty {
        guard let last else { return .new }
        guard last != pass else { return .repeated }
        for moment in Int(last) + 1...Int(pass) { spanning[moment] += 1 }
        return .earlier
    }

    /// How many different rows this pass showed, where so many of them had no number.
    func distinct(countingEachOf unreadableRows: Int) -> Int { distinctProducts + unreadableRows }

    /// Whether, at the beginning of some pass, the list was what was seen both before and after.
    var coverAMoment: Bool {
        zip(totals, spanning).contains { total, seen in total.map { $0 > 0 && seen >= $0 } ?? false }
    }
}
