@testable import OpenMarketTestSupport
import Testing

/// Out into a spreadsheet, and in again.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TableCommandTests {
    @Test(arguments: ["v1b", "v2b"])
    func `an export is a manifest that needs no change, and one edited cell is one request`(api: String) async throws {
        try await CommandSandbox.applied(api) { shop in
            for arguments in [["-o", "products.csv"], ["--details", "-o", "products.tsv", "--format", "tsv"]] {
                let export = try await shop.program(["export"] + arguments).run()
                #expect(export.status == 0)
            }
            for file in ["products.csv", "products.tsv"] {
                let plan = try await shop.openmarket("plan", "-f", file, "--detailed-exitcode")
                #expect(plan.text == "No changes. (3 not selected)\n")
                #expect(plan.status == 0)
            }
            // As another program writes it: with another delimiter, other ends of lines and a mark.
            var rows = try StrictCSV(try shop.read("products.csv")).records
            let stock = try #require(rows[0].firstIndex(of: "stock"))
            rows[1][stock] = "77"
            let lines = rows.map { row in
                row.map {
                    "\"" + $0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
                }
                .joined(separator: ";")
            }
            try shop.write("edited.csv", "\u{FEFF}" + lines.joined(separator: "\n"))
            try shop.server.setFaults()

            let applied = try await shop.openmarket("apply", "edited.csv", "--yes")
            #expect(applied.text.contains("openmarket.yaml as edited by edited.csv\n"), "\(applied.text)")
            #expect(applied.text.contains("\nEdits: 1 in openmarket.yaml.\n"), "\(applied.text)")
            let path = (api.hasPrefix("v1") ? "/item/" : "/api/products/") + rows[1][0]
            #expect(try shop.server.writes().map(\.description) == ["PATCH \(path) 200"])
            #expect(try await shop.openmarket("plan", "edited.csv").text == "No changes. (3 not selected)\n")
            #expect(try await shop.openmarket("plan").text == "No changes.\n")
        }
    }

    @Test func `nothing goes because a table has no row of it, until the table is said to be complete`() async throws {
        try await CommandSandbox.applied { shop in
            try shop.write("some.csv", "key,price\nlamp,35000\n")
            #expect(try await shop.openmarket("plan", "some.csv").text == "No changes. (3 not selected)\n")
            let complete = try await shop.openmarket("plan", "some.csv", "--complete")
            #expect(complete.text.contains("2 to delete"))

            try shop.write("some.csv", "_action,key,price\nMERGE,lamp,36000\nDELETE,mug,\nIGNORE,fan,1\n")
            let applied = try await shop.openmarket("apply", "some.csv", "--yes")
            #expect(applied.text.hasSuffix("Apply complete: 0 added, 1 changed, 0 replaced, 1 deleted.\n"))
            // The manifest has it all: its next apply takes nothing back.
            var manifest = ShopManifest.three.without("mug")
            manifest["lamp"].price = "36000"
            #expect(try shop.text("openmarket.yaml") == manifest.yaml)
            #expect(try await shop.openmarket("plan").text == "No changes.\n")
        }
    }

    @Test func `a table brings a product with its pictures, and says what is wrong with it where it is`() async throws {
        try await CommandSandbox.open { shop in
            try shop.write("new.csv", "_action,key,name,description,price,currency,images\n")
            let header = try shop.text("new.csv")
            let row = "NEW,sofa,Sofa,\"Soft, and long enough.\",9.50,USD,images/1.png images/2.png\n"
            try shop.write("new.csv", header + row)
            #expect(
                try await shop.openmarket("apply", "new.csv", "--yes").text.hasSuffix(
                    "Apply complete: 1 added, 0 changed, 0 replaced, 0 deleted.\n"
                )
            )
            #expect(try await shop.openmarket("plan", "new.csv").text == "No changes. (4 not selected)\n")

            try shop.write("new.csv", header + row.split(separator: "9.50").joined(separator: "1.2E+05"))
            let refused = try await shop.openmarket("plan", "new.csv")
            #expect(refused.status == 4)
            #expect(
                refused.errorText == """
                    new.csv:2:price: error: '1.2E+05' is a number that a spreadsheet shortened: its digits may be lost
                      in E2
                      help: write it out, in a column that is formatted as text, or as a number without exponent
                    error: the manifest is not valid: 1 error; no file was written

                    """
            )
        }
    }

    @Test
    func `pictures are fetched from the hosts that are named, once, and what could not be downloaded is reported`()
        async throws
    {
        try await CommandSandbox.applied { shop in
            let export = try await shop.openmarket("export", "--details", "--columns", "images")
            let addresses = try StrictCSV(export.stdout).records.dropFirst().flatMap { $0[0].split(separator: " ") }
            let silent = try RefusingPort()
            let others = ["\(shop.server.url)/nothing.png", "\(shop.server.url)/health", "http://other.example/a.png"]
            try shop.write(
                "shopify.csv",
                "Handle,Title,Body (HTML),Variant Price,Image Src\n"
                    + (addresses.map(String.init) + others + ["\(silent.url)/b.png"]).enumerated().map {
                        number,
                        address in
                        "thing-\(number),Thing \(number),Long enough.,5,\(address)\n"
                    }.joined()
            )
            let host = shop.server.url.dropFirst("http://".count)
            let line =
                "openmarket convert shopify.csv --currency USD --images fetched --placeholder images/1.png"
                + " --fetch-from \(host) --fetch-from \(silent.url.dropFirst("http://".count)) -o shopify.yaml"
            try shop.server.setFaults("rules:\n  - path: /health\n    fault: {status: 302}\n")
            let converted = try await shop.sh(line)
            #expect(converted.status == 3)
            #expect(
                converted.errorText == """
                    changed 4 products: the placeholder instead of a picture ('thing-4', 'thing-5', 'thing-6', …)
                    left out 1 picture: moved: redirects are not followed (\(others[1]))
                    left out 1 picture: no longer at their addresses (\(others[0]))
                    left out 1 picture: on hosts that pictures are not fetched from (\(others[2]))
                    left out 1 picture: the host at \(silent.url) cannot be reached: connection refused (\(silent.url)/b.png)
                    Converted shopify.csv: 8 products, 4 pictures fetched
                    error: not all pictures could be fetched, and the manifest was written without them
                      help: the same command with --replace fetches the missing pictures

                    """
            )
            let manifest = try shop.text("shopify.yaml")
            #expect(try await shop.openmarket("validate", "shopify.yaml").status == 0)

            // What is there is not asked for again.
            try shop.server.setFaults("rules:\n  - path: /training-resources/*\n    fault: {status: 410}\n")
            let again = try await shop.sh(line + " --replace")
            #expect(again.errorText.contains("Converted shopify.csv: 8 products\n"))
            #expect(try shop.text("shopify.yaml") == manifest)
            #expect(try shop.server.fired() == [0])
        }
    }

    @Test func `another shop's table becomes a manifest that is valid, and what it lacks is reported`() async throws {
        try await CommandSandbox.open { shop in
            try shop.write(
                "shopify.csv",
                "Handle,Title,Body (HTML),Variant Price,Image Src\n"
                    + "mug,Mug,<p>Holds 300 ml.</p>,9.5,https://x.example/1.png?v=2\nrug,Rug,Warm for feet.,20,https://x.example/r.png\n"
            )
            let converted = try await shop.sh(
                "openmarket convert shopify.csv --currency USD --images images --placeholder "
                    + "images/2.png --picture-list missing.txt -o shopify.yaml"
            )
            #expect(converted.status == 0)
            #expect(
                converted.errorText == """
                    changed 1 product: the placeholder instead of a picture ('rug')
                    left out 1 picture: not found as files (https://x.example/r.png)
                    Converted shopify.csv: 2 products

                    """
            )
            #expect(try shop.text("missing.txt") == "https://x.example/r.png\n")
            let manifest = try shop.text("shopify.yaml")
            #expect(manifest.contains("images: [images/1.png]"))
            #expect(try await shop.openmarket("validate", "shopify.yaml").status == 0)
        }
    }

    @Test func `a converted manifest names its market, or says where to`() async throws {
        try await CommandSandbox.open { shop in
            try shop.write("shopify.csv", Self.mug)
            let line = "openmarket convert shopify.csv --currency USD --images images -o shopify.yaml --replace"
            #expect(try await shop.sh(line + " --market-url \(shop.server.url) --api v2b").status == 0)
            #expect(
                try shop.text("shopify.yaml").hasPrefix("market:\n  url: \(shop.server.url)\n  api: v2b\n\ndefaults:\n")
            )
            #expect(
                try await shop.sh("openmarket plan shopify.yaml --refresh none").errorText.contains("error") == false
            )
            #expect(try await shop.sh(line).status == 0)
            let head = try shop.text("shopify.yaml").split(separator: "\n").prefix(2).joined(separator: "\n")
            #expect(
                head == """
                    # Name the market here, or give --url and --api to every command:
                    # market: {url: "https://market.example.org", api: v2b}
                    """
            )
            // What the remark says is what makes a manifest of it.
            let named = head.split(separator: "\n").last?.dropFirst(2) ?? ""
            try shop.write("named.yaml", named + "\n" + (try shop.text("shopify.yaml")))
            #expect(try await shop.openmarket("validate", "named.yaml").status == 0)
            // The older versions take whole prices only.
            try shop.write(
                "cents.csv",
                "Handle,Title,Body (HTML),Variant Price,Variant Inventory Qty\nmug,Mug,Holds 300 ml of tea.,9.5,3\n"
            )
            let whole = try await shop.sh("openmarket convert cents.csv --currency USD --api v1b -o v1.yaml")
            #expect(whole.status == 4)
            #expect(whole.errorText.contains("a price with more digits after the point than the market has"))
        }
    }

    @Test func `a currency that is named is part of the limits, and of the market`() async throws {
        try await CommandSandbox.open { shop in
            try shop.write("shopify.csv", Self.mug)
            let line = "openmarket convert shopify.csv --currency EUR --images images --replace -o shopify.yaml"
            #expect(try await shop.sh(line + " --market-url \(shop.server.url) --api v2b").status == 0)
            #expect(
                try shop.text("shopify.yaml").hasPrefix(
                    "market:\n  url: \(shop.server.url)\n  api: v2b\n  limits:\n    currencies: [EUR]\n\ndefaults:\n  currency: EUR\n"
                )
            )
            #expect(try await shop.openmarket("apply", "shopify.yaml", "--yes").status == 0)
            #expect(try await shop.openmarket("plan", "shopify.yaml").text == "No changes.\n")
            #expect(
                try await shop.openmarket("export", "--columns", "name,currency").text == "name,currency\r\nMug,EUR\r\n"
            )
            // A pull says of its own accord what the market takes.
            #expect(
                try await shop.sh("openmarket pull -f shopify.yaml -o pulled.yaml --state other.db --adopt").status == 0
            )
            #expect(try shop.text("pulled.yaml").contains("    currencies: [EUR]\n"))
            #expect(try await shop.sh(line).status == 0)
            #expect(try await shop.openmarket("validate", "shopify.yaml").status == 0)
            #expect(try await shop.sh("openmarket convert shopify.csv --currency EURO").status == 64)
        }
    }

    @Test func `the report of a conversion is a document, too`() async throws {
        try await CommandSandbox.open { shop in
            try shop.write("shopify.csv", Self.mug + "rug,,Warm for feet.,20,\n")
            let converted = try await shop.sh("openmarket convert shopify.csv --currency USD -o shopify.yaml --json")
            #expect(converted.errorText == "")
            #expect(
                converted.text == """
                    {"format_version":1,"table":"shopify.csv","manifest":"shopify.yaml","products":1,"rows_left_out":1,\
                    "pictures_fetched":0,"left_out":[{"reason":"no name","count":1,"examples":["row 3"]}],\
                    "changed":[{"reason":"no picture: the market requires one","count":1,"examples":["'mug'"]}],\
                    "pictures_left_out":[{"reason":"not found as files","count":1,"examples":["https://x.example/1.png?v=2"]}],\
                    "columns_left_out":[],"columns_absent":[]}

                    """
            )
            #expect(try await shop.sh("openmarket convert shopify.csv --currency USD --json").status == 64)
        }
    }

    @Test func `a pipe or a device without an end is refused, and not waited for`() async throws {
        try await CommandSandbox.open { shop in
            try shop.write("shopify.csv", Self.mug)
            for file in ["pipe.csv", "/dev/zero"] {
                for line in [
                    "convert \(file) --currency KRW --from shopify -o new.yaml",
                    "convert shopify.csv --currency KRW --mapping \(file) -o new.yaml",
                    "export --since \(file) --url http://127.0.0.1:9 --api v2b", "export -f \(file)", "pull -f \(file)",
                    "validate -f \(file)", "plan \(file)", "state import \(file)", "market check \(file)",
                ] {
                    let ended = try await shop.sh(
                        "rm -f pipe.csv; mkfifo pipe.csv; timeout 60 '\(Openmarket.path)' \(line) </dev/null"
                    )
                    #expect((1...64).contains(ended.status), "\(line): \(ended.status)")
                }
            }
        }
    }

    @Test(arguments: ["TERM", "INT"])
    func `a command that waits for standard input can be ended`(signal: String) async throws {
        try await CommandSandbox.open { shop in
            let ended = try await shop.sh(
                """
                set -m; mkfifo pipe.csv
                exec '\(Openmarket.path)' export -f /dev/stdin <pipe.csv >/dev/null 2>&1 & process=$!
                exec 3>pipe.csv
                # A shell without a terminal has it ignore INT until it listens.
                (while kill -\(signal) $process; do :; done) 2>/dev/null &
                wait $process; echo $?
                """
            )
            #expect(["130\n", "143\n"].contains(ended.text), "\(ended.text)")
        }
    }

    private static let mug =
        "Handle,Title,Body (HTML),Variant Price,Image Src\nmug,Mug,<p>Holds 300 ml.</p>,9.5,https://x.example/1.png?v=2\n"
}
