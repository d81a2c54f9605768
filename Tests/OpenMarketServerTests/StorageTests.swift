import FoundationEssentials
import GRDB
import HTTPTypes
import OpenMarket
import Testing

@testable import OpenMarketServer

/// Rule 12: what lies on the disk, and what reaches it.
struct StorageTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private var database: String { fixture.folder.path + "/shop.db" }

    /// All that the database's files hold.
    private func bytes() throws -> Data {
        var bytes = Data()
        for file in [database, database + "-wal"] where FileManager.default.fileExists(atPath: file) {
            bytes += try Data(contentsOf: URL(filePath: file))
        }
        return bytes
    }

    private func askKey(_ talk: Talk, secret: String = "example-secret") async throws -> String {
        let reply = try await talk.json(.post, "/api/products/1/secret", #"{"secret":"\#(secret)"}"#)
        #expect(reply.status == 200)
        return reply.body
    }

    @Test func `rule 12: delete keys are nowhere in the database, and stay the same`() async throws {
        let key = try await fixture.keyOf(.v2a) { talk async throws in
            try await talk.product()
            let key = try await askKey(talk)
            #expect(try await askKey(talk) == key)
            return key
        }
        #expect(key.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil)
        #expect(try bytes().firstRange(of: Data("Desk lamp".utf8)) != nil)
        #expect(try bytes().firstRange(of: Data(key.utf8)) == nil)
        try await fixture.serve(fixture.configuration(.v2a)) { talk async throws in
            #expect(try await askKey(talk) == key)
            #expect(try await talk.json(.delete, "/api/products/1/\(key.uppercased())", "").status == 200)
        }
    }

    @Test func `rule 12: without being asked for there is no key that deletes`() async throws {
        try await fixture.serve(fixture.configuration(.v2a)) { talk async throws in
            try await talk.product()
            for key in ["", "null", "00000000-0000-1000-8000-000000000000"] {
                #expect(try await talk.json(.delete, "/api/products/1/\(key)", "").status != 200)
            }
            #expect(try await talk.get("/api/products/1").status == 200)
        }
    }

    @Test func `rule 12: an older database's keys stay good and leave the file`() async throws {
        let key = "5f0e2a64-0000-11ed-9bd2-0123456789ab"
        do {
            let queue = try DatabaseQueue(path: database)
            try DatabaseMigrator.shop.migrate(queue, upTo: "1")
            let secret = SaltedHash(of: "example-secret")
            try await queue.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO vendor (id, name, identifier, salt, hash, created_at) VALUES (29, 'example', ?, ?, ?, 0);
                        INSERT INTO product (generation, vendor_id, name, description, price, stock, delete_key, created_at,
                            created_day, issued_at, visible_at) VALUES (2, 29, 'Lamp', '', '1', 1, ?, 0, 0, 0, 0);
                        """,
                    arguments: [Fixture.vendors[0].identifier, secret.salt, secret.hash, key]
                )
            }
            try queue.close()
        }
        #expect(try bytes().firstRange(of: Data(key.utf8)) != nil)
        try await fixture.server(fixture.configuration(.v2a)).close()
        #expect(try bytes().firstRange(of: Data(key.utf8)) == nil)
        try await fixture.serve(fixture.configuration(.v2a)) { talk async throws in
            #expect(try await talk.json(.delete, "/api/products/1/\(key)", "").status == 200)
        }
    }

    @Test(arguments: [false, true])
    func `rule 12: the database is its owner's alone`(exists: Bool) async throws {
        if exists {
            _ = try await fixture.server(fixture.configuration(.v2b))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: database)
        }
        try await fixture.serve(fixture.configuration(.v2b)) { talk async throws in
            try await talk.product()
            for suffix in ["", "-wal", "-shm"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: database + suffix)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
            }
        }
    }

    @Test func `rule 12: U+0000 is refused in every text, never a silent cut`() async throws {
        let before = #"{"name":"Desk lamp","secret":"example-secret"}"#
        try await fixture.serve(fixture.configuration(.v2b, .v1b)) { talk async throws in
            try await talk.product(before)
            try await talk.item()
            for field in ["name", "description", "currency"] {
                let json = #"{"\#(field)":"a\u0000b","secret":"example-secret"}"#
                let made = try await talk.form(
                    .post,
                    "/api/products",
                    Form().params(json).image(),
                    vendor: Fixture.vendors[0]
                )
                let edited = try await talk.json(.patch, "/api/products/1", json)
                for reply in [made, edited] {
                    #expect(reply.status == 400)
                    #expect(reply.body == #"{"code":400,"message":"'\#(field)' holds the character U+0000"}"#)
                }
            }
            for field in ["title", "descriptions", "currency", "password"] {
                let form = Form.item().field(field, "a\u{0}b").image("images[]")
                for (method, path) in [(HTTPRequest.Method.post, "/item"), (.patch, "/item/2")] {
                    let reply = try await talk.form(method, path, form)
                    #expect(reply.body == #"{"message":"'\#(field)' holds the character U+0000."}"#)
                    #expect(reply.status == 400)
                }
            }
            #expect(try await talk.get("/api/products?search_value=Desk%00").status == 400)
            #expect(try await talk.get("/api/products").json["totalCount"] == .number(1))
            #expect(try await talk.get("/api/products/1").body.contains(#""name":"Desk lamp""#))
        }
        let yaml = Array(#"vendors: [{name: "a\0b", identifier: x, secret: y}]"#.utf8)
        #expect(throws: ServerError.self) { try Vendor.list(yaml: yaml, file: "vendors.yaml") }
    }

    @Test func `rule 12: no library's words reach people`() async throws {
        let log = CollectedLog()
        try await fixture.listen(fixture.configuration(.v2b, .v1b), log: log) { socket in
            #expect(await socket.get("/nowhere").body.contains("<h1>Not Found</h1>"))
            // A picture that was taken away, and a folder that cannot be read.
            let made = await socket.form("POST", "/item", Form.item().image("images[]"))
            let path = String(try #require(made.body.firstMatch(of: /localhost(\/images\/[^"]+)/)).output.1)
            let images = fixture.folder.path + "/images"
            try FileManager.default.removeItem(atPath: images)
            #expect(await socket.get(path).status == 404)
            try Data().write(to: URL(filePath: images))
            let lost = await socket.get(path)
            #expect(lost.status == 500)
            #expect(lost.body.contains("<h1>Internal Server Error</h1>"))
            let error = await #expect(throws: ServerError.self) {
                var taken = fixture.configuration(.v2b)
                taken.port = socket.port
                try await fixture.server(taken).run()
            }
            #expect(error?.message == "cannot serve on 127.0.0.1:\(socket.port): Address already in use")
        }
        let others = log.lines.filter { !$0.hasPrefix("info request ") && !$0.hasPrefix("warning request ") }
        #expect(others == ["error the request failed reason=No such file or directory"])
    }

    @Test func `rule 12: a file that is not a database is named`() async throws {
        try Data("no database".utf8).write(to: URL(filePath: database))
        let error = await #expect(throws: ServerError.self) { try await fixture.server(fixture.configuration(.v2b)) }
        #expect(error?.message == "cannot use \(database): file is not a database")
    }
}

extension Fixture {
    /// Talks to a server without a socket, and hands on what it said.
    fileprivate func keyOf(
        _ profile: ServedProfile,
        _ ask: @escaping @Sendable (Talk) async throws -> String
    ) async throws -> String {
        let (keys, key) = AsyncStream.makeStream(of: String.self)
        try await serve(configuration(profile)) { talk async throws in key.yield(try await ask(talk)) }
        key.finish()
        return await keys.first { _ in true } ?? ""
    }
}
