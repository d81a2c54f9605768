@testable import OpenMarket
@testable import OpenMarketFiles
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// Rule 8: a code frame never shows the value of a key that is or is close to `secret` or `identifier`.
struct SecretFrameTests {
    /// Manifests with something wrong near a secret; KEY and VALUE stand for its name and value.
    private static let layouts = [
        "market:\n  KEY: VALUE\n  nope: 1\n",
        "KEY: VALUE\n",
        "market: {KEY: VALUE, nope: 1}\n",
        "market: {nope: 1, KEY: [VALUE]}\n",
        "market: {nope: 1, KEY:\nVALUE}\n",
        "market: {\n  nope: 1, KEY: [\nVALUE\n]}\nx: {",
        "market:\n  KEY:\n  - VALUE\n",
        "market:\n  KEY:\n    - VALUE\n    - {VALUE: VALUE}\n",
        "market:\n  KEY:\n      VALUE\n",
        "market:\n  KEY: |\n    VALUE\n    VALUE\n  nope: 1\n",
        "market:\n  KEY: >-\n    first VALUE\n    VALUE\n   url: {\n",
        "market:\n  KEY: 'VALUE\n",
        "market:\n  KEY: \"VALUE\nVALUE\nnope: 1\n",
        "market:\n  KEY: \"first\n  VALUE \\q VALUE\"\n",
        "market:\n  KEY: VALUE: VALUE\n",
        "market:\n  KEY:VALUE\n",
        "market:\n  KEY VALUE\n  url: http://h\n",
        "market:\n  KEY = VALUE\n  url: http://h\n",
        "market:\n\tKEY: VALUE\n",
        "market:\n  nope: 1 # KEY: VALUE\n",
        "market:\n  # KEY: VALUE\n  nope: {\n",
        "market:\n  \"KEY\": 'VALUE'\n  nope: 1\n",
        "market:\n  KEY: VALUE\n  KEY: VALUE\n",
        "market:\n  KEY: !VALUE x\n",
        "market:\n  KEY: *VALUE\n",
        "market:\n  KEY: &VALUE {a: *VALUE}\n",
        "market:\n  KEY: %VALUE\n",
        "market:\n  KEY: @VALUE\n",
        "market:\n  KEY: `VALUE\n",
        "market:\n  KEY: {VALUE: 1, b: VALUE}\n",
        "market:\n  ? KEY\n  : VALUE\n  ? [a]\n  : b\n",
        "market:\n  auth: {KEY: VALUE}\n",
        "market:\n  auth:\n    KEY: VALUE\n   nope: 1\n",
        "market:\n  <<: {KEY: VALUE, nope: 1}\n",
        "x-s: &s VALUE\nmarket:\n  KEY: *s\n  nope: *s\n",
        "market: KEY=VALUE\n",
        "market: 1\nproducts:\n- {key: a, KEY: VALUE, prise: 1}\n",
        "products:\n- key: a\n  KEY: VALUE\n  prise: 1\n- KEY: [VALUE]\n",
        "defaults:\n  KEY: VALUE\npolicies: {KEY: VALUE}\n",
        #"{"market":{"KEY":"VALUE","nope":5}}"#,
        #"{"market":{"nope":5,"KEY":"VALUE}}"#,
    ]

    /// A name as it is typed in a hurry.
    private static func misspelt(_ random: inout SeededGenerator) -> String {
        var name = Array(["secret", "identifier"].randomElement(using: &random) ?? "secret")
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let place = Int.random(in: 1..<name.count - 1, using: &random)
            let letter = letters.randomElement(using: &random) ?? "x"
            switch Int.random(in: 0..<4, using: &random) {
            case 0: name.insert(letter, at: place)
            case 1: name.remove(at: place)
            case 2: name[place] = letter
            default: name.swapAt(place, place - 1)
            }
        }
        let text = String(name)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return text.uppercased()
        case 1: return text.prefix(1).uppercased() + text.dropFirst()
        case 2: return "vendor_" + text
        case 3: return "my-" + text
        default: return text
        }
    }

    @Test func `no frame and no message shows a secret`() {
        for seed in UInt64(1)...40 {
            var random = SeededGenerator(seed: seed)
            for layout in Self.layouts {
                let key = Self.misspelt(&random)
                let value = "hunter" + String(Int.random(in: 1000...999_999, using: &random)) + "Q"
                var text = layout.replacing("KEY", with: key).replacing("VALUE", with: value)
                if Bool.random(using: &random) { text = text.replacing("\n", with: "\r\n") }
                let loaded = ManifestLoader().decode(Array(text.utf8))
                #expect(!loaded.diagnostics.isEmpty, "\(text)")
                let shown = String(describing: loaded.diagnostics)
                #expect(
                    !shown.contains("unter") || !shown.contains(value.dropFirst(6)),
                    "seed \(seed):\n\(text)\n\(shown)"
                )
            }
        }
    }

    /// The password is hidden in what is a URL, and in what would be one but for a mistake.
    @Test(arguments: [
        "http://user:PASSWORD@h", "https://PASSWORD@h", "postgresql://u:PASSWORD@h/db?schema=a", "user:PASSWORD@h",
        "http://u:TOP@PASSWORD:q@h/ x", "http://u:one/PASSWORD@h?token=t", "http://u:PASSWORD and more@h",
        "http://h:80/x,http://u:8o/PASSWORD@h", "http://a:x,http://u:PASSWORD@h", "http:/u:PASSWORD@h",
        "http://\(String(repeating: "u", count: 50)):PASSWORD@h",
    ])
    func `no key shows the password of a URL`(spelling: String) {
        let (password, url) = ("hunter2Q", spelling.replacing("PASSWORD", with: "hunter2Q"))
        for mapping in ManifestSchema.mappings {
            let parts = mapping.path.split(separator: ".").map { $0.replacing("[]", with: "") }
            let closing = mapping.path.split(separator: ".").reversed().map { $0.hasSuffix("[]") ? "}]" : "}" }.joined()
            let opening = mapping.path.split(separator: ".").map { $0.hasSuffix("[]") ? "[{" : "{" }
            let start = zip(parts, opening).map { "\($0): \($1)" }.joined()
            for key in mapping.entries.map(\.key) + ["urll", "nope"] {
                for value in [url, "'\(url)'", "[\(url)]", "{a: \(url)}", "[{\(url): 1}]", "'\(url)"] {
                    let text = "\(start)\(key): \(value), nope: {\(closing)\n"
                    let shown = String(describing: ManifestLoader().decode(Array(text.utf8)).diagnostics)
                    #expect(!shown.contains(password), "\(text)\n\(shown)")
                }
            }
        }
    }

    @Test func `what does not hold a password is shown`() {
        for value in [
            "https://h/lamp@2x.jpg", "https://h:8443/lamp@2x.jpg", "joe@example.org", "see http://h and @joe",
            "postgresql://shop@db.example/shop",
        ] {
            let loaded = ManifestLoader().decode(Array("nope: {key: \(value)}\n".utf8))
            #expect(loaded.diagnostics.map(\.excerpt?.text) == ["nope: {key: \(value)}"])
        }
        let loaded = ManifestLoader().decode(Array("market: {urll: 'http://u:p@h', url: 1}\n".utf8))
        let shown = "market: {urll: 'http://•••@h', url: 1}"
        let excerpts = [
            SourceExcerpt(text: shown, caret: 9, length: 4), SourceExcerpt(text: shown, caret: 36, length: 1),
        ]
        #expect(loaded.diagnostics.map(\.excerpt) == excerpts)
    }

    @Test func `a very long line hides its secret wherever the frame begins`() {
        let filler = "a: '" + String(repeating: "x", count: 12_000) + "', "
        let text = "market: {KEY: 'hunter2', \(filler)nope: 1}\n".replacing("KEY", with: "secert")
        let loaded = ManifestLoader().decode(Array(text.utf8))
        #expect(loaded.diagnostics.count > 1)
        #expect(!String(describing: loaded.diagnostics).contains("hunter2"))
    }

    /// None of the manifest's own keys is taken for a secret's.
    @Test func `values of every other key are shown`() {
        let keys = [
            "url", "api", "vendor_id", "limits", "picture_hosts", "min_name", "max_image_bytes", "market", "defaults",
            "policies",
            "products", "max_delete", "max_price_change", "allow_stock_to_zero", "allow_zero_price", "key", "name",
            "description", "price",
            "currency",
            "sale_price", "discount", "stock", "images", "thumbnail", "id", "previously", "state", "protected",
            "ignore_changes",
        ]
        for key in keys {
            let nested = ManifestLoader().decode(Array("nope: {\(key): value}\n".utf8))
            #expect(nested.diagnostics.map(\.excerpt?.text) == ["nope: {\(key): value}"])
        }
    }

    @Test func `other lines are shown as they are`() {
        let text = "market:\n  secret: !env B\n  url: ftp://h # the sector\nproducts:\n- {key: a, prise: 2}\n"
        let loaded = ManifestLoader(options: ManifestOptions(environment: ["A": "s"])).decode(Array(text.utf8))
        #expect(
            loaded.diagnostics.prefix(3).map(\.excerpt?.text)
                == ["  secret: !env B", "  url: ftp://h # the sector", "- {key: a, prise: 2}"]
        )
    }

    @Test(arguments: [
        ("s", "s"), ("s\n", "s"), ("s\r\n", "s"), ("s\n\n", "s\n"), ("s\r\n\r\n", "s\r\n"), ("s\n\r\n", "s\n"),
        ("s\r", "s\r"),
        ("\u{FEFF}s\r\n", "s"), ("", ""), ("\n", ""), ("é\r\n", "é"), ("s\u{2028}", "s\u{2028}"),
    ])
    func `one line end is taken off a secret's file, LF or CRLF`(content: String, expected: String) {
        #expect(Array(Secret(content: content).revealed.utf8) == Array(expected.utf8))
    }

    @Test func `a secret's file may end with CRLF`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("s.txt", "hush\r\n")
        try FileRegister.$current.withValue(FileRegister()) {
            let loaded = expectFaults("market: {secret: !file s.txt}\n", folder: folder.path)
            #expect(loaded.manifest?.market.secret?.value.revealed == "hush")
            #expect(FileRegister.current.isInput(folder.path + "/s.txt"))
            try FileRegister.current.declare(folder.path + "/other.txt", named: "--out", as: .checkedByReader)
        }
    }

    @Test func `who checks a manifest needs no secrets`() {
        let text = """
            market:
              url: !env URL
              identifier: !env ID
              secret: !env SECRET
            products:
            - {key: a, id: 1, secret: !env OWN, name: ①!env NAME}
            """
        var options = ManifestOptions()
        options.toleratesUnset = .market
        expectFaults(text, "① [products[0].name] the environment variable NAME is not set", options: options)
        #expect(ManifestLoader().decode(Array(MarkedText(text).text.utf8)).diagnostics.count == 5)
    }

    @Test func `of repeated names the first twenty are reported, and how many more there are`() {
        let products = (0..<120).map { "- {key: k\($0), id: \($0 + 1), name: Lamp}\n" }.joined()
        let loaded = ManifestLoader().decode(Array(("products:\n" + products).utf8))
        #expect(loaded.diagnostics.count == 21)
        #expect(
            loaded.diagnostics.last
                == Diagnostic(.warning, .repeatedName, "99 more names are used by another product", count: 99)
        )
        #expect(loaded.diagnostics.map(\.count).reduce(0, +) == 119)
        #expect(!loaded.hasErrors)
    }

    @Test func `pictures are named without being read`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("no-picture.jpg", "words")
        var options = ManifestOptions()
        options.readsPictures = false
        let text = "products:\n- {key: a, id: 1, images: [no-picture.jpg, gone.jpg]}\n"
        FileRegister.$current.withValue(FileRegister()) {
            expectFaults(text, options: options, folder: folder.path)
            let names = ["no-picture.jpg", "gone.jpg", "other.jpg"]
            #expect(names.map { FileRegister.current.isInput(folder.path + "/" + $0) } == [true, true, false])
        }
    }

    @Test func `hosts of pictures`() {
        let loaded = expectFaults("market: {picture_hosts: [CDN.example.org, '127.0.0.1:9000']}\n")
        #expect(loaded.manifest?.market.pictureHosts == ["cdn.example.org", "127.0.0.1:9000"])
        let help = "write hosts like cdn.example.org or 127.0.0.1:9000"
        expectFaults(
            "market:\n  picture_hosts: [①a/b, ②'', ③u@h, ④'h:99999', ⑤'https://CDN.example.org:81/x']\n",
            """
            ① [market.picture_hosts] 'picture_hosts': 'a/b' must be a host without a path
              help: \(help)
            ② [market.picture_hosts] 'picture_hosts': '' names no host
              help: \(help)
            ③ [market.picture_hosts] 'picture_hosts': 'u@h' must not hold a user or a password
              help: \(help)
            ④ [market.picture_hosts] 'picture_hosts': 'h:99999' has the invalid port '99999'
              help: \(help)
            ⑤ [market.picture_hosts] 'picture_hosts': 'https://CDN.example.org:81/x' is an address, and not a host
              help: write the host alone: cdn.example.org:81
            """
        )
    }
}
