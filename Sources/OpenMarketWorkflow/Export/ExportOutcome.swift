import OpenMarket
package import OpenMarketFiles

/// A product that no manifest lists, because the market's description excludes it from writing.
package struct LeftOutProduct: Hashable, Sendable {
    var id: MarketID
    var name: String?

    init(_ product: LiveProduct) { (id, name) = (product.id, product.name) }

    static func lines(_ products: [LeftOutProduct]) -> [String] {
        products.firstLines { product in
            let name = product.name.map { " '\($0.excerpt)'" } ?? ""
            return "Left out product \(product.id)\(name), which is of a kind that is not written".terminalSafe
        } rest: {
            "Left out \($0) more products of such kinds"
        }
    }
}

package struct ExportOutcome: Sendable {
    var reading: CatalogReading
    package let certificate: ExportCertificate
    /// The number of products that a manifest leaves out because they are other vendors'.
    var foreignProducts = 0
    /// The products that a manifest leaves out because the market's description excludes them from writing.
    var otherKinds: [LeftOutProduct] = []
    /// The number of values that a manifest leaves out because it cannot express them.
    var omittedValues = 0
    /// `nil` if pictures are not kept.
    package var pictures: KeptPictures?
    var removal: DatedFiles.Removal
    /// Why no copy of the table is kept; `nil` if one is, or needs not be.
    var copyFault: String?

    /// Whether an export that ended with this error is complete.
    ///
    /// With a gap it is complete if something proves that it has every product that could be read.
    package static func isComplete(after error: (any Error)?) -> Bool {
        guard let error else { return true }
        return (error as? CatalogGap)?.isUnproved == false
    }

    private var gap: CatalogGap? { CatalogGap(reading) }

    /// The gap besides missing pictures, which determine how the export ends; `nil` if no pictures are missing.
    package var otherGap: CatalogGap? {
        guard let pictures, pictures.missing > 0 else { return nil }
        return gap
    }

    /// Checks that the export is complete.
    ///
    /// Missing pictures are reported before a gap: the export has to be run again for them.
    package func requireWhole() throws {
        if let pictures, pictures.missing > 0 {
            throw CommandFailure(
                .partialFailure,
                "the catalog is complete, and \(counted(pictures.missing, "picture")) could not be downloaded",
                help: "run it again; only missing pictures are fetched"
            )
        }
        if let gap { throw gap }
    }
}
