@testable import OpenMarket
@testable import OpenMarketDescription
import Testing

struct PictureModelTests {
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 0x4A, 0x46]
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    @Test func `the first bytes decide the format`() {
        #expect(PictureFormat(head: Self.jpeg) == .jpeg)
        #expect(PictureFormat(head: Self.png) == .png)
        #expect(PictureFormat(head: Array(Self.png.dropLast())) == nil)
        #expect(PictureFormat(head: Array(Self.jpeg.prefix(2))) == nil)
        #expect(PictureFormat(head: Array("GIF89a..".utf8)) == nil)
        #expect(PictureFormat(head: Array("<svg xml".utf8)) == nil)
        #expect(PictureFormat(head: []) == nil)
    }

    @Test(arguments: [
        ("lamp.jpg", PictureFormat.jpeg, "lamp.jpg"), ("images/lamp.jpeg", .jpeg, "lamp.jpeg"),
        ("images/LAMP.JPG", .jpeg, "LAMP.JPG"), ("lamp.png", .png, "lamp.png"), ("lamp.png", .jpeg, "lamp.jpg"),
        ("lamp.jpg", .png, "lamp.png"), ("lamp", .png, "lamp.png"), ("lamp.", .jpeg, "lamp.jpg"),
        ("lamp.tar.gz", .png, "lamp.tar.png"), (".jpg", .jpeg, "picture.jpg"), (".hidden", .png, "picture.png"),
        ("../그림/램프.jpg", .jpeg, "램프.jpg"), ("a.b/lamp", .jpeg, "lamp.jpg"),
    ])
    func `the name that is sent ends as the bytes are`(_ path: String, _ format: PictureFormat, _ name: String) {
        let picture = Picture(
            path: path,
            file: "/shop/" + path,
            digest: ContentDigest(bytes: Array(repeating: 1, count: 32)),
            byteCount: 10,
            format: format,
            width: 1,
            height: 1
        )
        #expect(picture.uploadName == name)
    }

    @Test func `a digest is 64 small hexadecimal digits`() {
        let digest = ContentDigest(bytes: (0..<32).map { UInt8($0 * 8) })
        #expect(digest.description == "0008101820283038404850586068707880889098a0a8b0b8c0c8d0d8e0e8f0f8")
        #expect(digest.abbreviated == "000810182028")
        #expect(ContentDigest(hexadecimal: digest.hexadecimal) == digest)
        #expect(ContentDigest(hexadecimal: digest.hexadecimal.uppercased()) == nil)
        #expect(ContentDigest(hexadecimal: String(digest.hexadecimal.dropLast())) == nil)
        #expect(ContentDigest(hexadecimal: digest.hexadecimal.dropLast() + "g") == nil)
    }
}

struct MarketProfileTests {
    @Test(arguments: [
        ("v1a", MarketProfile.v1a), ("v1b", .v1b), ("v2a", .v2a), ("v2b", .v2b), ("v1", .v1b), ("v2", .v2b),
        ("V2A", .v2a),
    ])
    func `a profile is found by its name`(_ name: String, _ profile: MarketProfile) {
        #expect(MarketProfile(name: name) == profile)
    }

    @Test(arguments: ["", "v", "v3", "2b", "v2b ", "v1c"])
    func `another name is not a profile`(_ name: String) {
        #expect(MarketProfile(name: name) == nil)
    }
}

struct SecretTests {
    private struct Holder {
        var secret: ResolvedSecret
    }

    @Test func `a secret shows nowhere`() {
        let secret = Secret("example-secret")
        let holder = Holder(secret: ResolvedSecret(reference: .environment("OPENMARKET_SECRET"), value: secret))
        var dumped = ""
        dump(holder, to: &dumped)
        let texts = [
            "\(secret)", String(describing: secret), String(reflecting: secret), "\(holder)",
            String(reflecting: holder), "\([secret])", "\(Optional(secret) as Any)", dumped,
            "\(Mirror(reflecting: secret).children.map { "\($0)" })",
        ]
        for text in texts { #expect(!text.contains("example")) }
        #expect("\(secret)" == "•••")
        #expect(secret.revealed == "example-secret")
    }
}
