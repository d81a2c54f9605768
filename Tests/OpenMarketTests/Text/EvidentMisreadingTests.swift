@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarket

/// Texts that show by themselves that they were misread, and texts that only look like it.
struct EvidentMisreadingTests {
    private static let texts = [
        "청자 운학문 찻잔", "茶碗 青磁", "ナビ", "Größe für Füße", "Crème brûlée à la carte", "NAVIDEÑA", "Ваза синяя",
        "Łódź żółć gęślą", "Lamp — “warm” light…", "€ 20", "5 °C ± 1", "™ ®", "빵 🍞", "Ελληνικό βάζο",
        "İstanbul çayı ğüş",
    ]

    /// A text as a program shows it that takes its UTF-8 for a western set, byte by byte.
    private func misread(_ text: String, as set: MistakenCharacterSet) -> String {
        var characters: [UInt8: Unicode.Scalar] = [:]
        for value in UInt32(0x80)...0xFFFF {
            guard let scalar = Unicode.Scalar(value), let byte = set.byte(of: scalar) else { continue }
            // Of a byte that has two, the one of Windows-1252 and not the control character.
            characters[byte] = scalar
        }
        return String(String.UnicodeScalarView(text.utf8.map { characters[$0] ?? Unicode.Scalar($0) }))
    }

    @Test(arguments: [MistakenCharacterSet.windows1252, .macRoman], texts)
    func `what was read in a western set shows it, and what it was`(set: MistakenCharacterSet, text: String) {
        let misread = misread(text, as: set)
        let found = EvidentMisreading(misread)
        #expect(found?.original == text, "\(misread)")
        #expect(found?.set == set, "\(misread)")
        // So it does where a program drops bytes without a character, or writes a mark or a blank for them.
        for isLost in [true, false] {
            let torn = misread.unicodeScalars.compactMap { scalar -> Unicode.Scalar? in
                guard (0x80...0x9F).contains(scalar.value) else { return scalar }
                return isLost ? nil : "?"
            }
            guard set == .windows1252, torn.count * 10 > misread.unicodeScalars.count * 9 else { continue }
            let text = String(String.UnicodeScalarView(torn))
            #expect(EvidentMisreading(text) != nil, "\(text)")
        }
    }

    @Test(
        arguments: texts + [
            "“CAFÉ’S”", "CAFÉ’S", "Nestlé®", "« Café »", "«\u{A0}Café\u{A0}»", "Rosé 2020", "NIÑO’S", "MAÇÃ", "PÃO",
            "É™", "Cuisine—École",
            "l’été", "—Été", "Âge", "Über-Ärger", "ÀÉÎÕÜ", "¿Qué?", "¡Sí!", "½ l", "Ça va?", "Straße", "Smörgås", "æøå",
            "ÆØÅ", "Þór", "√2 ≈ 1,41",
            "∆ ± ∞", "정말 좋아요? 네!", "뭐예요??", "뷁", "똠얌꿍?", "What???", "???", "Who? What? Where?", "20 % off?!",
        ]
    )
    func `what people write shows nothing`(text: String) {
        #expect(EvidentMisreading(text) == nil)
    }

    @Test func `what was read in the Korean set has syllables that no word has`() {
        for text in ["泥?옄 ?붾퀝", "?섏쟾移좉린 蹂댁꽍?⑥쓣 ?뷀쁽", "?꾩씠?? 耳?댁뒪"] {
            #expect(EvidentMisreading(text)?.set == .windows949, "\(text)")
        }
    }

    @Test func `what is hardly more than question marks has lost its letters`() {
        for text in ["?? ???", "?? ???? 5", "?????????? ????. ?? 500ml"] {
            #expect(EvidentMisreading(text) == EvidentMisreading("????"), "\(text)")
            #expect(EvidentMisreading(text)?.set == .lossy, "\(text)")
        }
    }
}
