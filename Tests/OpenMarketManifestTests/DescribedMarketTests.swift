@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketManifest

/// Markets that a manifest describes with a file of its own.
struct DescribedMarketTests {
    /// A market with a parameter of each kind.
    private static let description = """
        market: 1
        name: tickets
        base: "/api/{event}"
        parameters:
          event: {as: slug, about: of the organizer}
          currency: {as: code}
          note: {as: text}
        auth:
          - bearer: {value: secret, for: all}
        identity:
          id: {at: /id, as: text}
        fields:
          name: {at: /name}
          price: {at: /price, as: decimal_text}
          currency: {fixed: "{currency}"}
        list:
          path: /items
          query: {note: "{note}"}
          page: {by: none}
          rows: ""
          complete: whole
        """

    private static let parameters = "{event: tour, currency: EUR, note: a b}"

    /// A folder with the description and a manifest.
    private static func folder(_ market: String, description: String = description) throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        try folder.write("tickets.market.yaml", description)
        try folder.write("shop.yaml", "market: \(market)\nproducts: []\n")
        return folder
    }

    private static func load(
        _ folder: borrowing TemporaryDirectory,
        _ options: ManifestOptions = ManifestOptions()
    ) -> LoadedManifest {
        ManifestLoader(options: options).load([folder.path + "/shop.yaml"])
    }

    @Test(arguments: ["./tickets.market.yaml", "tickets.market.yaml"])
    func `a path is relative to the manifest`(path: String) throws {
        let folder = try Self.folder("{url: 'https://a', api: \(path), parameters: \(Self.parameters)}")
        let loaded = Self.load(folder)
        #expect(loaded.diagnostics.isEmpty)
        let market = try #require(loaded.manifest?.market)
        #expect(market.profile?.name == "tickets")
        #expect(market.profile?.parameters == ["event": "tour", "currency": "EUR", "note": "a b"])
        #expect(market.limits.currencies == [Currency(rawValue: "EUR")])
        #expect(market.descriptionFile == FileSystem.resolved(folder.path + "/tickets.market.yaml"))
    }

    @Test func `what fills the description is checked where it is`() throws {
        let folder = try Self.folder(
            "\n  url: https://a\n  api: ./tickets.market.yaml\n  parameters:\n    event: a/b\n    curency: EUR\n    note: x"
        )
        let faults = Self.load(folder).diagnostics
        #expect(faults.map(\.code) == Array(repeating: .marketParameter, count: 2))
        #expect(
            faults.map { "\($0.location?.position?.line ?? 0):\($0.location?.position?.column ?? 0)" } == [
                "5:12", "6:5",
            ]
        )
        #expect(faults.map(\.path) == ["market.parameters.event", "market.parameters.curency"])
        #expect(faults.last?.help == "did you mean 'currency'?")
    }

    @Test func `what is missing is asked for where the market is named`() throws {
        let loaded = Self.load(try Self.folder("{url: 'https://a', api: ./tickets.market.yaml}"))
        #expect(
            loaded.diagnostics.map(\.message) == [
                "tickets needs the parameter 'event' (of the organizer)", "tickets needs the parameter 'currency'",
                "tickets needs the parameter 'note'",
            ]
        )
        #expect(loaded.diagnostics.allSatisfy { $0.location?.position?.column == 33 && $0.help != nil })
    }

    @Test func `a built-in market has no parameters`() throws {
        let loaded = Self.load(try Self.folder("{url: 'https://a', api: v2b, parameters: {event: tour}}"))
        #expect(loaded.diagnostics.map(\.message) == ["'event' is not a parameter of v2b"])
    }

    @Test func `faults of the description are at its lines, with the file's name`() throws {
        let description = Self.description.replacing("complete: whole", with: "complet: whole")
        let folder = try Self.folder(
            "{url: 'https://a', api: ./tickets.market.yaml, parameters: \(Self.parameters)}",
            description: description
        )
        let fault = try #require(Self.load(folder).diagnostics.first)
        #expect(fault.code == .descriptionShape && fault.path == "list.complet")
        #expect(fault.location?.file == folder.path + "/tickets.market.yaml")
        #expect(fault.location?.position == SourcePosition(line: 21, column: 3))
        #expect(fault.excerpt?.text == "  complet: whole" && fault.excerpt?.caret == 2)
        #expect(fault.help == "did you mean 'complete'?")
        let only = #expect(throws: MarketOnlyManifest.Faults.self) {
            try MarketOnlyManifest(files: [folder.path + "/shop.yaml"], options: ManifestOptions())
        }
        #expect(only?.diagnostics.first == fault)
    }

    @Test func `products are not checked against another market than theirs`() throws {
        let description = Self.description.replacing("complete: whole", with: "complet: whole")
        let folder = try Self.folder(
            "{url: 'https://a', api: ./tickets.market.yaml, parameters: \(Self.parameters)}",
            description: description
        )
        try folder.write("shop.yaml", "market: {url: 'https://a', api: ./tickets.market.yaml}\nproducts: [{key: a}]\n")
        #expect(Set(Self.load(folder).diagnostics.map(\.code)) == [.descriptionShape])
    }

    @Test func `a vendor number is compared with no owner that is a text`() throws {
        func faults(_ kind: String) throws -> [Diagnostic] {
            let owner = "id: {at: /id, as: text}\n  owner: {read: /seller, as: \(kind)}"
            let folder = try Self.folder(
                "\n  url: https://a\n  api: ./tickets.market.yaml\n  parameters: \(Self.parameters)\n  vendor_id: 3",
                description: Self.description.replacing("id: {at: /id, as: text}", with: owner)
            )
            return Self.load(folder).diagnostics
        }
        #expect(try faults("integer").isEmpty)
        let fault = try #require(try faults("text").first)
        #expect(fault.message == "tickets shows owners as texts, which are not compared with numbers")
        #expect(fault.path == "market.vendor_id" && fault.location?.position == SourcePosition(line: 5, column: 14))
    }

    @Test func `a description that is not there is named`() throws {
        let folder = try Self.folder("{url: 'https://a', api: ./ticket.market.yaml}")
        let fault = try #require(Self.load(folder).diagnostics.first)
        #expect(fault.message.hasSuffix("ticket.market.yaml does not exist"), "\(fault.message)")
        #expect(fault.help == "did you mean 'tickets.market.yaml'?")
        #expect(fault.location?.position?.line == 1)
    }

    @Test func `options win over the manifest, name by name`() throws {
        let folder = try Self.folder("{url: 'https://a', api: ./tickets.market.yaml, parameters: \(Self.parameters)}")
        var options = ManifestOptions()
        options.parameters = ["event": "other"]
        #expect(Self.load(folder, options).manifest?.market.profile?.parameters["event"] == "other")
        // Another description declares others, and what the manifest fills in is for its own.
        options = ManifestOptions(marketOverride: .builtIn(.v1b))
        let loaded = Self.load(folder, options)
        #expect(loaded.diagnostics.isEmpty && loaded.manifest?.market.profile == .v1b)
        options = ManifestOptions(marketOverride: .file(folder.path + "/tickets.market.yaml"))
        #expect(Self.load(folder, options).manifest?.market.profile?.parameters["event"] == "tour")
    }

    @Test(arguments: ["secret-7f3", "x-secret-7f3-y"])
    func `no parameter and no description holds a credential`(value: String) throws {
        var options = ManifestOptions(environment: ["OPENMARKET_SECRET": "secret-7f3"])
        let named = try Self.folder(
            "{url: 'https://a', api: ./tickets.market.yaml, parameters: {event: tour, currency: EUR, note: \(value)}}"
        )
        let faults = Self.load(named, options).diagnostics
        #expect(faults.map(\.code) == [.credentialInText] && faults[0].path == "market.parameters.note")
        let written = try Self.folder(
            "{url: 'https://a', api: ./tickets.market.yaml, parameters: \(Self.parameters)}",
            description: Self.description + "\nheaders: {X-Note: \(value)}\n"
        )
        #expect(Self.load(written, options).diagnostics.map(\.code) == [.credentialInText])
        options.parameters = ["note": value]
        let given = Self.load(try Self.folder("{api: ./tickets.market.yaml, parameters: \(Self.parameters)}"), options)
        #expect(given.diagnostics.map(\.code) == [.credentialInText])
        #expect(!given.diagnostics.contains { "\($0)".contains("secret-7f3") })
    }

    @Test func `a variable that may be unset does not keep the market from being known`() throws {
        let folder = try Self.folder(
            "{api: ./tickets.market.yaml, parameters: {event: !env EVENT, currency: EUR, note: a}}"
        )
        var options = ManifestOptions()
        #expect(Self.load(folder, options).diagnostics.map(\.code) == [.unsetVariable])
        options.toleratesUnset = .market
        let loaded = Self.load(folder, options)
        #expect(loaded.diagnostics.isEmpty)
        #expect(loaded.manifest?.market.limits.currencies == [Currency(rawValue: "EUR")])
    }

    @Test func `a folder of manifests may hold a description`() throws {
        let folder = try Self.folder("{url: 'https://a', api: ./tickets.market.yaml, parameters: \(Self.parameters)}")
        let loaded = ManifestLoader().load([folder.path])
        #expect(loaded.diagnostics.isEmpty && loaded.manifest?.files == [folder.path + "/shop.yaml"])
    }

    @Test func `a description is not an output`() throws {
        let folder = try Self.folder("{url: 'https://a', api: ./tickets.market.yaml, parameters: \(Self.parameters)}")
        FileRegister.$current.withValue(FileRegister()) {
            _ = Self.load(folder)
            let conflict = #expect(throws: FileConflict.self) {
                try FileRegister.current.declare(
                    folder.path + "/tickets.market.yaml",
                    named: "--out",
                    as: .yaml
                )
            }
            #expect(conflict?.occupant == .input(.marketDescription))
            #expect(conflict?.description.hasSuffix(" would replace the description of the market") == true)
        }
    }

    @Test func `a written head names description and parameters, and is read back`() throws {
        let folder = try Self.folder("{url: 'https://a', api: ./tickets.market.yaml, parameters: \(Self.parameters)}")
        let market = try #require(Self.load(folder).manifest?.market)
        var writer = ManifestWriter(ManifestHead(market))
        writer.finish()
        let bytes = try writer.takeBytes()
        let again = ManifestLoader().decode(bytes)
        #expect(again.diagnostics.isEmpty, "\(String(decoding: bytes, as: UTF8.self))")
        #expect(again.manifest?.market.profile == market.profile)
    }

    @Test(arguments: [true, false])
    func `a written head names the credentials that the market uses`(hasAuth: Bool) throws {
        let auth = "auth:\n  - bearer: {value: secret, for: all}\n"
        let folder = try Self.folder(
            "{url: 'https://a', api: ./tickets.market.yaml, parameters: \(Self.parameters)}",
            description: hasAuth ? Self.description : Self.description.replacing(auth, with: "")
        )
        var market = try #require(Self.load(folder).manifest?.market)
        market.secret = ResolvedSecret(reference: .environment("KEY"), value: Secret("s3cret"))
        market.identifier = ResolvedSecret(reference: .environment("ID"), value: Secret("vendor"))
        let head = ManifestHead(market)
        #expect(head.secret == (hasAuth ? .environment("KEY") : nil))
        #expect(head.identifier == nil)
    }

    @Test(arguments: [
        ("v2b", true), ("V2", true), ("./v2b", false), ("v2b.yaml", false), ("a/b", false), ("X.YML", false),
    ])
    func `a name and a path are not confused`(text: String, isName: Bool) throws {
        let reference = try #require(MarketReference(text))
        #expect(isName ? reference == .builtIn(.v2b) : reference == .file(text))
    }

    @Test(arguments: ["", "v3", "pretix", "v2b ", "https://a/b.yaml"])
    func `what is neither is refused`(text: String) { #expect(MarketReference(text) == nil) }
}
