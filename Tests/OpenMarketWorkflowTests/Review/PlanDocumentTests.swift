@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketWorkflow

/// A saved plan as the documents that are made of it.
struct PlanDocumentTests {
    private static let secret = "a-secret-that-is-long"

    private static func saved(_ name: String = "Lamp") -> SavedPlan {
        var saved = SavedPlan()
        saved.tool = "openmarket 1"
        saved.url = "https://market.example"
        saved.state = DocumentFolder.current + "/.openmarket/state.db"
        saved.manifestFiles = [DocumentFolder.current + "/shop/openmarket.yaml", "-"]
        saved.plan = Plan(
            operations: [
                PlannedOperation(
                    key: "lamp",
                    reason: "new in the manifest",
                    work: .create(NewProduct(values: ProductValues(name: name, price: 5)))
                )
            ],
            refusals: [PlanRefusal("too many", override: .emptyManifest)]
        )
        return saved
    }

    private static func document(_ saved: SavedPlan) -> PlanDocument {
        PlanDocument(saved, ReviewedPlan(saved))
    }

    /// The document as a command writes it that knows these secrets.
    private static func text(
        _ document: PlanDocument,
        _ format: PlanFormat,
        knowing secrets: [Secret] = []
    ) throws -> String {
        try KnownSecrets.$current.withValue(KnownSecrets(secrets)) {
            String(decoding: try document.bytes(as: format, in: "/"), as: UTF8.self)
        }
    }

    @Test func `a plan is of a market and of files as they are named from here`() {
        let saved = Self.saved()
        let subject = ReviewedPlan(saved).subject
        #expect(subject.market == "https://market.example" && subject.profile == .v2b)
        #expect(subject.manifests == ["shop/openmarket.yaml", "-"])
        #expect(subject.tool == "openmarket 1" && subject.content == saved.contentDigest)
        #expect(subject.productAddress == "https://market.example/api/products/")
    }

    @Test func `each format is the whole plan`() throws {
        let document = Self.document(Self.saved())
        let reviewed = document.reviewed
        #expect(try Self.text(document, .text) == PlanTextRenderer(style: .plain).render(reviewed))
        #expect(try Self.text(document, .markdown) == PlanMarkdownRenderer().render(reviewed))
        #expect(try Self.text(document, .html) == PlanHTMLRenderer().render(reviewed))
        #expect(PlanFormat.allCases.filter(\.showsPictures) == [.html])
        let json = try JSONValue.parse(try document.bytes(as: .json, in: "/"))
        #expect(json["operations"]?.elements?.count == 1)
        #expect(json["refusals"]?.elements?.first?["override"]?.text == "--allow-empty")
        #expect(document.json(in: "/").last == UInt8(ascii: "\n"))
    }

    @Test func `no format has a credential`() throws {
        let document = Self.document(Self.saved(Self.secret))
        for format in PlanFormat.allCases {
            #expect(try Self.text(document, format).contains(Self.secret), "\(format)")
            #expect(try !Self.text(document, format, knowing: [Secret(Self.secret)]).contains(Self.secret), "\(format)")
        }
    }

    /// A credential in the market's texts, across the places where a document cuts names, words and values.
    @Test(arguments: [0, 12, 40, 60, 80, 120, 200, 400], PlanFormat.allCases)
    func `no format has a part of a credential`(limit: Int, format: PlanFormat) throws {
        let secret = "tok:en@1 #x9_k8-*w7"
        let pieces = (0...secret.count - 4).map { secret.dropFirst($0).prefix(4) }
        var saved = Self.saved()
        for before in stride(from: max(0, limit - 19), through: limit, by: 4) {
            let text = String(repeating: "l", count: before) + secret + " of oak"
            saved.plan.operations = [
                PlannedOperation(
                    key: "lamp",
                    reason: text,
                    work: .update(
                        PlannedOperation.Update(
                            id: 7,
                            changes: [ProductField.name, .description].map { field in
                                .of(field, kind: .drift, was: .text("A lamp"), .text(text), .text("A lamp"))
                            },
                            desired: ProductValues(name: "A lamp", description: "A lamp"),
                            live: ProductValues(name: text, description: text)
                        )
                    )
                ),
                PlannedOperation(
                    key: "vase",
                    reason: "gone",
                    work: .delete(PlannedOperation.Deletion(id: 9, live: ProductValues(name: text)))
                ),
            ]
            let shown = try Self.text(Self.document(saved), format, knowing: [Secret(secret)])
            let plain = shown.replacing("&#8203;", with: "").replacing("\\", with: "")
            for piece in pieces where plain.contains(piece) { Issue.record("\(piece) at \(before): \(shown)") }
        }
    }

    @Test func `what is approved is the plan in the file`() throws {
        var saved = Self.saved(Self.secret)
        let deletion = PlannedOperation.Deletion(id: 9, live: ProductValues(name: Self.secret))
        saved.plan = Plan(operations: [PlannedOperation(key: "lamp", reason: "gone", work: .delete(deletion))])
        let (bytes, content) = try saved.bytes(for: "plan.json")
        #expect(bytes == saved.bytes(in: DocumentFolder.current) && content == saved.contentDigest)
        let masked = try KnownSecrets.$current.withValue(KnownSecrets([Secret(Self.secret)])) {
            try saved.bytes(for: "plan.json")
        }
        #expect(masked.content != saved.contentDigest)
        #expect(try SavedPlan(masked.bytes, file: "plan.json").contentDigest == masked.content)
        #expect(!String(decoding: masked.bytes, as: UTF8.self).contains(Self.secret))
    }

    @Test func `a session adds what the state knows of a plan's effort`() async throws {
        let scope = MarketScope(url: "https://market.example", profile: .v2b, identifier: nil)
        let session = Session(market: StandInMarket(), reading: try await MemoryState().read(scope), tool: "1")
        let reviewed = try await session.reviewed(Self.saved(), maximumPriceChange: 500)
        #expect(reviewed.subject.tool == "openmarket 1" && reviewed.plan == Self.saved().plan)
    }
}
