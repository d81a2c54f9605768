@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// `market`, `defaults` and `policies`, and what the environment and the flags say beside them.
struct SectionTests {
    @Test func `a state is a path beside its file, or an address whose password is not shown`() throws {
        func state(_ line: String, _ variables: [String: String] = [:]) throws -> String? {
            let loaded = expectFaults(
                "market: {url: 'http://127.0.0.1:1', api: v2b}\n\(line)\nproducts: []\n",
                options: ManifestOptions(environment: variables)
            )
            return try #require(loaded.manifest).market.state?.revealed
        }
        #expect(try state("") == nil)
        #expect(try state("state: ../shared/shop.db") == "../shared/shop.db")
        #expect(try state("state: /var/lib/shop.db") == "/var/lib/shop.db")
        #expect(try state("state: absent") == "absent", "a file may have that name")
        #expect(try state("state: postgresql://db.example/shop") == "postgresql://db.example/shop")
        let address = "postgresql://shop@db.example/shop?schema=a"
        #expect(try state("state: !env SHOP_STATE", ["SHOP_STATE": address]) == address)
        let loaded = ManifestLoader().decode(
            Array("state: ./shop.db\nproducts: []\n".utf8),
            name: "team/openmarket.yaml",
            folder: "team"
        )
        #expect(loaded.manifest?.market.state?.revealed == "team/./shop.db")
        expectFaults(
            "①state: ''\nproducts: []\n".replacing("①state: ''", with: "state: ①''"),
            """
            ① [state] 'state' is empty
              help: name a file or an address
            """
        )
    }

    @Test func `a tombstone that is indented too little does not place the state`() {
        expectFaults(
            """
            products:
              - key: lamp
            ①state: absent
            """,
            """
            ① [state] 'state' is a key of products, and is outside of them
              help: indent it like the other keys of its product
            """
        )
    }

    @Test func `a market section has whole values`() throws {
        let loaded = expectFaults(
            """
            market:
              url: https://market.example/api/
              api: V2
              identifier: !env OPENMARKET_IDENTIFIER
              secret: !env SHOP_SECRET
              vendor_id: 29
              limits: {max_name: 200, min_description: 1, max_images: 9, max_image_bytes: 500000}
            """,
            options: ManifestOptions(environment: ["OPENMARKET_IDENTIFIER": "i", "SHOP_SECRET": "s"])
        )
        let market = try #require(loaded.manifest?.market)
        #expect(market.url == "https://market.example/api")
        #expect(market.profile == .v2b)
        #expect(
            market.identifier == ResolvedSecret(reference: .environment("OPENMARKET_IDENTIFIER"), value: Secret("i"))
        )
        #expect(market.secret == ResolvedSecret(reference: .environment("SHOP_SECRET"), value: Secret("s")))
        #expect(market.vendorID == 29)
        #expect(
            market.limits
                == ProductLimits(
                    nameLength: 3...200,
                    descriptionLength: 1...1000,
                    imageCount: 1...9,
                    imageByteLimit: 500_000
                )
        )
    }

    @Test func `flags win over the environment, the environment over the file`() throws {
        let text = Array("market: {url: 'http://file', api: v2a}\n".utf8)
        func market(_ options: ManifestOptions) throws -> MarketSettings {
            try #require(ManifestLoader(options: options).decode(text).manifest?.market)
        }
        let environment = [
            "OPENMARKET_URL": "http://environment/", "OPENMARKET_API": "v1a", "OPENMARKET_SECRET": "s",
            "OPENMARKET_IDENTIFIER": "",
        ]
        let file = try market(ManifestOptions())
        #expect([file.url, file.profile?.name] == ["http://file", "v2a"])
        #expect(file.secret == nil)
        let named = try market(ManifestOptions(environment: environment))
        #expect([named.url, named.profile?.name] == ["http://environment", "v1a"])
        #expect(named.secret?.reference == .environment("OPENMARKET_SECRET"))
        #expect(named.identifier == nil)
        #expect(named.limits.wholePrices)
        let flagged = try market(
            ManifestOptions(environment: environment, urlOverride: "http://flag", marketOverride: .builtIn(.v2b))
        )
        #expect([flagged.url, flagged.profile?.name] == ["http://flag", "v2b"])
    }

    @Test func `a wrong variable is named`() {
        let options = ManifestOptions(environment: ["OPENMARKET_URL": "localhost:8080", "OPENMARKET_API": "v3"])
        expectFaults(
            "products: []\n",
            """
            - OPENMARKET_URL must begin with http:// or https://
              help: write it like http://127.0.0.1:8080
            - OPENMARKET_API must be v1a, v1b, v2a or v2b, or the path of a description
              help: a path holds a '/' or ends in '.yaml': ./shop.market.yaml
            """,
            options: options
        )
    }

    @Test func `faults of a market section`() {
        expectFaults(
            """
            market:
              url: ①ftp://x
              api: ②v3
              ③adress: x
              vendor_id: ④-1
              limits: {max_name: ⑤0, ⑥max_nam: 1, min_name: ⑦200}
            """,
            """
            ① [market.url] 'url' must begin with http:// or https://
              help: write it like http://127.0.0.1:8080
            ② [market.api] 'api' must be v1a, v1b, v2a or v2b, or the path of a description, and not 'v3'
              help: a path holds a '/' or ends in '.yaml': ./shop.market.yaml
            ③ [market.adress] unknown key 'adress'
              help: the keys here are url, api, parameters, identifier, secret, vendor_id, limits, picture_hosts, \
            pictures_url, send_keys
            ④ [market.vendor_id] 'vendor_id' is -1, and cannot be negative
            ⑤ [market.limits.max_name] 'limits.max_name' is 0, and must be at least 1
            ⑥ [market.limits.max_nam] unknown key 'max_nam'
              help: did you mean 'max_name'?
            ⑦ [market.limits.min_name] the smallest length 200 is above the largest 100
            """
        )
        for (url, problem, help) in [
            ("http://", "names no host", nil),
            ("http://u:p@host", "must not hold a user or a password", "use 'identifier' and 'secret'"),
            ("http://host?x", "must not have a query or a fragment", nil),
            ("http://host:99999", "has the invalid port '99999'", "ports are 1 to 65535"),
            (
                "http://host/a b",
                "must consist of ASCII characters without spaces, quotes, brackets or backslashes", nil
            ),
        ] as [(String, String, String?)] {
            expectFaults(
                "market:\n  url: ①\(url)\n",
                "① [market.url] 'url' \(problem)" + (help.map { "\n  help: \($0)" } ?? "")
            )
        }
    }

    @Test func `defaults apply wherever they are, and what is written wins`() throws {
        let loaded = expectFaults(
            """
            products:
            - {key: a, id: 1}
            - {key: b, id: 2, currency: USD, stock: 3, protected: false}
            defaults: {currency: KRW, stock: {initial: 10}, protected: true}
            """
        )
        let listings = try #require(loaded.manifest?.listings)
        #expect(listings.map(\.values.currency) == [.krw, .usd])
        #expect(listings.map(\.values.stock) == [10, 3])
        #expect(listings.map(\.isProtected) == [true, false])
        #expect(listings.map(\.ignoreChanges) == [[.stock], []])
    }

    @Test func `policies are numbers and percentages`() throws {
        let loaded = expectFaults(
            "policies: {max_delete: 30%, max_price_change: 12.5%, allow_currency_change: false, allow_stock_to_zero: false, allow_zero_price: true, allow_unsettled_creates: true, on_drift: {stock: keep, price: fail}}\n"
        )
        #expect(
            loaded.manifest?.policies
                == Policies(
                    maximumDelete: .basisPoints(3000),
                    maximumPriceChange: 1250,
                    allowsCurrencyChange: false,
                    allowsStockToZero: false,
                    allowsZeroPrice: true,
                    allowsUnsettledCreates: true,
                    onDrift: [.stock: .keep, .price: .fail]
                )
        )
        #expect(expectFaults("policies: {max_delete: 5}\n").manifest?.policies.maximumDelete == .count(5))
        expectFaults(
            "policies:\n  max_delete: ①130%\n  max_price_change: ②50\n  ③max_deletes: 1\n",
            """
            ① [policies.max_delete] 'max_delete' is 130%, and must be at most 100%
            ② [policies.max_price_change] 'max_price_change' must be a percentage, and not '50'
              help: write it like 30%
            ③ [policies.max_deletes] unknown key 'max_deletes'
              help: did you mean 'max_delete'?
            """
        )
    }

    @Test func `a secret from a variable, a file or the manifest itself`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("secret.txt", "hush hush\n")
        let loaded = expectFaults(
            """
            market:
              identifier: !file secret.txt
              secret: ①plain-text-secret
            products:
            - {key: a, id: 1, secret: !env A}
            """,
            """
            ① warning: [market.secret] 'secret' is written out in the manifest
              help: use '!env OPENMARKET_SECRET' and keep the value out of the file
            """,
            options: ManifestOptions(environment: ["A": "own"]),
            folder: folder.path
        )
        let manifest = try #require(loaded.manifest)
        #expect(manifest.market.identifier?.value.revealed == "hush hush")
        #expect(manifest.market.secret?.reference == .manifest("m.yaml", path: "market.secret"))
        #expect(manifest.listings[0].secret == ResolvedSecret(reference: .environment("A"), value: Secret("own")))
        #expect(loaded.diagnostics.first?.excerpt?.text == "  secret: •••")
        #expect(!String(describing: loaded).contains("plain-text-secret"))
    }

    @Test func `an unset and an empty variable are errors`() {
        expectFaults(
            "market:\n  secret: ①!env NOT_SET\n  identifier: ②!env EMPTY\n",
            """
            ① [market.secret] the environment variable NOT_SET is not set
            ② [market.identifier] the environment variable EMPTY is empty
            """,
            options: ManifestOptions(environment: ["EMPTY": ""])
        )
    }

    @Test func `tags fetch texts, and unknown ones are refused`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("shop/texts/long.txt", "A long description\nof two lines.\n")
        try folder.write("shop/latin.txt", [0xE9])
        let loaded = expectFaults(
            """
            products:
            - {key: a, id: 1, name: !env NAME, description: !file texts/long.txt, price: !env PRICE}
            - {key: b, id: 2, name: ①!upper x, description: ②!file texts/lon.txt}
            - {key: c, id: 3, description: ③!file ../x.txt, name: ④!file latin.txt}
            - {key: d, id: 4, price: ⑤!env NAME}
            """,
            """
            ① [products[1].name] unknown tag '!upper'
              help: the tags are '!env NAME' and '!file path'; put a text that begins with '!' in quotes
            ② [products[1].description] texts/lon.txt does not exist
              help: did you mean 'long.txt'?
            ③ [products[2].description] ../x.txt does not exist
            ④ [products[2].name] latin.txt is not UTF-8 text
              help: save the file as UTF-8
            ⑤ [products[3].price] the value of NAME is not a number
            """,
            options: ManifestOptions(environment: ["NAME": "From outside", "PRICE": "12"]),
            folder: folder.path + "/shop"
        )
        #expect(
            loaded.manifest?.listings.first?.values
                == ProductValues(name: "From outside", description: "A long description\nof two lines.\n", price: 12)
        )
    }

    @Test func `unknown sections, keys of one's own and null`() {
        expectFaults(
            """
            x-anchors: &a {stock: 1}
            ①prodcts: []
            ②version: 3
            ③defaults:
            ④policies: []
            ⑤products: ~
            """.replacing("④policies: []", with: "policies: ④[]"),
            """
            ① [prodcts] unknown key 'prodcts'
              help: did you mean 'products'?
            ② [version] unknown key 'version'
              help: a manifest has market, state, defaults, policies, include, adjust and products; keys of your own \
            begin with 'x-'
            ③ [defaults] 'defaults' has no value
              help: indent its content below it, or leave it out
            ④ [policies] 'policies' must be a mapping, and this is a list
            ⑤ [products] 'products' has no value
              help: write 'products: []' for none
            """
        )
        expectFaults(
            "①- key: a\n",
            """
            ① a manifest is a mapping, and this is a list
              help: it begins with a line such as 'products:'
            """
        )
        #expect(expectFaults("").manifest?.listings == [])
    }
}
