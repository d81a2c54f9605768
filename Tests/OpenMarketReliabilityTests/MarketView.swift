@testable import OpenMarket
@testable import OpenMarketTestSupport

/// A market as others see it who know nothing of the tool: plain requests, read to the last page.
struct MarketView {
    /// What a product shows, but for its id and the names of its pictures.
    struct Shown: Hashable {
        var name: String
        var description: String
        var currency: String
        var price: ExactDecimal?
        /// What a buyer pays.
        var finalPrice: ExactDecimal?
        var stock: Int64?
        var pictures: [[UInt8]]
        /// The place among the pictures of the one that lists show; v2 only.
        var thumbnail: Int?

        /// For the message of a failing test.
        var words: String {
            "\(name) | \(description) | \(price.map { "\($0)" } ?? "-") | \(finalPrice.map { "\($0)" } ?? "-") | "
                + "\(stock ?? -1) | \(currency) | \(pictures.map { "\($0.count):\($0.reduce(0) { $0 &* 31 &+ Int($1) })" }) | "
                + "\(thumbnail ?? -1)"
        }
    }

    let server: ReferenceServer
    let api: String
    /// Pictures never change under their address.
    private var pictures: [String: [UInt8]] = [:]

    var isFirstGeneration: Bool { api.hasPrefix("v1") }

    init(_ server: ReferenceServer, _ api: String) {
        self.server = server
        self.api = api
    }

    /// The ids of all products, each as often as it is listed.
    func ids() throws -> [Int64] { try rows().map(\.id) }

    /// The rows of the list to its last page, each as often as it is there.
    func rows() throws -> [(id: Int64, row: JSONValue)] {
        var rows: [(id: Int64, row: JSONValue)] = []
        var page = 1
        while true {
            let path = isFirstGeneration ? "/items/\(page)" : "/api/products?page_no=\(page)&items_per_page=1000"
            let reply = try HTTPExchange.send("GET", server.url + path)
            if reply.status == 204 { return rows }
            let found = try JSONValue.parse(reply.body)[isFirstGeneration ? "items" : "pages"]?.elements ?? []
            guard !found.isEmpty else { return rows }
            rows += found.compactMap { row in row["id"]?.integer.map { ($0, row) } }
            page += 1
        }
    }

    /// A product's bytes as they come; `nil` when there is none.
    func raw(_ id: Int64) throws -> [UInt8]? {
        let reply = try HTTPExchange.send(
            "GET",
            server.url + (isFirstGeneration ? "/item/\(id)" : "/api/products/\(id)")
        )
        return reply.status == 200 ? reply.body : nil
    }

    /// What a product shows.
    mutating func shown(_ id: Int64) throws -> Shown? {
        guard let raw = try raw(id) else { return nil }
        let product = try JSONValue.parse(raw)
        let images = product["images"]?.elements ?? []
        let addresses = images.compactMap { isFirstGeneration ? $0.text : $0["url"]?.text }
        let price = product["price"]?.decimal
        let final =
            isFirstGeneration ? product["discounted_price"]?.decimal ?? price : product["bargain_price"]?.decimal
        return Shown(
            name: product[isFirstGeneration ? "title" : "name"]?.text ?? "",
            description: product[isFirstGeneration ? "descriptions" : "description"]?.text ?? "",
            currency: product["currency"]?.text ?? "",
            price: price,
            finalPrice: final,
            stock: product["stock"]?.integer,
            pictures: try addresses.map { try picture($0) },
            thumbnail: isFirstGeneration
                ? nil : images.firstIndex { $0["thumbnail_url"]?.text == product["thumbnail"]?.text }
        )
    }

    private mutating func picture(_ address: String) throws -> [UInt8] {
        if let known = pictures[address] { return known }
        let bytes = try server.get(address)
        pictures[address] = bytes
        return bytes
    }
}

extension MarketView.Shown {
    /// What the market is to show of a wanted product.
    init(_ wanted: Assortment.Product, api: String) {
        self.init(
            name: wanted.name,
            description: wanted.description,
            currency: "KRW",
            price: ExactDecimal(String(wanted.price)),
            finalPrice: ExactDecimal(String(wanted.salePrice ?? wanted.price)),
            stock: Int64(wanted.stock),
            pictures: wanted.pictures.map(SmallPicture.png),
            thumbnail: api.hasPrefix("v1") ? nil : wanted.thumbnail.flatMap(wanted.pictures.firstIndex) ?? 0
        )
    }
}
