import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// Rule 8: a value that is shown or sent never holds a credential of the market, however it got there.
struct CredentialTests {
    /// A way in which a value comes to hold a credential.
    struct Way: Sendable, CustomTestStringConvertible {
        /// The credential's value; variables are named by what holds it.
        let secret: String
        /// What the key's value is in the manifest.
        let value: String
        /// What is written beside the value of `!env OPENMARKET_SECRET`, in `market:`.
        var market = "secret: !env SHOP_PASSWORD"
        var environment: [String: String] = [:]
        /// Whether it is text that is there, so that it says nothing as a number.
        var isWritten = false

        var testDescription: String { "\(value), \(market), \(secret.count) characters" }
    }

    private static let secrets = ["k9#vQ2!mTz-secret", "vm", "1234"]

    private static let ways: [Way] = secrets.flatMap { secret -> [Way] in
        let shop = ["SHOP_PASSWORD": secret, "COPY": secret, "PADDED": " \(secret) "]
        var ways = [
            Way(secret: secret, value: "!env SHOP_PASSWORD", environment: shop),
            Way(secret: secret, value: "!env COPY", environment: shop),
            Way(secret: secret, value: "!env PADDED", environment: shop),
            Way(secret: secret, value: "!file secret-\(secret.utf8.count).txt", environment: shop),
            Way(
                secret: secret,
                value: "!env OPENMARKET_SECRET",
                market: "api: v2b",
                environment: ["OPENMARKET_SECRET": secret]
            ),
            Way(
                secret: secret,
                value: "!env OPENMARKET_IDENTIFIER",
                market: "api: v2b",
                environment: ["OPENMARKET_IDENTIFIER": secret]
            ),
            Way(
                secret: secret,
                value: "!env NUMBER_PLATE",
                market: "identifier: !env NUMBER_PLATE",
                environment: ["NUMBER_PLATE": secret]
            ),
            // Only the name is known.
            Way(secret: secret, value: "!env SHOP_PASSWORD"),
            Way(secret: secret, value: "!env OPENMARKET_SECRET"),
            Way(secret: secret, value: "!env OPENMARKET_IDENTIFIER"),
            Way(secret: secret, value: "'\(secret)'", environment: shop, isWritten: true),
            Way(
                secret: secret,
                value:
                    "\"\(secret.unicodeScalars.map { "\\u" + String(repeating: "0", count: 4 - String($0.value, radix: 16).count) + String($0.value, radix: 16) }.joined())\"",
                environment: shop,
                isWritten: true
            ),
            Way(secret: secret, value: "'\(secret)'", market: "secret: '\(secret)'", isWritten: true),
            Way(
                secret: secret,
                value: "!file secret-\(secret.utf8.count).txt",
                market: "secret: !file secret-\(secret.utf8.count).txt"
            ),
        ]
        if secret.utf8.count >= SecretMask.leastContained {
            ways += [
                Way(secret: secret, value: "'Lamp \(secret), new'", environment: shop, isWritten: true),
                Way(secret: secret, value: "!file env.txt", environment: shop),
            ]
        }
        return ways
    }

    /// A manifest with a value at a key of a product or of `defaults`; its other keys are in order.
    private static func manifest(_ value: String, at key: String, _ way: Way) -> String {
        let market = "market:\n  \(way.market)\n"
        if key.hasPrefix("defaults.") { return market + "defaults:\n  \(key.dropFirst(9)): \(value)\nproducts: []\n" }
        let sound = [
            "key": "lamp", "name": "A desk lamp", "description": "It is for a desk.", "price": "10",
            "currency": "KRW",
            "stock": "1", "images": "[1.png]",
        ]
        var lines = sound
        switch key {
        case "images": lines[key] = "[1.png, \(value)]"
        case "previously", "ignore_changes": lines[key] = "[\(value)]"
        case "stock.initial": lines["stock"] = "{initial: \(value)}"
        default: lines[key] = value
        }
        if key == "discount" { lines["sale_price"] = nil }
        return market + "products:\n- "
            + lines.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\n" }.joined(separator: "  ")
    }

    /// Every key of a product and of `defaults` that holds a value, but for the one that holds credentials.
    private static let keys: [String] = ManifestSchema.mappings.flatMap { mapping -> [String] in
        switch mapping.path {
        case "products[]": mapping.entries.map(\.0).filter { $0 != "secret" }
        case "products[].stock": mapping.entries.map { "stock." + $0.0 }
        case "defaults": mapping.entries.map { "defaults." + $0.0 }
        default: []
        }
    }

    /// The keys under which a credential that is written out says something: the others take numbers and words.
    private static let texts: Set<String> = ["key", "name", "description", "images", "thumbnail", "previously"]

    @Test func `no key takes a credential, whichever way it comes, and no message shows it`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("1.png", SmallPicture.png(1))
        for secret in Self.secrets { try folder.write("secret-\(secret.utf8.count).txt", Array((secret + "\n").utf8)) }
        try folder.write("env.txt", Array("A=1\nPASSWORD=\(Self.secrets[0])\n".utf8))
        #expect(Self.keys.count > 15)
        for way in Self.ways {
            for key in Self.keys where !way.isWritten || Self.texts.contains(key) {
                let text = Self.manifest(way.value, at: key, way)
                for unset in [ManifestOptions.Unset.none, .secrets, .market] {
                    var options = ManifestOptions(environment: way.environment)
                    options.toleratesUnset = unset
                    let loaded = ManifestLoader(options: options).decode(Array(text.utf8), folder: folder.path)
                    let found = loaded.diagnostics.filter { $0.code == .credentialInText }
                    // A thumbnail that is not one of the images is refused for that.
                    let isOther = way.isWritten && key == "thumbnail"
                    #expect(found.count == (isOther ? 0 : 1), "\(text)\n\(loaded.diagnostics)")
                    #expect(loaded.hasErrors)
                    for said in loaded.diagnostics {
                        let words = [said.message, said.help ?? ""] + said.notes.map(\.message)
                        for word in words { Self.expect(word, hides: way.secret, text) }
                    }
                }
            }
        }
    }

    /// A short secret may be in any word, so only by itself it is one.
    private static func expect(_ word: String, hides secret: String, _ text: String) {
        let shown = secret.utf8.count < SecretMask.leastContained ? "'\(secret)'" : secret
        #expect(!word.contains(shown), "\(word)\n\(text)")
    }

    @Test func `no cell of a table takes one`() throws {
        let secret = Self.secrets[0]
        let options = ManifestOptions(environment: ["OPENMARKET_SECRET": secret])
        let sound = ["key": "lamp", "name": "A desk lamp", "description": "It is for a desk.", "images": "1.png"]
        for column in sound.keys.sorted() {
            for value in [secret, " \(secret)", "Lamp \(secret)"] {
                let row = sound.merging([column: value]) { $1 }.sorted { $0.key < $1.key }
                let table =
                    row.map(\.key).joined(separator: ",") + "\r\n" + row.map(\.value).joined(separator: ",") + "\r\n"
                let loaded = ManifestLoader(options: options).decode(table: Array(table.utf8))
                #expect(loaded.diagnostics.contains { $0.code == .credentialInText }, "\(table)")
                for said in loaded.diagnostics { Self.expect(said.message, hides: secret, table) }
            }
        }
    }

    @Test func `the password of an item is one, and a number that equals it is not`() {
        let text = """
            market: {api: v1b}
            products:
            - {key: a, secret: !env ITEM, name: A desk lamp, description: hunter2-hunter2, price: 1234, stock: 1234}
            - {key: b, secret: !env SHORT, name: Another lamp, description: It is 1234 cm long., price: 1234, stock: 1234}
            """
        let options = ManifestOptions(environment: ["ITEM": "hunter2-hunter2", "SHORT": "1234"])
        let found = ManifestLoader(options: options).decode(Array(text.utf8)).diagnostics
            .filter { $0.code == .credentialInText }
        #expect(found.map(\.path) == ["products[0].description"])
    }

    @Test func `many passwords are found as few are`() {
        let secrets = (0..<500).map { Secret("password-\($0 * 7919)") }
        let texts = SecretMask(secrets)
        for secret in secrets {
            #expect(texts.isHeld(by: secret.revealed))
            #expect(texts.isHeld(by: "it is \(secret.revealed)x"))
        }
        #expect(!texts.isHeld(by: "password"))
        #expect(!texts.isHeld(by: "a description of a lamp with a password"))
    }

    @Test func `what only reads takes an unset secret, and knows where it would be found`() throws {
        let text = "market: {identifier: !env ID, secret: !env SHOP_SECRET}\nproducts: []\n"
        func load(_ unset: ManifestOptions.Unset, _ environment: [String: String]) -> LoadedManifest {
            var options = ManifestOptions(environment: environment)
            options.toleratesUnset = unset
            return ManifestLoader(options: options).decode(Array(text.utf8))
        }
        let reading = load(.secrets, ["ID": "i", "OPENMARKET_SECRET": "another shop's"])
        #expect(!reading.hasErrors)
        #expect(reading.manifest?.market.secret == ResolvedSecret(unset: .environment("SHOP_SECRET")))
        #expect(load(.secrets, [:]).diagnostics.map(\.path) == ["market.identifier"])
        #expect(load(.none, ["ID": "i"]).diagnostics.map(\.path) == ["market.secret"])
        #expect(load(.market, [:]).diagnostics.isEmpty)
    }
}
