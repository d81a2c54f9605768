@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketManifest

/// What a described market cannot be asked for is refused where it is written, with the market's name.
struct ExpressionTests {
    /// A market that takes names, prices in one currency, and one picture.
    private static let market = """
        market: 1
        name: tickets
        parameters: {currency: {as: code}}
        identity:
          id: {at: /id, as: integer, order: rising}
          key: {at: /sku, unique: enforced, find: {query: {sku: "{key}"}}, characters: 8}
        fields:
          name: {at: /name}
          price: {at: /price, as: decimal_text}
          currency: {fixed: "{currency}"}
        pictures: {style: base64, write: {at: /picture, one: true}, read: {at: /picture, one: true}, change: in_place}
        list: {path: /items, page: {by: none}, rows: "", complete: whole}
        operations:
          create: {method: POST, path: /items, body: json}
          update: {method: PATCH, path: "/items/{id}", body: json}
        limits: {required: [name, price], name: {characters: [2, 6]}, price: {fraction: 1}, images: {formats: [png]}}
        """

    /// A folder with the market, pictures and a manifest.
    private static func folder(
        _ market: String,
        _ rest: String,
        _ change: (String) -> String = { $0 }
    ) throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        try folder.write("tickets.market.yaml", change(Self.market))
        try folder.write("a.png", SamplePictures.png)
        try folder.write("b.jpg", SamplePictures.jpeg())
        try folder.write("sub/ü b.png", SamplePictures.png + [0])
        try folder.write(
            "shop.yaml",
            "market: {url: 'https://a', api: ./tickets.market.yaml, parameters: {currency: EUR}\(market)}\n\(rest)"
        )
        return folder
    }

    private static func load(
        _ market: String = "",
        _ rest: String,
        _ change: (String) -> String = { $0 }
    ) throws -> LoadedManifest {
        read(try folder(market, rest, change), "shop.yaml")
    }

    private static func read(_ folder: borrowing TemporaryDirectory, _ files: String...) -> LoadedManifest {
        ManifestLoader().load(files.map { folder.path + "/" + $0 })
    }

    private static func product(_ fields: String) -> String {
        "products:\n- {key: lamp, name: Lamp, price: 1\(fields.isEmpty ? "" : ", " + fields)}\n"
    }

    @Test(arguments: [
        ("stock: 5", "no request to tickets can send 'stock'"),
        ("description: Warm.", "no request to tickets can send 'description'"),
        ("sale_price: 0.5", "no request to tickets can send 'sale_price'"),
        ("currency: KRW", "all prices of tickets are in EUR, and this is 'KRW'"),
        ("images: [a.png, sub/ü b.png]", "this product has 2 pictures, and tickets takes 0 to 1"),
        ("images: [b.jpg]", "b.jpg is a JPEG, and tickets takes PNG"),
    ])
    func `what the market cannot express is refused with its name`(fields: String, message: String) throws {
        let loaded = try Self.load(Self.product(fields))
        #expect(loaded.diagnostics.map(\.message) == [message])
        #expect(loaded.hasErrors)
    }

    private static func load(_ rest: String) throws -> LoadedManifest { try load("", rest) }

    @Test(arguments: ["", "currency: EUR", "images: [a.png]", "images: []"])
    func `what it can express is taken`(fields: String) throws {
        #expect(try Self.load(Self.product(fields)).diagnostics.isEmpty)
    }

    @Test(arguments: [
        ("price: 1.25", "the price 1.25 has 2 digits after the point, and tickets takes 1", "EUR"),
        ("price: 1.5", "the price 1.5 has a fraction; amounts in JPY are whole numbers", "JPY"),
        ("name: Lampions", "the name has 8 characters, and tickets takes 2 to 6", "EUR"),
    ])
    func `limits are the market's`(fields: String, message: String, currency: String) throws {
        let product = "products:\n- {key: lamp, name: Lamp, price: 1}\n"
        let name = fields.prefix { $0 != ":" }
        let text = product.replacing(name == "price" ? "price: 1" : "name: Lamp", with: fields)
        let folder = try Self.folder("", text)
        let manifest = String(decoding: try folder.read("shop.yaml"), as: UTF8.self)
        try folder.write("shop.yaml", manifest.replacing("currency: EUR", with: "currency: \(currency)"))
        let loaded = Self.read(folder, "shop.yaml")
        #expect(loaded.diagnostics.map(\.message) == [message])
    }

    @Test(arguments: [
        ("defaults: {stock: 5}", "no request to tickets can send 'stock'", "defaults.stock"),
        ("defaults: {currency: KRW}", "all prices of tickets are in EUR, and this is 'KRW'", "defaults.currency"),
    ])
    func `defaults are refused once, where they are`(section: String, message: String, path: String) throws {
        let loaded = try Self.load(
            "\(section)\nproducts:\n- {key: a, name: One, price: 1}\n- {key: b, name: Two, price: 1}\n"
        )
        #expect(loaded.diagnostics.map(\.message) == [message])
        #expect(loaded.diagnostics.map(\.path) == [path])
    }

    @Test(arguments: [
        (", limits: {currencies: [EUR, KRW]}", "all prices of tickets are in EUR, and this is 'KRW'"),
        (", limits: {max_images: 3}", "a product of tickets has a place for one picture"),
    ])
    func `limits do not lift what the wire has no place for`(limits: String, message: String) throws {
        let loaded = try Self.load(limits, Self.product(""))
        #expect(loaded.diagnostics.map(\.message) == [message] && loaded.diagnostics[0].code == .limits)
    }

    // MARK: Keys

    @Test func `keys are sent only where the market takes them`() throws {
        let agreed = try Self.load(", send_keys: true", Self.product(""))
        #expect(agreed.diagnostics.isEmpty && agreed.manifest?.market.sendsKeys == true)
        #expect(try Self.load("", Self.product("")).manifest?.market.sendsKeys == false)
        let refused = try Self.load(", send_keys: true", Self.product("")) {
            $0.replacing(
                "  key: {at: /sku, unique: enforced, find: {query: {sku: \"{key}\"}}, characters: 8}\n",
                with: ""
            )
        }
        #expect(
            refused.diagnostics.map(\.message) == [
                "tickets does not carry keys: 'identity.key' is missing in its description"
            ]
        )
        #expect(refused.diagnostics.map(\.path) == ["market.send_keys"])
    }

    @Test func `a key fits the market that it is sent to`() throws {
        let products = "products:\n- {key: lanterns-, name: Lamp, price: 1}\n- {key: lanterns, name: Desk, price: 1}\n"
        #expect(try Self.load("", products).diagnostics.isEmpty)
        #expect(
            try Self.load(", send_keys: true", products).diagnostics.map(\.message) == [
                "the key has 9 characters, and those that tickets takes have 8 at the most"
            ]
        )
        let tombstone = "products:\n- {key: lanterns-, state: absent}\n"
        #expect(try Self.load(", send_keys: true", tombstone).diagnostics.isEmpty)
    }

    // MARK: Pictures at addresses

    private static func fetching(_ text: String) -> String {
        text.replacing(
            "{style: base64, write: {at: /picture, one: true}, read: {at: /picture, one: true}, change: in_place}",
            with: "{style: url, write: {at: /images, new: /src}, read: {at: /images}, change: in_place}"
        )
    }

    @Test func `a picture's address is its path from the manifest`() throws {
        let loaded = try Self.load(
            ", pictures_url: 'https://CDN.example.org:443/shop/'",
            Self.product("images: [a.png, ./sub/../sub/ü b.png]"),
            Self.fetching
        )
        #expect(loaded.diagnostics.isEmpty)
        #expect(
            loaded.manifest?.listings.first?.pictures.map(\.address) == [
                "https://cdn.example.org/shop/a.png", "https://cdn.example.org/shop/sub/%C3%BC%20b.png",
            ]
        )
        #expect(loaded.manifest?.market.readablePictureHosts == ["cdn.example.org"])
    }

    @Test func `a manifest in a folder below has addresses below`() throws {
        let folder = try Self.folder(", pictures_url: 'https://cdn/shop'", "products: []\n", Self.fetching)
        try folder.write("sub/more.yaml", Self.product("images: ['ü b.png']"))
        let loaded = Self.read(folder, "shop.yaml", "sub/more.yaml")
        #expect(loaded.diagnostics.isEmpty)
        #expect(loaded.manifest?.listings.first?.pictures.map(\.address) == ["https://cdn/shop/sub/%C3%BC%20b.png"])
    }

    @Test func `without an address nothing is fetched, and that is said once`() throws {
        let loaded = try Self.load(
            "",
            "products:\n- {key: a, name: One, price: 1, images: [a.png]}\n- {key: b, name: Two, price: 1, images: [a.png]}\n",
            Self.fetching
        )
        #expect(
            loaded.diagnostics.map(\.message) == [
                "tickets fetches pictures itself, and the address of this one is not set"
            ]
        )
        let outside = try Self.folder("", "products: []\n", Self.fetching)
        try outside.write("served/market.yaml", "market: {pictures_url: 'https://cdn/shop'}\n")
        try outside.write("more.yaml", Self.product("images: [a.png]"))
        let market = "market: {url: 'https://a', api: ../tickets.market.yaml, parameters: {currency: EUR}, "
        try outside.write("served/market.yaml", market + "pictures_url: 'https://cdn/shop'}\n")
        let both = Self.read(outside, "served/market.yaml", "more.yaml")
        #expect(
            both.diagnostics.map(\.message) == ["a.png is not in the folder that 'market.pictures_url' serves"]
        )
    }

    @Test func `an address that nothing fetches from is a warning`() throws {
        let loaded = try Self.load(", pictures_url: 'https://cdn/shop'", Self.product("images: [a.png]"))
        #expect(
            loaded.diagnostics.map(\.message) == [
                "'pictures_url' is unused: it is for markets that fetch pictures, and tickets does not"
            ]
        )
        #expect(!loaded.hasErrors && loaded.manifest?.listings.first?.pictures.map(\.address) == [nil])
        let wrong = try Self.load(", pictures_url: 'https://me:pass@cdn/shop'", Self.product(""), Self.fetching)
        #expect(wrong.diagnostics.map(\.message) == ["'pictures_url' must not hold a user or a password"])
    }

    // MARK: Tables

    @Test func `a row of an export says what the market has, and asks for nothing`() throws {
        let folder = try Self.folder("", "products: []\n")
        try folder.write("shop.csv", "id,key,name,price,stock\n7,lamp,Lamp,1,5\n,new,Other,1,5\n")
        let loaded = Self.read(folder, "shop.yaml", "shop.csv")
        #expect(loaded.diagnostics.isEmpty && loaded.manifest?.listings.map(\.values.stock) == [5, 5])
    }

    // MARK: The built-in markets

    @Test(arguments: MarketProfile.builtIns)
    func `the built-in markets take every field`(profile: MarketProfile) {
        #expect(profile.capabilities.unsayableFields.isEmpty)
        #expect(profile.capabilities.settlesCreates(sendsKeys: false))
        #expect(!profile.capabilities.refusesSuccessors(sendsKeys: true))
    }
}
