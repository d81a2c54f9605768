import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// A hostile market, or a server that is not one: everything that is read is bounded, and the message says what is wrong.
@Suite(.timeLimit(.minutes(5)))
struct HostileMarketTests {
    /// What the user sees: the exit code and a part of the words.
    static let words: [MisbehavingMarket: (status: Int32, says: String)] = [
        .endless: (1, "the market's list repeats itself at page "),
        .huge: (1, "the market answers with a reply of more than 16777216 bytes"),
        .flood: (1, "the market answers with a reply of more than 16777216 bytes"),
        .deep: (1, "the market's answer cannot be read"),
        .redirect: (1, "redirects are not followed"),
        .html: (1, "the market answered with "),
        .noise: (9, "the answer is not HTTP"),
    ]

    @Test(arguments: ["v1b", "v2b"])
    func `ends the command with a message, and gets no secret`(api: String) async throws {
        try await concurrently(MisbehavingMarket.allCases.filter { Self.words[$0] != nil }) { try await meet($0, api) }
    }

    private func meet(_ manner: MisbehavingMarket, _ api: String) async throws {
        let expected = try #require(Self.words[manner])
        let directory = try TemporaryDirectory()
        try directory.write("openmarket.yaml", Assortment.plain(2).yaml)
        for number in Assortment.pictures { try directory.write("images/\(number).png", SmallPicture.png(number)) }
        let folder = directory.path
        // Whoever is pointed to would write down what it is sent.
        try await MisbehavingMarket.control.run { elsewhere in
            try await manner.run(target: elsewhere.url) { market in
                for command in ["plan", "apply --yes", "export"] {
                    let output = try await Self.run(command, market.url, api, folder: folder)
                    #expect(output.status == expected.status, "\(manner), \(command): \(output.errorText)")
                    #expect(
                        output.errorText.contains(expected.says),
                        "\(manner), \(command): \(output.errorText.prefix(2000))"
                    )
                    #expect(output.errorText.utf8.count < 4000)
                    Self.expectClean(output.stderr)
                }
                let trace = market.trace
                #expect(trace.allSatisfy { !$0.hasPrefix("POST") && !$0.contains("with credentials") })
                #expect(!market.isPoured)
                #expect(trace.count < 400)
                #expect(elsewhere.requests.isEmpty)
            }
        }
        withExtendedLifetime(directory) {}
    }

    /// What the user sees of a described list that is cut into pages in a style; `nil` where that style cannot be so.
    static func words(
        _ manner: ListingMarket.Manner,
        _ style: ListingMarket.Style
    ) -> (status: Int32, says: String)? {
        switch (manner, style) {
        case (.well, _): nil
        case (.endless, .keyset): (1, "leads back to a page that was read already")
        case (.endless, .whole): (1, "one page shows product 13 twice")
        case (.endless, _): (1, "the market's list repeats itself at page 6")
        case (.elsewhere, .next), (.elsewhere, .link): (1, "leads to another host")
        case (.override, .next), (.override, .link): (1, "has a query that some servers take for the method")
        case (.long, .cursor), (.long, .next): (1, "is longer than 4 KiB")
        case (.long, .link): (9, "the answer has more headers than are read")
        case (.elsewhere, _), (.override, _), (.long, _): nil
        case (.deep, _): (1, "the market's answer cannot be read: nested too deep")
        case (.huge, _): (1, "the market answers with a reply of more than 16777216 bytes")
        case (.headers, _): (9, "the answer has more headers than are read")
        case (.twice, .keyset): (1, "two products have the '/id' 1")
        case (.twice, _): (1, "twice: its id does not distinguish it, or the market repeats rows")
        }
    }

    @Test func `a described list of any style ends with a message, and leads nowhere else`() async throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path
        let styles = ListingMarket.Style.allCases
        for style in styles { try directory.write("\(style).market.yaml", style.description) }
        let cases = styles.flatMap { style in ListingMarket.Manner.allCases.map { (style, $0) } }
            .filter { Self.words($0.1, $0.0) != nil }
        #expect(Set(cases.map(\.1)).count == ListingMarket.Manner.allCases.count - 1)
        try await MisbehavingMarket.control.run { elsewhere in
            try await concurrently(cases) { style, manner in
                let (status, says) = try #require(Self.words(manner, style))
                try await ListingMarket.run(style, manner, target: elsewhere.url) { market, server in
                    let name = "\(style)-\(manner).csv"
                    let output = try await Program(
                        Openmarket.path,
                        ["export", "-o", name, "--url", server.url, "--api", "./\(style).market.yaml"],
                        environment: ["OPENMARKET_SECRET": ReferenceServer.secret],
                        folder: folder
                    ).run()
                    #expect(output.status == status, "\(name): \(output.errorText)")
                    #expect(output.errorText.contains(says), "\(name): \(output.errorText.prefix(2000))")
                    #expect(output.errorText.utf8.count < 4000)
                    Self.expectClean(output.stderr)
                    #expect(!FileManager.default.fileExists(atPath: folder + "/" + name))
                    let requests = market.requests
                    #expect(requests.count < 200 && requests.allSatisfy { $0.hasPrefix("GET /products") }, "\(name)")
                    #expect(!requests.contains { $0.contains("_method") } && !server.isPoured, "\(name)")
                }
            }
            #expect(elsewhere.requests.isEmpty)
        }
        withExtendedLifetime(directory) {}
    }

    /// A create is asked for at another host: what it carries, secret and identifier, stays here.
    @Test(arguments: ["v1b", "v2b"])
    func `a redirect of a writing request is not followed`(api: String) async throws {
        let directory = try TemporaryDirectory()
        try directory.write("openmarket.yaml", Assortment.plain(2).yaml)
        for number in Assortment.pictures { try directory.write("images/\(number).png", SmallPicture.png(number)) }
        let folder = directory.path
        try await MisbehavingMarket.control.run { elsewhere in
            try await MisbehavingMarket.luring.run(target: elsewhere.url) { market in
                let output = try await Self.run("apply --yes", market.url, api, folder: folder)
                #expect(output.status == 3, "\(output.errorText)")
                #expect(output.errorText.contains("redirects are not followed"))
                // Whether the market made them is looked up, and each is asked for three times more.
                #expect(market.trace.count { $0.hasSuffix(" with credentials") } == 8)
                #expect(elsewhere.requests.isEmpty)
            }
        }
        withExtendedLifetime(directory) {}
    }

    @Test(arguments: ["v1b", "v2b"])
    func `control characters of names and messages never reach the terminal`(api: String) async throws {
        let directory = try TemporaryDirectory()
        var wanted = Assortment.plain(1)
        wanted.products[0].price = 5
        // Takes the live product over and changes it, so that the plan shows what is there.
        try directory.write(
            "openmarket.yaml",
            wanted.yaml.replacing("  - key: thing-1\n", with: "  - key: thing-1\n    id: 7\n")
        )
        for number in Assortment.pictures { try directory.write("images/\(number).png", SmallPicture.png(number)) }
        let folder = directory.path
        try await MisbehavingMarket.control.run { market in
            for command in ["plan --adopt", "apply --adopt --yes", "plan --adopt --json", "apply --adopt --yes --json"]
            {
                let output = try await Self.run(command, market.url, api, folder: folder)
                // Nobody says whose the product is on v2b, so the run ends before a line about it.
                let isShown = api == "v1b" || command != "apply --adopt --yes --json"
                #expect(output.text.contains("Evil") || output.errorText.contains("Evil") || !isShown, "\(command)")
                Self.expectClean(output.stdout)
                Self.expectClean(output.stderr)
            }
            // A program gets an export as it is; a terminal, which util-linux and BSD lend with `script`, does not.
            let exact = try await Self.run("export", market.url, api, folder: folder)
            #expect(exact.stdout.contains(0x1B))
            let shown = try await Self.run("export -q --no-color", market.url, api, folder: folder, inTerminal: true)
            #expect(shown.text.contains(#"Evil \u{1b}[31m"#))
            Self.expectClean(shown.stdout.filter { $0 != UInt8(ascii: "\r") })
        }
        withExtendedLifetime(directory) {}
    }

    private static func run(
        _ command: String,
        _ url: String,
        _ api: String,
        folder: String,
        inTerminal: Bool = false
    ) async throws -> Program.Output {
        #if os(Linux)
        let terminal = ["-q", "-E", "never", "-c", "exec '\(Openmarket.path)' \(command)", "/dev/null"]
        #else
        let terminal = ["-q", "/dev/null", Openmarket.path] + command.split(separator: " ").map(String.init)
        #endif
        return try await Program(
            inTerminal ? "/usr/bin/script" : Openmarket.path,
            inTerminal ? terminal : command.split(separator: " ").map(String.init),
            environment: [
                "OPENMARKET_URL": url, "OPENMARKET_API": api, "OPENMARKET_IDENTIFIER": ReferenceServer.identifier,
                "OPENMARKET_SECRET": ReferenceServer.secret, "OPENMARKET_SETTLE_DELAY": "0s",
            ],
            folder: folder
        ).run()
    }

    /// Nothing that a terminal would take for a command: no control but the line feed, none of C1, no override of
    /// the direction of writing.
    private static func expectClean(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        let dirty = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter {
            $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) || (0x202A...0x202E).contains($0.value)
                || (0x2066...0x2069).contains($0.value)
        }
        #expect(dirty.map { String($0.value, radix: 16) } == [], sourceLocation: sourceLocation)
    }
}
