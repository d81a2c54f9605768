@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// Texts that were read in another character set, as other programs' codecs made them.
struct MistakenCharacterSetTests {
    @Test(arguments: [
        ("청자 화병", "ì²\u{AD}ìž í™”ë³‘", MistakenCharacterSet.windows1252),
        ("청자 화병", "ì²\u{AD}ì\u{9E}\u{90} í\u{99}\u{94}ë³\u{91}", .latin1),
        ("청자 화병", "Ï≤≠Ïûê ÌôîÎ≥ë", .macRoman),
        ("청자 화병", "泥?옄 ?붾퀝", .windows949),
        ("청자 화병", "泥\u{FFFD}\u{FFFD}옄 \u{FFFD}솕蹂\u{FFFD}", .windows949),
        ("안녕하세요", "ì•ˆë…•í•˜ì„¸ìš”", .windows1252),
        ("안녕하세요", "ÏïàÎÖïÌïòÏÑ∏Ïöî", .macRoman),
        ("안녕하세요", "?덈뀞?섏꽭??", .windows949),
        ("café à la crème", "cafÃ© Ã  la crÃ¨me", .windows1252),
        ("café à la crème", "cafÃ© Ã\u{A0} la crÃ¨me", .windows1252),
        ("café à la crème", "caf√© √† la cr√®me", .macRoman),
        ("café à la crème", "caf챕 횪 la cr챔me", .windows949),
        ("램프 1", "?⑦봽 1", .windows949),
        // Twice.
        ("café", "cafÃƒÂ©", .windows1252),
        ("é", "ÃƒÂ©", .windows1252),
    ])
    func `a misread text is known by what it was`(original: String, text: String, set: MistakenCharacterSet) {
        #expect(MistakenCharacterSet.misreading(text, of: original) == set)
        #expect(MistakenCharacterSet.mayBeMisreading(text) || set == .windows949)
        // What is repaired is not a misreading of what was not.
        #expect(MistakenCharacterSet.misreading(original, of: text) == nil)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `every reading of every text is reported, and no edit is`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ranges: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0xC0...0x17F, 0x391...0x3C9, 0x410...0x44F, 0x3041...0x3093, 0x4E00...0x9FA5, 0xAC00...0xD7A3,
        ]
        for _ in 0..<400 {
            let range = try #require(ranges.randomElement(using: &random))
            func text() throws -> String {
                var scalars = String.UnicodeScalarView()
                for _ in 0..<Int.random(in: 3...20, using: &random) {
                    scalars.append(try #require(Unicode.Scalar(UInt32.random(in: range, using: &random))))
                }
                return String(scalars)
            }
            let (original, other) = (try text(), try text())
            for reading in MistakenCharacterSet.readings(of: original) {
                let found = MistakenCharacterSet.misreading(reading.text, of: original)
                #expect(found != nil, "seed \(seed): \(original), \(reading.text)")
                for again in MistakenCharacterSet.readings(of: reading.text) where again.text.utf8.count < 200 {
                    #expect(
                        MistakenCharacterSet.misreading(again.text, of: reading.text) != nil,
                        "seed \(seed): \(original)"
                    )
                }
            }
            #expect(MistakenCharacterSet.misreading(other, of: original) == nil, "seed \(seed): \(original), \(other)")
        }
    }

    /// What programs make of Korean, Japanese, French and Russian names where a set lacks their letters.
    @Test(arguments: [
        ("청자 화병", "?? ??"), ("청자 화병", "?????? ??????"), ("Café", "Caf?"),
        ("Café 청자", "Café ??"), ("Crème bożonarodzeniowa", "Crème bo?onarodzeniowa"), ("Lamp ★ €5", "Lamp ? ?5"),
        ("Lamp ★ €5", "Lamp ★ ?5"), ("茶碗 と 湯呑", "?? ? ??"), ("Ваза «Синяя»", "???? ???????"), ("빵🍞", "빵??"),
        ("빵🍞", "빵?"),
        ("뷁 청자", "? ??"), ("빵🍞", "????"),
    ])
    func `letters that became question marks are lost`(original: String, text: String) {
        let isOfBytes = text == "????" && original == "빵🍞"
        #expect((MistakenCharacterSet.misreading(text, of: original) == .lossy) != isOfBytes, "\(original): \(text)")
    }

    @Test(arguments: [
        ("이거 어때요", "이거 어때?"), ("정말！", "정말?"), ("Café？", "Café?"), ("청자", "청자?"), ("청자 화병", "청자"), ("Why", "Wh?"),
        ("Café", "Cafe"), ("청자", "?"), ("빵 굽는 날…", "빵 굽는 날?"), ("Café?", "Café?"),
    ])
    func `a text that was made a question has lost none`(original: String, text: String) {
        #expect(MistakenCharacterSet.misreading(text, of: original) == nil, "\(original): \(text)")
    }

    @Test func `the Korean code page has all of its characters, each once`() {
        var scalars: Set<Unicode.Scalar> = []
        var count = 0
        for lead in UInt8.min...UInt8.max {
            for trail in UInt8.min...UInt8.max {
                guard let scalar = KoreanCodePage.scalar(lead, trail) else { continue }
                count += 1
                scalars.insert(scalar)
            }
        }
        // KS X 1001 with the euro and the registered sign has 8226, and of 11 172 syllables it lacks 8822.
        #expect(count == 8226 + 8822)
        #expect(scalars.count == count)
        #expect((0xAC00...0xD7A3).allSatisfy { Unicode.Scalar($0).map(scalars.contains) == true })
        #expect(KoreanCodePage.scalar(0x81, 0x41) == "갂")
        #expect(KoreanCodePage.scalar(0xA0, 0xFE) == "좤")
        #expect(KoreanCodePage.scalar(0xC6, 0x52) == "힣")
        #expect(KoreanCodePage.scalar(0xB0, 0xA1) == "가")
        #expect(KoreanCodePage.scalar(0xCA, 0xA1) == "伽")
        #expect(KoreanCodePage.scalar(0xFD, 0xFE) == "詰")
        #expect(KoreanCodePage.scalar(0xC6, 0x53) == nil)
        #expect(KoreanCodePage.scalar(0xC9, 0xA1) == nil)
    }
}
