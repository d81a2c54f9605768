@testable import OpenMarket
@testable import OpenMarketDescription
import Testing

/// Texts in the wrong character set never reach the market, from whatever file.
struct MisreadTextTests {
    private static let names = ["청자 화병", "백자 항아리", "나전 칠기함"]
    private static let windows1252 = ["ì²\u{AD}ìž í™”ë³‘", "ë°±ìž í•­ì•„ë¦¬", "ë‚˜ì „ ì¹\u{A0}ê¸°í•¨"]

    private func shop(_ build: (inout PlanFixture) -> Void) -> PlanFixture {
        var shop = PlanFixture()
        build(&shop)
        return shop
    }

    @Test func `what state or market have is said once for the file`() {
        let shop = shop {
            for (index, (name, text)) in zip(Self.names, Self.windows1252).enumerated() {
                let id = Int64(index + 1)
                $0.manages("k\(id)", id) { $0.name = name }
                $0.wants("k\(id)") { $0.values.name = text }
            }
        }
        let plan = shop.plan()
        #expect(!plan.isSound)
        #expect(
            plan.diagnostics.map(\.message) == [
                "a text was read as Windows-1252 and saved as UTF-8: 'ì²\u{AD}ìž í™”ë³‘' of 'k1' was '청자 화병', and 2 other texts as well"
            ]
        )
        #expect(plan.diagnostics.map(\.code) == [.characterSet])
        #expect(plan.diagnostics.map(\.location?.file) == ["shop.yaml"])
    }

    @Test(arguments: MarketProfile.builtIns)
    func `the state decides where the market shows no description`(profile: MarketProfile) {
        var shop = PlanFixture(profile)
        shop.knows("lamp", 7) { $0.applied.description = "따뜻한 빛의 램프" }
        shop.shows(7) { ($0.description, $0.images) = (nil, nil) }
        shop.wants("lamp") { $0.values.description = "ë”°ëœ»í•œ ë¹›ì˜ ëž¨í”„" }
        #expect(shop.plan().diagnostics.map(\.code) == [.characterSet])
    }

    @Test func `a product is not made again for a key or a name that was misread`() {
        let byKey = shop {
            $0.manages("청자-1", 7) { $0.name = "청자 화병" }
            $0.wants("ì²\u{AD}ìž-1") { $0.values.name = "Vase" }
        }
        #expect(byKey.plan().diagnostics.filter { $0.code == .characterSet }.map(\.severity) == [.error])
        // Without a state only the market decides.
        for text in ["ì²\u{AD}ìž í™”ë³‘", "泥?옄 ?붾퀝", "Ï≤≠Ïûê ÌôîÎ≥ë"] {
            let byName = shop {
                $0.shows(7) { $0.name = "청자 화병" }
                $0.wants("vase") { $0.values.name = text }
            }
            #expect(
                byName.plan().diagnostics.filter { $0.code == .characterSet }.map(\.severity) == [.error],
                "\(text)"
            )
        }
    }

    /// Excel outside Korea, where a table is saved as *CSV* and not as *CSV UTF-8*.
    @Test func `letters that were lost where a file was saved are said once for the file`() {
        let shop = shop {
            for (index, name) in Self.names.enumerated() {
                let id = Int64(index + 1)
                $0.manages("k\(id)", id) { $0.name = name }
                $0.wants("k\(id)") { $0.values.name = name.map { $0 == " " ? " " : "?" }.joined() }
            }
        }
        #expect(
            shop.plan().diagnostics.map(\.message) == [
                "a text was saved in a character set that lacks its letters: '?? ??' of 'k1' was '청자 화병', and 2 other texts as well"
            ]
        )
        let byKey = self.shop {
            $0.manages("청자-1", 7) { $0.name = "Vase" }
            $0.wants("??-1") { $0.values.name = "Vase 2" }
        }
        #expect(byKey.plan().diagnostics.filter { $0.code == .characterSet }.count == 1)
    }

    /// Nothing is known of them that they could be compared with.
    @Test(arguments: ["NAVIDEÃ‘A", "ì²\u{AD}ìž í™”ë³‘", "caf√© √† la carte", "泥?옄 ?붾퀝", "?? ??"])
    func `new products and edits that show by themselves that they were misread are refused`(text: String) {
        let name = shop { $0.wants("a") { $0.values.name = text } }
        #expect(name.plan().diagnostics.filter { $0.code == .characterSet }.count == 1, "\(text)")
        let description = shop { $0.wants("a") { $0.values.description = "\(text) \(text)" } }
        #expect(description.plan().diagnostics.filter { $0.code == .characterSet }.count == 1, "\(text)")
        let edit = shop {
            $0.has("a", 7) { $0.values.name = text }
        }
        #expect(edit.plan().diagnostics.map(\.code) == [.characterSet], "\(text)")
        // Whoever has such a text already may go on with it.
        let kept = shop {
            $0.manages("a", 7) { $0.name = text }
            $0.wants("a") { $0.values.name = text + " 2" }
        }
        #expect(kept.plan().isSound, "\(text)")
    }

    @Test(arguments: [
        ("20 °C", "20 ℃"), ("20 °C", "20 º C"), ("Café", "Cafè"), ("a — b", "a —— b"), ("컵", "머그잔"), ("신발", "신발장"),
        ("Стол", "Диван"), ("It’s", "It's"), ("½ kg", "¼ kg"), ("가방…", "가방!"), ("Is it — so", "Is it ? so"),
    ])
    func `a letter that an editor puts in another's place is an edit`(old: String, new: String) {
        let shop = shop {
            $0.manages("lamp", 7) { $0.name = old }
            $0.wants("lamp") { $0.values.name = new }
        }
        #expect(shop.plan().isSound, "\(old) \(new)")
    }

    @Test func `a catalog that is translated is not refused`() {
        for texts in [
            ["靑瓷 花甁", "白瓷 壺", "螺鈿 漆器函"], ["青磁 花瓶", "白磁 壺", "螺鈿 箱？"], ["Celadon vase", "White jar", "Box?"],
        ] {
            let shop = shop {
                for (index, (name, text)) in zip(Self.names, texts).enumerated() {
                    let id = Int64(index + 1)
                    $0.manages("k\(id)", id) { $0.name = name }
                    $0.wants("k\(id)") { $0.values.name = text }
                }
            }
            #expect(shop.plan().isSound, "\(texts)")
        }
    }

    @Test func `a text that is repaired, or only edited, is not one`() {
        let repaired = shop {
            $0.manages("lamp", 7) { $0.name = "ì²\u{AD}ìž" }
            $0.wants("lamp") { $0.values.name = "청자 화병" }
        }
        #expect(repaired.plan().isSound)
        let edited = shop {
            $0.manages("lamp", 7) { $0.name = "café crème" }
            $0.wants("lamp") { $0.values.name = "Café Crème №1" }
        }
        #expect(edited.plan().isSound)
    }
}
