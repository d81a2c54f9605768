@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketManifest

/// Faults as a seller reads them: what is written otherwise than a manifest takes it, and what to write instead.
struct SellerMessageTests {
    @Test(arguments: [
        ("12000원", "12000", "KRW"), ("12,000원", "12000", "KRW"), ("₩12,000", "12000", "KRW"),
        ("￦ 12,000", "12000", "KRW"), ("12000 KRW", "12000", "KRW"), ("１２，０００원", "12000", "KRW"),
        ("12 won", "12", "KRW"), ("12.50 USD", "12.50", "USD"), ("US$1,250.50", "1250.50", "USD"),
        ("$12.50", "12.50", "its currency"),
    ])
    func `a price with its currency gets the number to write, and the currency with it`(
        text: String,
        number: String,
        currency: String
    ) {
        expectFaults(
            "products:\n- key: a\n  id: 1\n  price: ①'\(text)'\n",
            """
            ① [products[0].price] '\(text)' is not a plain number
              help: write \(number), and \(currency) in 'currency'
            """
        )
    }

    @Test func `the lines of a git conflict are named as such`() {
        expectFaults(
            "products:\n- key: a\n①<<<<<<< HEAD\n  price: 1\n=======\n  price: 2\n>>>>>>> prices\n",
            """
            ① a git conflict is not resolved: '<<<<<<<'
              help: keep one of its sides, and take out the lines of git
            """
        )
    }

    @Test(arguments: ["352 USD", "USD 352", "$352", "352 dollars", "352€", "352円", "352 AED"])
    func `a price in another currency than the product's is not proposed as one in that`(text: String) {
        for order in ["price: ①'\(text)'\n  currency: KRW", "currency: KRW\n  price: ①'\(text)'"] {
            expectFaults(
                "products:\n- key: a\n  id: 1\n  \(order)\n",
                """
                ① [products[0].price] '\(text)' is not in KRW, the currency of this product
                  help: give the amount in KRW
                """
            )
        }
    }

    @Test func `units of a stock are left out, and others are no number`() {
        func help(_ field: String, _ text: String) -> [String?] {
            ManifestLoader().decode(Array("products: [{key: a, id: 1, \(field): '\(text)', currency: KRW}]\n".utf8))
                .diagnostics.map(\.help)
        }
        #expect(help("stock", "12개") == ["write 12"] && help("stock", "１２") == ["write 12"])
        #expect(help("stock", "12원") == [nil] && help("stock", "12%") == [nil] && help("price", "12개") == [nil])
        #expect(help("price", "12,000원") == ["write 12000"])
    }

    @Test(arguments: [("₩", "KRW"), ("원", "KRW"), ("won", "KRW"), ("krw", "KRW"), ("$", "USD"), ("US$", "USD")])
    func `a currency by its sign gets its code`(text: String, code: String) {
        expectFaults(
            "products:\n- key: a\n  id: 1\n  currency: ①\(text)\n",
            """
            ① [products[0].currency] 'currency' must be KRW or USD, and not '\(text)'
              help: did you mean '\(code)'?
            """
        )
    }

    // MARK: Comments

    static let help =
        "put the text in quotes if the '#' belongs to it; a comment follows two blanks and begins with '# '"

    @Test func `a comment inside a name or a description is warned of`() throws {
        let loaded = expectFaults(
            """
            # a comment above
            products:  # and one here
            - key: a  # the first
              id: 1
              name: Lamp ①#5 blue
              description: Warm light,
                two arms \t②#1 seller
            - key: b
              id: 2
              name: 한지등   ③#밤
              description: "Warm light #1"
            - {key: c, id: 3, name: Desk lamp ④# small
              , description: A text # not
              }
            - key: d
              id: 4
              name: Wall lamp  # to be renamed
              description: |
                Warm light #5
            - key: e #x
              id: 5
              name: 'Red lamp' #5
              description: Lamp#5 has no comment  #\t
              price: 5 #won
            """.replacing("A text # not", with: "A text for it  # not"),
            """
            ① warning: [products[0].name] a comment begins here, and the name ends before it: 'Lamp'
              help: \(Self.help)
            ② warning: [products[0].description] a comment begins here, and the description ends before it: 'Warm \
            light, two arms'
              help: \(Self.help)
            ③ warning: [products[1].name] a comment begins here, and the name ends before it: '한지등'
              help: \(Self.help)
            ④ warning: [products[2].name] a comment begins here, and the name ends before it: 'Desk lamp'
              help: \(Self.help)
            """
        )
        #expect(loaded.manifest?.listings.count == 5)
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `a comment is found however lines end`(lineEnd: String) {
        let text = "\u{FEFF}products:\n- key: a\n  id: 1\n  name: Lamp #5".replacing("\n", with: lineEnd)
        let diagnostics = ManifestLoader().decode(Array(text.utf8)).diagnostics
        #expect(diagnostics.map(\.location?.position) == [SourcePosition(line: 4, column: 14)])
    }

    @Test func `a catalog of such comments has twenty of them listed`() {
        let products = (1...30).map { "- {key: k\($0), id: \($0), name: Lamp number \($0) #x\n  }\n" }.joined()
        let loaded = ManifestLoader().decode(Array(("products:\n" + products).utf8))
        #expect(loaded.diagnostics.count == 21)
        #expect(
            loaded.diagnostics.last
                == Diagnostic(
                    .warning,
                    .commentInText,
                    "10 more comments begin inside a name or a description",
                    count: 10
                )
        )
    }

    /// Random lines: found is exactly what a search line by line finds.
    @Test func `comments are found as by hand`() {
        var generator = SeededGenerator(seed: 11)
        let pieces = ["a", "한", "é", " ", "  ", "\t", "#", "#5", "# ", "b"]
        for _ in 0..<400 {
            var text = "products:\n"
            var expected: [SourcePosition] = []
            for number in 1...3 {
                let tail = (0..<Int.random(in: 0...4, using: &generator))
                    .map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }.joined()
                let line = "  name: Lamp" + tail
                text += "- key: k\(number)\n  id: \(number)\n" + line + "\n"
                let scalars = Array(line.unicodeScalars)
                let place = scalars.indices.dropFirst().first {
                    scalars[$0] == "#" && (scalars[$0 - 1] == " " || scalars[$0 - 1] == "\t")
                }
                guard let place else { continue }
                let gap = scalars[..<place].reversed().prefix { $0 == " " || $0 == "\t" }
                let isWide = gap.count > 1 || gap.contains("\t")
                let next = place + 1 < scalars.count ? scalars[place + 1] : "\n"
                if isWide, next == " " || next == "\t" || next == "\n" { continue }
                expected.append(SourcePosition(line: UInt32(number * 3 + 1), column: UInt32(place + 1)))
            }
            let found = ManifestLoader().decode(Array(text.utf8)).diagnostics
                .filter { $0.code == .commentInText }.compactMap { $0.location?.position }
            #expect(found == expected, "\(text)")
        }
    }

    // MARK: Limits

    @Test func `a length names the limit that can be changed`() {
        func help(_ word: String, _ key: String) -> String {
            "for a market that takes \(word) ones set '\(key)' in 'market.limits'; a visible character counts as one"
        }
        expectFaults(
            """
            products:
            - {key: a, id: 1, name: ①등, description: ②short}
            - {key: b, id: 2, name: ③\(String(repeating: "등", count: 101)), description: ④\(String(repeating: "d", count: 1001))}
            """,
            """
            ① [products[0].name] the name has 1 character, and 3 to 100 are allowed
              help: \(help("shorter", "min_name"))
            ② [products[0].description] the description has 5 characters, and 10 to 1000 are allowed
              help: \(help("shorter", "min_description"))
            ③ [products[1].name] the name has 101 characters, and 3 to 100 are allowed
              help: \(help("longer", "max_name"))
            ④ [products[1].description] the description has 1001 characters, and 10 to 1000 are allowed
              help: \(help("longer", "max_description"))
            """
        )
    }

    @Test func `a name counts the same in either Unicode form`() {
        let name = String(repeating: "\u{1112}\u{1161}\u{11ab}", count: 100)
        expectFaults("products:\n- {key: a, id: 1, name: \(name)}\n- {key: b, id: 2, name: 한한한}\n")
    }

    @Test func `a market may take empty descriptions`() throws {
        let loaded = expectFaults(
            "market: {limits: {min_description: 0}}\nproducts:\n- {key: a, id: 1, description: ''}\n"
        )
        let listing = try #require(loaded.manifest?.listings.first)
        #expect(listing.values.description == "")
    }

    // MARK: Codes

    @Test func `a kind of fault has one code wherever it is made`() {
        let text = """
            market: {apii: v2b, vendor_id: x}
            products:
            - {key: a, price: 5, prize: 1}
            - {key: b, id: 1, name: ab, stock: x}
            """
        let codes = ManifestLoader().decode(Array(text.utf8)).diagnostics.map(\.code)
        #expect(
            codes == [
                .unknownKey, .number, .missingField, .missingField, .missingField, .missingField, .unknownKey,
                .textLength,
                .number,
            ]
        )
    }

    @Test func `codes are words with hyphens and say what they mean`() {
        for code in Diagnostic.Code.allCases {
            #expect(code.name.allSatisfy { $0.isLowercase || $0 == "-" }, "\(code)")
            #expect(code.summary.hasSuffix(".") && code.summary.count < 80, "\(code)")
        }
    }
}
