import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketFiles
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Synchronization
import Testing
@testable import OpenMarketWorkflow

/// Another shop's table and its pictures.
struct TablePicturesTests {
    /// A table in a folder of its own, and what was asked for.
    private final class Shop: Sendable {
        let directory: TemporaryDirectory
        private let asked = Mutex<[String]>([])

        init(_ addresses: [String] = []) throws {
            directory = try TemporaryDirectory()
            try table(addresses)
        }

        var requests: [String] { asked.withLock { $0 } }

        func table(_ addresses: [String]) throws {
            try directory.write(
                "shop.csv",
                "Handle,Title,Body (HTML),Variant Price,Image Src\n"
                    + addresses.enumerated().map { "thing-\($0),Thing \($0),Long enough.,5,\($1)\n" }.joined()
            )
        }

        func convert(
            hosts: [String] = [],
            placeholder: String? = nil,
            fetch: @escaping @Sendable (String) throws -> [UInt8] = { _ in throw MarketError(.refused, "none") }
        ) async throws -> Result {
            var pictures = try TablePictures(
                folder: directory.path + "/p",
                hosts: hosts,
                manifestFolder: directory.path
            )
            var options = TableConverter.Options()
            options.currency = .usd
            options.placeholder = placeholder
            let converted = try await pictures.convert(
                directory.path + "/shop.csv",
                mapping: .shopify,
                options: options,
                to: directory.path + "/shop.yaml",
                width: 1
            ) { address in
                self.asked.withLock { $0.append(address) }
                return FetchedPicture(try fetch(address))
            }
            return Result(
                products: converted.products,
                report: converted.report,
                fetchedCount: pictures.fetchedCount,
                isRetryUseful: pictures.isRetryUseful
            )
        }
    }

    private struct Result {
        var products: [ManifestProduct]
        var report: ConversionReport
        var fetchedCount: Int
        var isRetryUseful: Bool
    }

    private static func images(_ result: Result) -> [[String]] {
        result.products.map { $0.added.images ?? [] }
    }

    @Test func `hosts are hosts, and need a folder`() {
        expectEnd(.usage, "--fetch-from: 'a b'") { try TablePictures(folder: "p", hosts: ["a b"], manifestFolder: ".") }
        expectEnd(.usage, "--fetch-from needs --images") {
            try TablePictures(folder: nil, hosts: ["cdn.example"], manifestFolder: ".")
        }
    }

    @Test func `files are found by the names that addresses end with`() async throws {
        let shop = try Shop([
            "https://x/1.png?v=2", "https://x/a%20b.png", "https://x/q.png?w=3", "https://x/none.png", "1.png",
        ])
        for name in ["1.png", "a b.png", "q.png?w=3"] {
            try shop.directory.write("p/" + name, SmallPicture.png(1))
        }
        let result = try await shop.convert(placeholder: "p/1.png")
        #expect(
            Self.images(result) == [["p/1.png"], ["p/a b.png"], ["p/q.png?w=3"], ["p/1.png"], ["p/1.png"]]
        )
        #expect(result.report.missingPictures == ["https://x/none.png"])
        #expect(!result.isRetryUseful)
        #expect(shop.requests == [])
    }

    @Test func `paths are from the manifest's folder on`() throws {
        let pictures = try TablePictures(folder: nil, manifestFolder: "/shop/manifests")
        #expect(pictures.path("/shop/manifests/p/1.png") == "p/1.png")
        #expect(pictures.path("/other/1.png") == "/other/1.png")
    }

    /// Also where the manifest's folder is a link, and where the folder of the pictures is still to be made.
    @Test func `paths go up and down as folders lie`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("pics/1.png", [1])
        try directory.write("a/b/x.yaml", [])
        let root = directory.path
        try FileManager.default.createSymbolicLink(atPath: root + "/link", withDestinationPath: "a/b")
        for (folder, picture, path) in [
            ("a", "pics/1.png", "../pics/1.png"), ("a/b", "pics/../pics/1.png", "../../pics/1.png"),
            ("a/..", "a/../pics/1.png", "pics/1.png"), ("link", "pics/1.png", "../../pics/1.png"),
            ("link", "link/1.png", "1.png"), (".", "new/../got/1.png", "got/1.png"), ("a/b", "a/1.png", "../1.png"),
        ] {
            // A relative path is one of the current folder, which all tests share.
            let up = String(repeating: "../", count: FileManager.default.currentDirectoryPath.count { $0 == "/" })
            let relative = up + root.dropFirst() + "/" + picture
            let pictures = try TablePictures(folder: nil, manifestFolder: root + "/" + folder)
            #expect(pictures.path(relative) == path, "\(folder) \(picture)")
        }
    }

    @Test func `pictures are fetched once, and the names of two with one name do not depend on chance`() async throws {
        let shop = try Shop(["https://x/a/1.png", "https://x/b/1.png", "https://x/a/1.png"])
        let fetch: @Sendable (String) -> [UInt8] = { SmallPicture.png($0.contains("/a/") ? 1 : 2) }
        let result = try await shop.convert(hosts: ["x"], fetch: fetch)
        let second = FetchedPicture(SmallPicture.png(2)).digest.hexadecimal.prefix(8)
        #expect(Self.images(result) == [["p/1.png"], ["p/1-\(second).png"], ["p/1.png"]])
        #expect(result.fetchedCount == 2)
        #expect(shop.requests == ["https://x/a/1.png", "https://x/b/1.png"])
        let again = try await shop.convert(hosts: ["x"])
        #expect(Self.images(again) == Self.images(result))
        #expect(again.fetchedCount == 0)
        #expect(shop.requests.count == 2)
        // What was fetched is each address's own also where nothing is fetched.
        #expect(try await Self.images(shop.convert()) == Self.images(result))
        try shop.table(["https://x/b/1.png", "https://x/c/1.png"])
        #expect(try await Self.images(shop.convert()) == [["p/1-\(second).png"], []])
    }

    @Test func `a file whose name several addresses end with is given to none of them`() async throws {
        let shop = try Shop([
            "https://x/red/1.png", "http://x/red/1.png", "https://x/blue/1.png", "https://X:8000/a%20b/1.png?v=2",
            "1.png",
        ])
        try shop.directory.write("p/1.png", SmallPicture.png(1))
        let result = try await shop.convert(placeholder: "none.png")
        #expect(Self.images(result) == Array(repeating: ["none.png"], count: 4) + [["p/1.png"]])
        #expect(result.report.missingPictures.count == 4)
        #expect(result.report.lines.contains { $0.contains("names that several addresses end with") })
        // As `wget -x` leaves them; the one that is missing takes no other's all the same.
        try shop.directory.write("p/x/blue/1.png", SmallPicture.png(2))
        try shop.directory.write("p/x:8000/a b/1.png?v=2", SmallPicture.png(3))
        let later = try await shop.convert(placeholder: "none.png")
        #expect(
            Self.images(later) == [
                ["none.png"], ["none.png"], ["p/x/blue/1.png"], ["p/x:8000/a b/1.png?v=2"], ["p/1.png"],
            ]
        )
        let fetched = try await shop.convert(hosts: ["x"]) { _ in SmallPicture.png(4) }
        #expect(shop.requests == ["https://x/red/1.png", "http://x/red/1.png"])
        #expect(Self.images(fetched).suffix(3) == Self.images(later).suffix(3))
        #expect(Self.images(fetched).prefix(2).allSatisfy { $0 != ["p/1.png"] && $0.count == 1 })
    }

    @Test func `each reason is said`() async throws {
        let addresses = [
            "https://x/gone.png", "https://x/moved.png", "https://y/1.png", "https://x/text.png",
            "https://silent/1.png",
        ]
        let shop = try Shop(addresses)
        try shop.directory.write("p.png", SmallPicture.png(1))
        let result = try await shop.convert(hosts: ["x", "silent"], placeholder: "p.png") { address in
            if address.contains("gone") { throw MarketError(.refused, "404", status: 404) }
            if address.contains("moved") { throw MarketError(.refused, "301", status: 301) }
            if address.contains("//y/") { throw MarketError(.foreignHost, "not asked") }
            if address.contains("text") { return Array("text".utf8) }
            throw MarketError(.unreachable, "silent cannot be reached")
        }
        #expect(shop.requests == addresses)
        #expect(result.isRetryUseful)
        #expect(result.fetchedCount == 0)
        let lines = result.report.lines
        for words in [
            "no longer at their addresses", "moved: redirects are not followed",
            "on hosts that pictures are not fetched from",
            "silent cannot be reached",
        ] {
            #expect(lines.contains { $0.contains(words) }, "\(words)")
        }
        #expect(Self.images(result).allSatisfy { $0 == ["p.png"] })
    }

    @Test func `no output takes a picture's place, and nothing is fetched then`() async throws {
        let shop = try Shop(["https://x/1.png", "https://x/2.png"])
        try shop.directory.write("p/1.png", SmallPicture.png(1))
        let register = FileRegister()
        try register.declare(shop.directory.path + "/p/1.png", named: "--out", as: .checkedByReader)
        await FileRegister.$current.withValue(register) {
            await #expect(throws: FileConflict.self) {
                try await shop.convert(hosts: ["x"]) { _ in SmallPicture.png(2) }
            }
        }
        #expect(shop.requests == [])
    }
}
