/// The create of a product exactly as a manifest lists it: the listing and the reason.
///
/// Assembles its values on request, so a plan of 100 000 creates does not store them twice.
struct ListedCreate: Sendable {
    /// Listings that many operations share.
    final class Source: Sendable {
        let listings: Listings

        init(_ listings: Listings) { self.listings = listings }
    }

    private let list: Source
    private let index: Int
    let reason: String

    init(_ list: Source, index: Int, reason: String) {
        self.list = list
        self.index = index
        self.reason = reason
    }

    var key: String { list.listings.key(at: index) }
    var name: String? { list.listings.name(at: index) }
    /// The description, if its bytes may be in the wrong character set.
    var suspectDescription: String? {
        list.listings.withDescription(at: index) { bytes in
            bytes.mayHaveBeenMisread ? bytes.text : nil
        } ?? nil
    }
    var source: SourceLocation { list.listings.location(at: index) }
    var payable: ExactDecimal? { list.listings.sale(at: index)?.salePrice ?? list.listings.price(at: index) }
    var pictures: [Picture] { list.listings.pictures(at: index) }
    var secret: SecretReference? { list.listings.secret(at: index)?.reference }
    var adjusted: AdjustedFields? { list.listings.adjusted(at: index) }
    var product: NewProduct { NewProduct(list.listings[index]) }
}

extension NewProduct {
    init(_ listing: Listing) {
        self.init(values: listing.values, pictures: listing.pictures, isProtected: listing.isProtected)
    }
}
