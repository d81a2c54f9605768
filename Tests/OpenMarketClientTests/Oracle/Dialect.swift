@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketClient

/// How one profile encodes requests and replies: the only place that knows (docs/profiles.md).
///
/// A value without behaviour of its own beyond putting paths together; requests and readers ask it and never for a
/// version.
struct Dialect: Sendable {
    /// What `discounted_price` means.
    enum DiscountMeaning: Sendable {
        /// The price that buyers pay (v1).
        case salePrice
        /// What is taken off the price (v2).
        case amountOff
    }

    /// How the values of a product are put into a body.
    enum BodyShape: Sendable {
        /// A multipart part for each field (v1).
        case form
        /// JSON; in a multipart body it is the part `params` (v2).
        case json
    }

    /// How a product is deleted.
    enum Deletion: Sendable {
        /// DELETE with JSON that holds the password, and the id too where `namesID` says so (v1).
        case direct(namesID: Bool)
        /// A key is asked for first, by POST to this last part of the path (v2). The key follows the product's
        /// path (v2a), or for the product (v2b).
        case keyed(keyRequest: String, keyReplacesID: Bool)
    }

    /// How a writing request proves itself.
    enum Authentication: Sendable {
        /// A field with the item's password (v1).
        case password(field: String)
        /// A header with the vendor's identifier and a field with the vendor's secret (v2).
        case vendor(header: String, field: String)

        /// The field with the password or the secret.
        var secretField: String {
            switch self {
            case .password(let field), .vendor(_, let field): field
            }
        }
    }

    /// How the list is cut into pages.
    enum Paging: Sendable {
        /// The number in the path, pages of a fixed size, no totals (v1).
        case fixed(size: Int)
        /// Number and size in the query, totals in the reply (v2).
        case sized(standard: Int)
    }

    var profile: MarketProfile
    /// The path of the list, without the page.
    var listPath: String
    /// The path that takes new products, and with `/id` behind it names one.
    var productPath: String
    /// The path that says whether the market is well (v2).
    var healthPath: String?
    /// How the list is cut.
    var paging: Paging
    /// The request's name for the name.
    var nameField: String
    /// The request's name for the long text.
    ///
    /// A wrong one is dropped silently.
    var descriptionField: String
    /// The name of the parts that hold pictures.
    var pictureField: String
    /// How values are written in a POST.
    var createShape: BodyShape
    /// How values are written in a PATCH.
    var updateShape: BodyShape
    /// What `discounted_price` means.
    var discount: DiscountMeaning
    /// How deleting goes.
    var deletion: Deletion
    /// How a request proves itself.
    var authentication: Authentication
    /// Where the public deployments keep their pictures: host and folder, because a host of S3 has many owners.
    var pictureFolders: [String]
    /// What every row of the list shows; v1 shows no sale by leaving its key out, which counts as shown.
    var rowFields: ProductFieldSet
    /// What every detail shows, and every reply to a request that makes or changes a product.
    var detailFields: ProductFieldSet
}

extension Dialect {
    /// The description of a deployment.
    init(_ profile: MarketProfile) {
        switch profile.name {
        case "v1a": self = .v1(.v1a, deletionNamesID: true)
        case "v1b": self = .v1(.v1b, deletionNamesID: false)
        case "v2a":
            self = .v2(
                .v2a,
                descriptionField: "descriptions",
                deletion: .keyed(keyRequest: "secret", keyReplacesID: false)
            )
        default:
            self = .v2(
                .v2b,
                descriptionField: "description",
                deletion: .keyed(keyRequest: "archived", keyReplacesID: true)
            )
        }
    }

    /// The two on Heroku (part A).
    ///
    /// They differ in how they delete.
    private static func v1(_ profile: MarketProfile, deletionNamesID: Bool) -> Dialect {
        Dialect(
            profile: profile,
            listPath: "/items",
            productPath: "/item",
            healthPath: nil,
            paging: .fixed(size: 20),
            nameField: "title",
            descriptionField: "descriptions",
            pictureField: "images[]",
            createShape: .form,
            updateShape: .form,
            discount: .salePrice,
            deletion: .direct(namesID: deletionNamesID),
            authentication: .password(field: "password"),
            pictureFolders: ["camp-open-market.s3.ap-northeast-2.amazonaws.com/"],
            rowFields: [.name, .price, .currency, .salePrice, .stock],
            // Products without thumbnails were seen.
            detailFields: [.name, .description, .price, .currency, .salePrice, .stock, .images]
        )
    }

    /// The two at the academy (part B).
    ///
    /// They differ in the name of the long text and in where delete keys come from.
    private static func v2(_ profile: MarketProfile, descriptionField: String, deletion: Deletion) -> Dialect {
        var rowFields: ProductFieldSet = [.name, .price, .currency, .salePrice, .stock, .thumbnail]
        if profile.capabilities.listShowsDescription { rowFields.insert(.description) }
        return Dialect(
            profile: profile,
            listPath: "/api/products",
            productPath: "/api/products",
            healthPath: "/healthChecker",
            paging: .sized(standard: 100),
            nameField: "name",
            descriptionField: descriptionField,
            pictureField: "images",
            createShape: .json,
            updateShape: .json,
            discount: .amountOff,
            deletion: deletion,
            authentication: .vendor(header: "identifier", field: "secret"),
            pictureFolders: ["s3.ap-northeast-2.amazonaws.com/media.yagom-academy.kr/"],
            rowFields: rowFields,
            detailFields: ProductFieldSet(ProductField.allCases)
        )
    }

    /// The path of a page, from 1; `size` rows a page, where the deployment lets one choose.
    func pagePath(_ page: Int, size: Int?) -> String {
        switch paging {
        case .fixed: "\(listPath)/\(page)"
        case .sized(let standard): "\(listPath)?page_no=\(page)&items_per_page=\(size ?? standard)"
        }
    }

    /// The path of a product.
    func path(of id: MarketID) -> String { "\(productPath)/\(id)" }

    /// Rows a page.
    func pageSize(_ wanted: Int?) -> Int {
        switch paging {
        case .fixed(let size): size
        case .sized(let standard): max(1, wanted ?? standard)
        }
    }
}
