import OpenMarket

/// The reasons that a reading of a market's list may lack a part of the catalog at one moment.
package struct CatalogGap: Error, Hashable, Sendable {
    /// The number of rows that could not be read, and are missing.
    var lostRows: Int
    /// The number of rows that could be read only in part.
    var partialRows: Int
    var hasMoved: Bool
    /// Whether the completeness of the list is unproved.
    var isUnproved: Bool

    static let moved = "the catalog changed while it was read"
    static let unproved = "the market's description cannot prove that its list is complete"

    /// `nil` if it is complete.
    ///
    /// `moved` is whether the catalog changed during the reading; `nil` if the market does not show it.
    init?(isProved: Bool, moved: Bool?, lostRows: Int, partialRows: Int = 0) {
        self.lostRows = lostRows
        self.partialRows = partialRows
        hasMoved = moved == true
        isUnproved = !isProved
        guard lostRows > 0 || partialRows > 0 || hasMoved || isUnproved else { return nil }
    }

    /// The gap of an export or a comparison; `nil` if it is complete.
    init?(_ reading: CatalogReading) {
        self.init(
            isProved: reading.summary.isComplete,
            moved: reading.summary.catalogMoved,
            lostRows: reading.lostRows,
            partialRows: reading.problems - reading.lostRows
        )
    }
}

extension CatalogGap: CustomStringConvertible {
    package var description: String {
        let moved = hasMoved ? [Self.moved] : []
        if lostRows > 0 {
            let rows = "\(counted(lostRows, "row")) of the market's list"
            let missing = "not complete: \(rows) could not be read and \(lostRows == 1 ? "is" : "are") missing"
            return ([missing] + moved).joined(separator: ", and ")
        }
        let partial =
            partialRows == 0
            ? [] : ["of \(counted(partialRows, "row")) of the market's list not every value could be read"]
        return isUnproved
            ? (["possibly incomplete: \(Self.unproved)"] + partial + moved).joined(separator: ", and ")
            : "complete, but " + (partial + moved).joined(separator: ", and ")
    }
}
