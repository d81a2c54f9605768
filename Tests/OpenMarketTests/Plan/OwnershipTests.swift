import Foundation
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// Whose a product is, for every combination of what is said, remembered and confirmed.
struct OwnershipTests {
    /// What is known of who we are, and what the planner makes of a product that shows vendor 29.
    private struct Row {
        /// Whether a product of ours shows the number that the state remembers.
        var isConfirmed: Bool
        var claim: Int64?
        var remembered: Int64?
        /// A product of the state, by the number recorded for it: none, 29, 30.
        var managed: [String]
        /// A listing with the product's `id:`.
        var pinned: String
        /// A listing of the product's name.
        var named: String
        /// A listing with `state: absent` and the product's `id:`.
        var absent: String
    }

    /// All combinations; 30 stands for any other number.
    private static let table = """
        confirmed claim remembered  managed         pinned  named    absent
        no        -     -           kept kept gone  adopt   ask      stays
        no        29    -           kept kept gone  adopt   adopt    delete
        no        30    -           kept kept gone  refuse  contest  stays
        no        -     29          kept kept kept  adopt   adopt    delete
        no        29    29          kept kept kept  adopt   adopt    delete
        no        30    29          kept kept kept  refuse  contest  stays
        no        -     30          gone gone gone  refuse  ask      stays
        no        29    30          gone gone gone  adopt   adopt    stays
        no        30    30          gone gone gone  refuse  contest  stays
        yes       -     29          kept kept kept  adopt   adopt    delete
        yes       29    29          kept kept kept  adopt   adopt    delete
        yes       30    29          kept kept kept  adopt   adopt    delete
        yes       -     30          gone gone gone  refuse  make     stays
        yes       29    30          gone gone gone  refuse  make     stays
        yes       30    30          gone gone gone  refuse  make     stays
        """

    private static var rows: [Row] {
        table.split(separator: "\n").dropFirst().map { line in
            let cells = line.split(separator: " ").map(String.init)
            return Row(
                isConfirmed: cells[0] == "yes",
                claim: Int64(cells[1]),
                remembered: Int64(cells[2]),
                managed: Array(cells[3..<6]),
                pinned: cells[6],
                named: cells[7],
                absent: cells[8]
            )
        }
    }

    /// The shop of a row, without the product in question.
    private static func shop(_ row: Row) -> PlanFixture {
        var shop = PlanFixture(vendor: row.remembered)
        shop.input.manifest.market.vendorID = row.claim
        // With a product in the state, its last reply alone confirms nothing.
        shop.wants("witness") { $0.values.name = "Witness" }
        shop.knows("witness", 98) { $0.applied.name = "Witness" }
        if row.isConfirmed { shop.shows(98) { $0.name = "Witness" } }
        return shop
    }

    /// What becomes of the listing `lamp`.
    private static func fate(_ shop: PlanFixture) -> String {
        let plan = shop.plan()
        switch plan.operations.first(where: { $0.key == "lamp" })?.action {
        case .adopt: return "adopt"
        case .delete: return "delete"
        case .update: return "kept"
        case .create where plan.namesakes.contested.contains("lamp"): return "contest"
        case .create: return plan.refusals.contains { $0.message.contains("'lamp'") } ? "ask" : "make"
        case .replace, .forget, .rename: return "?"
        case nil: return plan.diagnostics.contains { $0.severity == .error } ? "refuse" : "-"
        }
    }

    @Test func `the planner decides by the table`() {
        for row in Self.rows {
            let about: Comment = "confirmed \(row.isConfirmed), claim \(row.claim ?? 0), state \(row.remembered ?? 0)"
            #expect(Self.shop(row).input.identity.isProven == row.isConfirmed, about)
            for (recorded, fate) in zip([nil, 29, 30] as [Int64?], row.managed) {
                var shop = Self.shop(row)
                shop.options.allowsNamesakes = true
                shop.wants("lamp")
                // A product that does not look like ours confirms nothing.
                shop.knows("lamp", 7) { ($0.vendorID, $0.applied.name, $0.thumbnailURL) = (recorded, "Old", "t/0") }
                shop.shows(7) { ($0.vendorID, $0.name) = (29, "Moved") }
                #expect(
                    (Self.fate(shop) == "make" ? "gone" : Self.fate(shop)) == fate,
                    "\(about), entry \(recorded ?? 0)"
                )
            }
            var pinned = Self.shop(row)
            pinned.wants("lamp") { $0.pinnedID = MarketID(7) }
            pinned.shows(7) { $0.vendorID = 29 }
            #expect(Self.fate(pinned) == row.pinned, about)

            var named = Self.shop(row)
            named.wants("lamp")
            named.shows(7) { $0.vendorID = 29 }
            #expect(Self.fate(named) == row.named, about)

            var absent = Self.shop(row)
            absent.wants("lamp") { ($0.pinnedID, $0.isAbsent) = (MarketID(7), true) }
            absent.shows(7) { $0.vendorID = 29 }
            #expect((Self.fate(absent) == "delete" ? "delete" : "stays") == row.absent, about)
        }
    }

    @Test func `a product that shows no vendor is kept, taken by its id, asked about by its name, and not deleted`() {
        for row in Self.rows {
            var kept = Self.shop(row)
            kept.wants("lamp")
            kept.knows("lamp", 7) { ($0.vendorID, $0.applied.name) = (30, "Old") }
            kept.shows(7) { ($0.vendorID, $0.name) = (nil, "Moved") }
            #expect(Self.fate(kept) == "kept")
            for (isPinned, isAbsent, fate) in [(true, false, "adopt"), (false, false, "ask"), (true, true, "refuse")] {
                var shop = Self.shop(row)
                shop.wants("lamp") { ($0.pinnedID, $0.isAbsent) = (isPinned ? MarketID(7) : nil, isAbsent) }
                shop.shows(7) { $0.vendorID = nil }
                #expect(Self.fate(shop) == fate)
            }
        }
    }

    /// Two numbers are compared by `Ownership`, or named here with why.
    @Test func `vendor numbers are compared in one place`() throws {
        // Whether a value has changed: no question of whose it is. The last: a claim against what is known of us.
        let known = [
            "OpenMarket/Model/StateEntry.swift", "OpenMarket/Model/LiveProduct.swift",
            "OpenMarket/Model/StateEntries.swift", "OpenMarket/Model/TableRow.swift",
            "OpenMarketWorkflow/StateCopy.swift",
            "OpenMarket/Plan/VendorIdentity.swift",
        ]
        let root =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path + "/Sources"
        let number =
            /(?:vendorID|[vV]endor|theirs|presumed|confirmed)(?: [!=]= (?!nil|\.|\[)[a-z]|\) [!=]= [a-z]\w*\.vendorID)/
        let reversed = /[!=]= (?:\w+[.?]+)*(?:vendorID|presumed|confirmed)\b(?! (?:\?\?|\{))/
        var found: Set<String> = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: root) where name.hasSuffix(".swift") {
            guard !name.hasPrefix("OpenMarketServer/") else { continue }
            let text = try String(contentsOf: URL(fileURLWithPath: root + "/" + name), encoding: .utf8)
            if text.contains("endor"), text.contains(number) || text.contains(reversed) { found.insert(name) }
        }
        #expect(found == Set(known))
    }
}
