import FoundationEssentials
import GRDB
import HTTPTypes
@testable import OpenMarket
import Testing
@testable import OpenMarketServer

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

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
            try FileManager.default.removeItem(atPath: images)
            let error = await #expect(throws: ServerError.self) {
                var taken = fixture.configuration(.v2b)
                taken.port = socket.port
                try await fixture.server(taken, opens: false).run()
            }
            #expect(error?.message == "cannot serve on 127.0.0.1:\(socket.port): Address already in use")
        }
        let others = log.lines.filter { !$0.contains(#/^[a-z]+ (GET|POST) \//#) }
        #expect(others == ["error the request failed reason=Not a directory"])
    }

    @Test func `a server that finds its address taken leaves the running shop as it is`() async throws {
        try await fixture.listen(fixture.configuration(.v2b)) { socket in
            var taken = fixture.configuration(.v2b, vendors: [Vendor(name: "x", identifier: "y", secret: Secret("z"))])
            taken.port = socket.port
            taken.seed = .drawn(products: 2)
            let second = try await fixture.server(taken, opens: false)
            await #expect(throws: ServerError.self) { try await second.run() }
            #expect(await socket.get("/api/products").body.contains(#""totalCount":0"#))
        }
        // Who is not admitted again may write if it could before.
        try await fixture.serve(fixture.configuration(.v2b, vendors: [])) { talk async throws in
            #expect(try await talk.product() == 1)
        }
    }

    @Test func `what stops in good order leaves all of the database in its one file`() async throws {
        try await fixture.listen(fixture.configuration(.v1b)) { socket in
            #expect(await socket.form("POST", "/item", Form.item().image("images[]")).status == 200)
        }
        let copy = fixture.folder.path + "/copy.db"
        try FileManager.default.copyItem(atPath: database, toPath: copy)
        let names = try await DatabaseQueue(path: copy).read {
            try String.fetchAll($0, sql: "SELECT name FROM product")
        }
        #expect(names == ["Desk lamp"])
    }

    @Test func `a path that cannot be used is named`() async throws {
        let folder = fixture.folder.path
        try Data("a file".utf8).write(to: URL(filePath: folder + "/file"))
        // As root, opening a device as a database would take it from everybody else.
        #expect(mkfifo(folder + "/pipe", 0o644) == 0)
        for (database, images, message) in [
            (database, folder + "/file", "cannot create the folder \(folder)/file: File exists"),
            (folder + "/file/x.db", folder + "/images", "cannot create the folder \(folder)/file: File exists"),
            (folder, folder + "/images", "cannot use \(folder): it is a folder"),
            (folder + "/pipe", folder + "/images", "cannot use \(folder)/pipe: it is not a regular file"),
        ] {
            var configuration = fixture.configuration(.v2b)
            configuration.databasePath = database
            configuration.imagesDirectory = images
            let error = await #expect(throws: ServerError.self) { try await fixture.server(configuration) }
            #expect(error?.message == message)
        }
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
