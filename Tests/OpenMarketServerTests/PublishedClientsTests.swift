@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketServer

/// Requests in the form in which published programs and common libraries send them: each puts its multipart bodies together
/// by itself, and no two do so alike.
///
/// The forms are those of the programs' public sources; the texts and the pictures are ours. Instead of keeping the
/// connection open, as URLSession does, each request asks to close it.
struct PublishedClientsTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    /// How a program writes a multipart body.
    struct Writer: Sendable, CustomTestStringConvertible {
        var name: String
        var boundary: String
        /// The headers of a part of text: its name, its lines.
        var text: @Sendable (_ name: String) -> String
        /// The headers of a picture.
        var picture: @Sendable (_ name: String, _ index: Int) -> String
        /// What is behind the last part and its line end.
        var end: String
        /// The headers of each request, apart from the boundary.
        var headers = Self.urlSession

        var testDescription: String { name }

        /// What URLSession adds.
        static let urlSession = [
            "Accept: */*", "User-Agent: OpenMarket/1 CFNetwork/1333.0.4 Darwin/21.5.0",
            "Accept-Language: ko-KR,ko;q=0.9", "Accept-Encoding: gzip, deflate",
        ]

        func body(_ parts: [(name: String, bytes: [UInt8])], pictures: (name: String, count: Int)) -> [UInt8] {
            var body: [UInt8] = []
            for part in parts {
                body += Array("--\(boundary)\r\n\(text(part.name))\r\n\r\n".utf8) + part.bytes + Array("\r\n".utf8)
            }
            for index in 0..<pictures.count {
                body += Array("--\(boundary)\r\n\(picture(pictures.name, index))\r\n\r\n".utf8) + Form.jpeg
                body += Array("\r\n".utf8)
            }
            return body + Array(end.utf8)
        }

        func request(
            _ method: String,
            _ path: String,
            vendor: Vendor? = nil,
            type: String?,
            _ body: [UInt8] = []
        ) -> [UInt8] {
            var lines = ["\(method) \(path) HTTP/1.1", "Host: localhost"]
            lines += type.map { ["Content-Type: \($0)"] } ?? []
            lines += vendor.map { ["identifier: \($0.identifier)"] } ?? []
            lines += ["Connection: close"] + headers
            lines += body.isEmpty && method == "GET" ? [] : ["Content-Length: \(body.count)"]
            return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
        }

        var multipart: String { "multipart/form-data; boundary=\(boundary)" }
    }

    private static func disposition(_ name: String) -> String { "Content-Disposition: form-data; name=\"\(name)\"" }

    /// ryan-son, on v1b: sorted names, and the slash behind `/item/`.
    static let ryanSon = Writer(
        name: "ryan-son",
        boundary: "ryan-market.boundary-6F2D6E1C-7F25-4C0C-9B5B-33E0C2D5C9A1",
        text: disposition,
        picture: { disposition($0) + "; filename=\"image\($1).jpeg\"\r\nContent-Type: image/jpeg" },
        end: "--ryan-market.boundary-6F2D6E1C-7F25-4C0C-9B5B-33E0C2D5C9A1--\r\n"
    )
    /// 1-sole, on v1a: `image/jpg`, and a body that ends with one more boundary instead of the closing one.
    static let sole = Writer(
        name: "1-sole",
        boundary: "Boundary-95B4E0C4-7E1E-4B62-8C43-5A8B5A3C1D77",
        text: disposition,
        picture: { disposition($0) + "; filename=\"\($1).jpg\"\r\nContent-Type: image/jpg" },
        end: "--Boundary-95B4E0C4-7E1E-4B62-8C43-5A8B5A3C1D77\r\n"
    )
    /// kyo12, on v2b: pictures as `multipart/form-data` in files without an ending, and no line end behind the body.
    static let kyo12 = Writer(
        name: "kyo12",
        boundary: "Boundary-D6B2F7C9-94E3-4E0D-8F60-0B1F1A0A7C55",
        text: disposition,
        picture: { name, _ in disposition(name) + "; filename=\"imagesName\"\r\nContent-Type: multipart/form-data" },
        end: "--Boundary-D6B2F7C9-94E3-4E0D-8F60-0B1F1A0A7C55--"
    )
    /// hoBahk, on v2a: a boundary without a prefix, `params` as JSON.
    static let hoBahk = Writer(
        name: "hoBahk",
        boundary: "2A6E0E64-5B3F-4C4C-B2F2-3D0B4DE9C5F0",
        text: { disposition($0) + "\r\nContent-Type: application/json" },
        picture: { disposition($0) + "; filename=\"5E9C-\($1).jpeg\"\r\nContent-Type: image/jpeg" },
        end: "--2A6E0E64-5B3F-4C4C-B2F2-3D0B4DE9C5F0--\r\n"
    )
    /// `curl -F`.
    static let curl = Writer(
        name: "curl",
        boundary: "------------------------d74496d66958873e",
        text: disposition,
        picture: { disposition($0) + "; filename=\"lamp \($1).jpg\"\r\nContent-Type: image/jpeg" },
        end: "--------------------------d74496d66958873e--\r\n",
        headers: ["User-Agent: curl/8.14.1", "Accept: */*"]
    )

    private func members(_ reply: Socket.Reply) throws -> JSONValue { try JSONValue.parse(Array(reply.body.utf8)) }

    // MARK: - Version 1

    static let ofVersion1: [(Writer, ServedProfile, String)] = [
        (ryanSon, .v1b, "/item/"), (sole, .v1a, "/item"), (curl, .v1b, "/item"),
    ]

    @Test(arguments: ofVersion1)
    func `an app of version 1 lists, posts, edits and deletes`(
        _ writer: Writer,
        _ profile: ServedProfile,
        _ path: String
    ) async throws {
        try await fixture.listen(fixture.configuration(profile)) { socket in
            let texts = [
                ("currency", "KRW"), ("descriptions", "한지를 바른 조명등입니다.\n높이 36cm"), ("discounted_price", "74000"),
                ("password", "example-pass"), ("price", "89000"), ("stock", "9"), ("title", "한지 조명등"),
            ]
            .map { ($0.0, Array($0.1.utf8)) }
            let made = await socket.raw(
                writer.request(
                    "POST",
                    path,
                    type: writer.multipart,
                    writer.body(texts, pictures: ("images[]", 2))
                )
            )
            try #require((200..<300).contains(made.status ?? 0), "\(made.text)")
            let item = try members(made)
            let id = try #require(item["id"]?.integer.map { "\($0)" })
            #expect(item["title"]?.text == "한지 조명등")
            #expect(item["images"]?.elements?.count == 2)

            let list = try members(await socket.raw(writer.request("GET", "/items/1", type: "application/json")))
            #expect(list["items"]?.elements?.map { $0["title"]?.text } == ["한지 조명등"])

            let edited = await socket.raw(
                writer.request(
                    "PATCH",
                    "/item/\(id)",
                    type: writer.multipart,
                    writer.body(
                        [("password", Array("example-pass".utf8)), ("price", Array("95000".utf8))],
                        pictures: ("", 0)
                    )
                )
            )
            #expect(try members(edited)["price"]?.integer.map { "\($0)" } == "95000", "\(edited.text)")

            let password = Array(#"{"id":\#(id),"password":"example-pass"}"#.utf8)
            let deleted = await socket.raw(
                writer.request("DELETE", "/item/\(id)", type: "application/json", password)
            )
            #expect((200..<300).contains(deleted.status ?? 0), "\(deleted.text)")
            #expect(await socket.raw(writer.request("GET", "/item/\(id)", type: nil)).status == 404)
        }
    }

    // MARK: - Version 2

    static let ofVersion2: [(Writer, ServedProfile)] = [(kyo12, .v2b), (hoBahk, .v2a), (curl, .v2b)]

    @Test(arguments: ofVersion2)
    func `an app of version 2 lists, posts, edits and deletes`(
        _ writer: Writer,
        _ profile: ServedProfile
    ) async throws {
        let vendor = Fixture.vendors[0]
        try await fixture.listen(fixture.configuration(profile)) { socket in
            // kyo12 sends a member that the API does not have.
            let params = #"""
                {"name":"한지 조명등","productID":null,"description":"은은한 빛","descriptions":"은은한 빛","price":89000,\#
                "currency":"KRW","discounted_price":15000,"stock":9,"secret":"example-secret"}
                """#
            let made = await socket.raw(
                writer.request(
                    "POST",
                    "/api/products",
                    vendor: vendor,
                    type: writer.multipart,
                    writer.body([("params", Array(params.utf8))], pictures: ("images", 2))
                )
            )
            try #require((200..<300).contains(made.status ?? 0), "\(made.text)")
            let product = try members(made)
            let id = try #require(product["id"]?.integer.map { "\($0)" })
            #expect(product["name"]?.text == "한지 조명등")
            #expect(product["images"]?.elements?.count == 2)

            let address = "/api/products?page_no=1&items_per_page=20"
            let list = try members(await socket.raw(writer.request("GET", address, type: nil)))
            #expect(list["pages"]?.elements?.map { $0["name"]?.text } == ["한지 조명등"])

            // A body without a type is a form to URLSession, which says so.
            let patch = Array(#"{"name":"한지 조명","secret":"example-secret"}"#.utf8)
            let type = writer.name == "hoBahk" ? "application/x-www-form-urlencoded" : "application/json"
            let edited = await socket.raw(
                writer.request("PATCH", "/api/products/\(id)", vendor: vendor, type: type, patch)
            )
            #expect(try members(edited)["name"]?.text == "한지 조명", "\(edited.text)")

            let secret = Array(#"{"secret":"example-secret"}"#.utf8)
            let keyPath = "/api/products/\(id)/" + (profile == .v2a ? "secret" : "archived")
            let key = await socket.raw(
                writer.request("POST", keyPath, vendor: vendor, type: "application/json", secret)
            )
            try #require((200..<300).contains(key.status ?? 0), "\(key.text)")
            let gone = profile == .v2a ? "/api/products/\(id)/\(key.body)" : key.body
            let deleted = await socket.raw(writer.request("DELETE", gone, vendor: vendor, type: nil))
            #expect((200..<300).contains(deleted.status ?? 0), "\(deleted.text)")
            #expect(await socket.raw(writer.request("GET", "/api/products/\(id)", type: nil)).status == 404)
        }
    }
}
