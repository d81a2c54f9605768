import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketWorkflow
@testable import OpenMarketTestSupport
import Testing

/// The page in a real browser: what it shows, asks for and does, and whether everybody can use it.
@Suite(
    .serialized,
    .timeLimit(.minutes(3)),
    .enabled(if: Browser.isInstalled, "needs Debian's chromium and python3, and one of them is not installed")
)
struct BrowserTests {
    @Test func `everybody can read and use it, and it asks for nothing`() async throws {
        let (pictured, sides) = ReviewedPlan.pictured
        var pictures = ReviewPictures()
        for (number, side) in sides.enumerated() { pictures.add(side, SmallPicture.png(number)) }
        for (reviewed, shown) in [(ReviewedPlan.ofEverything, ReviewPictures()), (pictured, pictures)] {
            let page: Browser.Page = try await Browser.look("page", reviewed, shown, deciding: reviewed.items)
            #expect(page.faults == [])
            #expect(page.complaints == [])
            #expect(page.requests == [])
            #expect(page.contrast >= 4.5)
        }
    }

    @Test func `hostile texts are texts`() async throws {
        let page: Browser.Page = try await Browser.look("page", ReviewedPlan.of(HostileText.all))
        #expect(page.complaints == [])
        #expect(page.requests == [])
        // The page's own and its Korean words.
        #expect(page.scripts == 2)
        #expect(!page.elements.contains("img") && !page.elements.contains("iframe"))
        #expect(page.attributes.filter { $0.hasPrefix("on") || $0 == "style" || $0 == "src" } == [])
        let names = HostileText.all.map { $0.terminalSafe.abbreviated(to: 120) }
        #expect(page.names.sorted() == (names + names + names).sorted())
        // Nothing is wider than a phone, not even a word of 1 000 characters.
        #expect(page.faults == [])
    }

    @Test func `search, filters, order, links, swipe, keyboard and print`() async throws {
        expectGolden(try await Browser.output("use", ReviewedPlan.ofEverything), "use.json")
        let (pictured, sides) = ReviewedPlan.pictured
        var pictures = ReviewPictures()
        for (number, side) in sides.enumerated() { pictures.add(side, SmallPicture.png(number)) }
        let use: Browser.Use = try await Browser.look("use", pictured, pictures)
        #expect(use.swipe == ["inset(0px 75% 0px 0px)", "inset(0px 0px 0px 25%)"])
    }

    @Test func `what was clicked is saved as decisions about the plan`() async throws {
        let plan = ReviewedPlan.ofEverything
        let decided: Browser.Decided = try await Browser.look("decide", plan, deciding: plan.items)
        #expect(
            decided.said == [
                "0 approved · 0 rejected · 7 open", "0 approved · 1 rejected · 6 open",
                "5 approved · 1 rejected · 1 open",
            ]
        )
        // The words of its buttons are no product's.
        #expect(decided.found == [])
        #expect(decided.asksForName)
        #expect(decided.requests == [] && decided.complaints == [])
        #expect(decided.withoutScript == 0)
        let decisions = try PlanDecisions(bytes: Array(decided.file.utf8))
        #expect(decisions.plan == plan.subject.content && decisions.by == "mina")
        let verdict = try decisions.verdicts(on: plan.items)
        for key in plan.items.map(\.key) {
            #expect((verdict(key) == .reject) == ["lamp", "cup"].contains(key), "\(key)")
        }
        #expect(decisions.decisions.compactMap(\.note) == ["after the fair"])
        #expect(decisions.decisions.count == 6)
    }

    @Test func `its own words are in the browser's language, or in the one that was asked for`() async throws {
        let plan = ReviewedPlan.ofEverything
        let asked: [(PageLanguage?, [String])] = [
            (nil, ["en", "ko"]), (.korean, ["ko", "ko"]), (.english, ["en", "en"]),
        ]
        for (language, expected) in asked {
            let words: Browser.Words = try await Browser.look("words", plan, language: language, deciding: plan.items)
            #expect([words.english.lang, words.korean.lang] == expected)
            #expect(words.complaints == [])
            #expect(words.faults == [])
            for shown in [words.english, words.korean] {
                let title = try #require(shown.words.first { ["Plan", "변경 계획"].contains($0) })
                #expect(title == (shown.lang == "ko" ? "변경 계획" : "Plan"))
                guard shown.lang == "ko" else { continue }
                let left = (shown.words + shown.labels).filter { word in
                    !word.unicodeScalars.contains { ("가"..."힣").contains($0) }
                        && word.replacing(Self.international, with: "").contains(/[A-Za-z]/)
                }
                #expect(left.sorted() == Self.planners)
            }
        }
    }

    /// What the planner says of single products, in its words.
    private static let planners = ["gone", "the same"]

    /// What a plan has in no language: addresses, files, digests, currencies, units, names of formats.
    private static var international: Regex<(Substring, Substring?)> {
        /https:\/\/market\.example|\(v2b\)|openmarket\.yaml(:[0-9]+)*|openmarket VERSION|sha256:[0-9a-f]+|SHA-256 [0-9a-f]+|KRW|USD|kB|MB|JPEG|PNG|\bid\b/
    }

    @Test func `in Korean nothing of it stays English`() async throws {
        let (plan, pictures) = ReviewedPlan.inKorean
        let words: Browser.Words = try await Browser.look(
            "words",
            plan,
            pictures,
            language: .korean,
            deciding: plan.items
        )
        #expect(words.faults == [])
        #expect(words.complaints == [])
        let left = words.korean.all.filter {
            $0.replacing(Self.international, with: "").contains(/[A-Za-z]/)
        }
        #expect(left == [])
        // Words with values in them.
        for text in [
            "양쪽에서 바뀜 (이전 값: 52,000)", "양쪽에서 바뀜 (이전 값: 할인 없음)", "할인 없음", "선택하지 않은 상품 1개", "3개 더 보기",
            "글자는 같고 바이트만 다름", "변경 후 이미지 1: 새 부채", "변경 전 이미지 1", "보낸 이미지와 다름", "이전 키: '걸상'",
        ] {
            #expect(words.korean.all.contains(text), "\(text): \(words.korean.all)")
        }
        #expect(words.korean.all.contains { $0.hasPrefix("페이지에 넣기에는 너무 큼: 9000000바이트 (SHA-256 ") })
        #expect(words.korean.all.contains { $0.hasPrefix("변경 계획: 등록 1, 수정 2, 다시 등록 1, 삭제 1") })
        #expect(words.korean.all.contains { $0.hasPrefix("상품 2개의 가격이 바뀜: 최저 ") })
        #expect(words.korean.all.contains { $0.hasSuffix(", 지난 실행 속도로 약 1초") })
    }

    @Test func `of 5000 changes only those on the screen are laid out`() async throws {
        let size: Browser.Size = try await Browser.look("size", .of(updates: 5000, deletes: 50, replaces: 50))
        #expect(size.articles == 5100)
        #expect(size.laidOut < 100)
        #expect(size.firstPaint >= 0)
        #expect(size.complaints == [])
    }
}

/// Chromium, driven by the scripts in `Tests/Browser`.
enum Browser {
    private static let chromium = Program.installed("chromium", "chromium-browser", "google-chrome")
    private static let python = Program.installed("python3")

    static var isInstalled: Bool { chromium != nil && python != nil }

    struct Page: Decodable {
        var faults: [String]
        var complaints: [String]
        var requests: [String]
        var contrast: Double
        var names: [String]
        var elements: [String]
        var attributes: [String]
        var scripts: Int
    }

    struct Use: Decodable {
        var swipe: [String]?
    }

    struct Decided: Decodable {
        enum CodingKeys: String, CodingKey {
            case said
            case found
            case asksForName = "asks for the name"
            case file
            case requests
            case complaints
            case withoutScript = "without script"
        }

        var said: [String]
        var found: [String]
        var asksForName: Bool
        var file: String
        var requests: [String]
        var complaints: [String]
        var withoutScript: Int
    }

    struct Words: Decodable {
        struct Shown: Decodable {
            var lang: String
            var words: [String]
            var labels: [String]
            var all: [String]
        }

        enum CodingKeys: String, CodingKey {
            case english = "en-US"
            case korean = "ko-KR"
            case complaints
            case faults
        }

        var english: Shown
        var korean: Shown
        var complaints: [String]
        var faults: [String]
    }

    struct Size: Decodable {
        enum CodingKeys: String, CodingKey {
            case articles
            case laidOut = "laid out"
            case firstPaint = "first paint"
            case complaints
        }

        var articles: Int
        var laidOut: Int
        var firstPaint: Int
        var complaints: [String]
    }

    /// What a script finds in the page of a plan.
    static func look<Found: Decodable>(
        _ what: String,
        _ reviewed: ReviewedPlan,
        _ pictures: ReviewPictures = ReviewPictures(),
        language: PageLanguage? = .english,
        deciding items: [PlanDecisions.Item] = []
    ) async throws -> Found {
        let found = try await output(what, reviewed, pictures, language: language, deciding: items)
        return try JSONDecoder().decode(Found.self, from: Data(found))
    }

    /// The same as JSON.
    static func output(
        _ what: String,
        _ reviewed: ReviewedPlan,
        _ pictures: ReviewPictures = ReviewPictures(),
        language: PageLanguage? = .english,
        deciding items: [PlanDecisions.Item] = []
    ) async throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/plan.html"
        let page = try PlanHTMLRenderer(language: language).render(reviewed, pictures, deciding: items)
        try Data(page.utf8).write(to: URL(fileURLWithPath: file))
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Browser/check.py")
        let arguments = ["-B", script.path, try #require(chromium), what, file]
        let output = try await Program(try #require(python), arguments, folder: directory.path).run()
        try #require(output.status == 0, "\(output.errorText)")
        return output.stdout
    }
}
