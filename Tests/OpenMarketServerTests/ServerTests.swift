import GRDB
import HTTPTypes
@testable import OpenMarket
import Testing
@testable import OpenMarketServer

struct ServerTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test func `everything survives a restart`() async throws {
        try await fixture.serve(fixture.configuration(.v2b, .v1b)) { talk async throws in
            try await talk.product()
            try await talk.item()
        }
        try await fixture.serve(fixture.configuration(.v2b, .v1b, vendors: [])) { talk async throws in
            let product = try await talk.get("/api/products/1").body
            let path = String(try #require(product.firstMatch(of: /localhost([^"]+)/)).output.1)
            #expect(try await talk.get(path).status == 200)
            let edited = try await talk.json(.patch, "/api/products/1", #"{"stock":5,"secret":"example-secret"}"#)
            #expect(edited.body == product.replacing(#""stock":0"#, with: #""stock":5"#))
            #expect(try await talk.form(.patch, "/item/2", Form().field("password", "example-pass")).status == 200)
        }
    }

    @Test func `ids are never used again`() async throws {
        for expected in [Int64(1), 2, 3] {
            try await fixture.serve(fixture.configuration(.v1b)) { talk async throws in
                let id = try await talk.item()
                #expect(id == expected)
                _ = try await talk.json(.delete, "/item/\(id)", #"{"password":"example-pass"}"#)
            }
        }
    }

    @Test func `a vendor is made once when there is none`() async throws {
        let configuration = fixture.configuration(.v2b, vendors: [])
        let made = try #require(try await fixture.opening(configuration).madeVendor)
        #expect(try await fixture.opening(configuration).madeVendor == nil)
        try await fixture.serve(configuration) { talk async throws in
            let json = #"{"name":"Lamp","secret":"\#(made.secret.revealed)"}"#
            let reply = try await talk.form(.post, "/api/products", Form().params(json).image(), vendor: made)
            #expect(reply.status == 201)
        }
        #expect(try await fixture.opening(fixture.configuration(.v1b, vendors: [])).madeVendor == nil)
    }

    @Test func `vendors that are no longer listed cannot write, and keep their products`() async throws {
        try await fixture.serve(fixture.configuration(.v2b)) { talk async throws in try await talk.product() }
        try await fixture.serve(fixture.configuration(.v2b, vendors: [Fixture.vendors[1]])) { talk async throws in
            let refused = try await talk.product()
            #expect(refused == -1)
            #expect(try await talk.get("/api/products/1").body.contains(#""vendors":{"id":29,"name":"example"}"#))
        }
        let clash = Vendor(id: 29, name: "x", identifier: "y", secret: Secret("z"))
        await #expect(throws: ServerError.self) {
            try await fixture.server(fixture.configuration(.v2b, vendors: [clash]))
        }
    }

    @Test func `a vendor beside the others changes its own secret alone`() async throws {
        try await fixture.serve(fixture.configuration(.v2b)) { talk async throws in try await talk.product() }
        var configuration = fixture.configuration(.v2b, vendors: [])
        let known = Fixture.vendors[0].identifier.uppercased()
        configuration.additionalVendor = Vendor(name: "openmarket", identifier: known, secret: Secret("new-secret"))
        try await fixture.serve(configuration) { talk async throws in
            let product = try await talk.get("/api/products/1").body
            #expect(product.contains(#""vendors":{"id":29,"name":"example"}"#))
            #expect(try await talk.json(.patch, "/api/products/1", #"{"secret":"new-secret"}"#).body == product)
            #expect(try await talk.json(.patch, "/api/products/1", #"{"secret":"example-secret"}"#).status == 400)
            let other = try await talk.product(#"{"name":"Lamp","secret":"other-secret"}"#, vendor: Fixture.vendors[1])
            #expect(other == 2)
        }
    }

    @Test func `the database holds no secret`() async throws {
        try await fixture.serve(fixture.configuration(.v2b, .v1b)) { talk async throws in
            try await talk.product()
            try await talk.item()
        }
        let queue = try DatabaseQueue(path: fixture.folder.path + "/shop.db")
        let text = try await queue.read { database in
            try ["vendor", "product", "picture"].flatMap { try Row.fetchAll(database, sql: "SELECT * FROM \($0)") }
                .map(\.debugDescription).joined()
        }
        #expect(text.contains("Desk lamp"))
        #expect(!text.contains("example-secret"))
        #expect(!text.contains("example-pass"))
    }

    @Test func `a database is taken to a newer version with all that it holds, and is then refused by an older one`()
        async throws
    {
        let configuration = fixture.configuration(.v2b)
        try await fixture.serve(configuration) { talk async throws in try await talk.product() }
        var next = DatabaseMigrator.shop
        next.registerMigration("2") { database in
            try database.execute(sql: "ALTER TABLE product ADD COLUMN color TEXT; UPDATE product SET stock = 99")
        }
        for _ in 0..<2 {
            let shop = try Shop(configuration: configuration, migrator: next, clock: { 0 })
            let product = try await shop.product(1, .v2)
            #expect(product?.fields.name == "Desk lamp")
            #expect(product?.fields.stock == 99)
            try shop.close()
        }
        let error = await #expect(throws: ServerError.self) { try await fixture.server(configuration) }
        #expect(error?.code == .newerDatabase)
    }

    @Test(arguments: [[ServedProfile.v1a, .v1b], [.v2a, .v2b], []])
    func `two profiles of a generation are refused`(profiles: [ServedProfile]) async throws {
        var configuration = fixture.configuration()
        configuration.profiles = profiles
        let error = await #expect(throws: ServerError.self) { try await fixture.server(configuration) }
        #expect(error?.code == .configuration)
    }

    @Test func `creates at the same time get ids of their own`() async throws {
        try await fixture.serve(fixture.configuration(.v2b)) { talk async throws in
            let picture = Form.jpeg + [UInt8](repeating: 0x2D, count: 100_000)
            let form = Form().params(#"{"name":"Lamp","secret":"example-secret"}"#).image(bytes: picture)
            let ids = try await withThrowingTaskGroup(of: Int64.self) { group in
                for _ in 0..<32 {
                    group.addTask {
                        try await talk.form(.post, "/api/products", form, vendor: Fixture.vendors[0]).json.id
                    }
                }
                return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
            }
            #expect(ids == Set(1...32))
            #expect(try await talk.get("/api/products").json["totalCount"] == .number(32))
        }
    }
}
