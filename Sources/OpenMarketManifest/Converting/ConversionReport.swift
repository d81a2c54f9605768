import OpenMarket

/// What a conversion did not carry over, and why.
package struct ConversionReport: Sendable {
    /// Several things of one kind.
    package struct Finding: Sendable {
        /// What was done with them, or why.
        package var reason: String
        /// How many there are.
        package var count = 0
        /// The first of them, as people find them: rows, keys, addresses.
        package var examples: [String] = []
    }

    /// What rows were left out for want of, and what may be given to all of them.
    package enum Lack: Hashable, Sendable {
        /// What their prices are in.
        case currency
        /// A description.
        case description
        /// A stock.
        case stock
    }

    /// How many products were written.
    package var productCount = 0
    /// How many rows were left out for want of a currency.
    private(set) var rowsWithoutCurrency = 0
    /// How many rows were left out for want of a description.
    private(set) var rowsWithoutDescription = 0
    /// How many rows were left out for want of a stock.
    private(set) var rowsWithoutStock = 0
    /// The last cell, where the table ends without a line end: it may be cut off.
    var lastCell: String?
    /// What any row was left out for want of.
    package var lacks: [Lack] {
        let rows: [(Lack, Int)] = [
            (.currency, rowsWithoutCurrency), (.description, rowsWithoutDescription), (.stock, rowsWithoutStock),
        ]
        return rows.filter { $0.1 > 0 }.map(\.0)
    }
    private var left: [String: Finding] = [:]
    private var changed: [String: Finding] = [:]
    /// The columns that hold something, and that a manifest has no place for.
    package var unusedColumns: [String] = []
    /// The columns that a mapping file names, and that the table lacks.
    package var absentColumns: [String] = []
    /// The pictures that are not there, by their addresses.
    package private(set) var missingPictures: [String] = []
    private var missed: [String: Finding] = [:]
    private var missedNames: Set<String> = []

    /// So many examples are named.
    private static let mostExamples = 3

    init() {}

    /// A row that makes no product.
    mutating func leaveOut(_ row: Int, _ name: String, because reason: String) {
        if reason == Self.noCurrency { rowsWithoutCurrency += 1 }
        if reason == Self.noDescription { rowsWithoutDescription += 1 }
        if reason == Self.noStock { rowsWithoutStock += 1 }
        Self.note("row \(row)\(name.isEmpty ? "" : " '\(name.excerpt)'")", reason, &left)
    }

    /// A product that has something else than its row.
    mutating func change(_ key: String, _ what: String) { Self.note("'\(key)'", what, &changed) }

    /// A picture that is not carried over, reported once.
    mutating func miss(_ name: String, because reason: String) {
        guard missedNames.insert(name).inserted else { return }
        missingPictures.append(name)
        Self.note(name, reason, &missed)
    }

    /// Why a row is left out that names no currency, where no option does.
    static let noCurrency = "no currency"

    /// Why a row is left out that has no description, where no option gives one.
    static let noDescription = "no description"

    /// Why a row is left out that has no stock, where the market takes no product without one.
    static let noStock = "no stock, without which the market takes no product"

    private static func note(_ example: String, _ reason: String, _ findings: inout [String: Finding]) {
        findings[reason, default: Finding(reason: reason)].count += 1
        if let count = findings[reason]?.examples.count, count < mostExamples {
            findings[reason]?.examples.append(example)
        }
    }

    private static func sorted(_ findings: [String: Finding]) -> [Finding] {
        findings.values.sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
    }

    /// The rows that made no product, by the reason.
    package var leftOut: [Finding] { Self.sorted(left) }

    /// The products that have something else than their rows.
    package var changes: [Finding] { Self.sorted(changed) }

    /// The pictures that were left out, by the reason.
    package var picturesLeftOut: [Finding] { Self.sorted(missed) }

    /// How many rows made no product.
    package var leftOutCount: Int { left.values.reduce(0) { $0 + $1.count } }

    /// The report, a line for each kind of thing that was left out.
    package var lines: [String] {
        func lines(_ findings: [Finding], _ what: String) -> [String] {
            findings.map { finding in
                let more = finding.count > finding.examples.count ? ", …" : ""
                return "\(counted(finding.count, what)): \(finding.reason)"
                    + " (\(finding.examples.joined(separator: ", "))\(more))"
            }
        }
        var all = lines(leftOut, "row").map { "left out " + $0 } + lines(changes, "product").map { "changed " + $0 }
        all += lines(picturesLeftOut, "picture").map { "left out " + $0 }
        if !unusedColumns.isEmpty {
            all.append(
                "left out \(counted(unusedColumns.count, "column")): a manifest has no place for \(unusedColumns.listed("and"))"
            )
        }
        if !absentColumns.isEmpty {
            let columns = absentColumns.map { "'\($0)'" }.listed("and")
            all.append("the table has no column \(columns), which the mapping names")
        }
        if let lastCell {
            all.append(
                "the table ends without a line end: see whether its last cell is whole: '\(lastCell.suffix(40))'"
            )
        }
        return all
    }
}
