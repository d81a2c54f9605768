struct SeedArticle: Sendable {
    var shape: SeedDrawing.Shape
    var english: String
    var korean: String
    var englishText: String
    var koreanText: String
    /// The price in thousands of won, or in dollars.
    var thousands: ClosedRange<Int64>

    static let all: [SeedArticle] = [
        SeedArticle(
            shape: .jar,
            english: "moon jar",
            korean: "달항아리",
            englishText:
                "A round porcelain jar, thrown in two halves and joined by hand. Each one is a little different.",
            koreanText: "물레로 빚은 두 개의 사발을 맞붙여 만든 둥근 백자 항아리입니다. 모양이 조금씩 다릅니다.",
            thousands: 60...320
        ),
        SeedArticle(
            shape: .cup,
            english: "tea cup",
            korean: "찻잔",
            englishText: "A glazed cup for green tea. Holds 120 ml and is safe in a dishwasher.",
            koreanText: "녹차를 담기 좋은 찻잔입니다. 용량은 120ml이며 식기세척기에 사용할 수 있습니다.",
            thousands: 9...45
        ),
        SeedArticle(
            shape: .lamp,
            english: "desk lamp",
            korean: "책상 스탠드",
            englishText: "Warm light that can be dimmed, two arms, and a heavy foot. The bulb comes with it.",
            koreanText: "밝기를 조절할 수 있는 따뜻한 빛의 스탠드입니다. 전구가 포함되어 있습니다.",
            thousands: 25...140
        ),
        SeedArticle(
            shape: .bag,
            english: "canvas bag",
            korean: "캔버스 가방",
            englishText: "A sturdy bag of cotton canvas with an inner pocket. 38 by 40 cm.",
            koreanText: "안주머니가 있는 튼튼한 면 캔버스 가방입니다. 크기는 38x40cm입니다.",
            thousands: 15...70
        ),
        SeedArticle(
            shape: .book,
            english: "notebook",
            korean: "공책",
            englishText: "192 pages of uncoated paper, sewn, so that it stays open on any page.",
            koreanText: "실로 엮어 어느 쪽이든 잘 펼쳐지는 192쪽 공책입니다.",
            thousands: 4...18
        ),
        SeedArticle(
            shape: .plate,
            english: "serving plate",
            korean: "접시",
            englishText: "A flat plate of stoneware, 24 cm across, with a rim that keeps sauces on it.",
            koreanText: "지름 24cm의 납작한 도자기 접시입니다. 테두리가 있어 국물이 넘치지 않습니다.",
            thousands: 12...60
        ),
        SeedArticle(
            shape: .bottle,
            english: "water bottle",
            korean: "물병",
            englishText: "Keeps drinks cold for 24 hours and hot for 12. Steel, 500 ml.",
            koreanText: "24시간 차갑게, 12시간 따뜻하게 유지되는 500ml 스테인리스 물병입니다.",
            thousands: 14...55
        ),
        SeedArticle(
            shape: .cushion,
            english: "floor cushion",
            korean: "방석",
            englishText: "A filled cushion of washed linen for the floor or a chair. The cover comes off.",
            koreanText: "바닥이나 의자에 놓기 좋은 린넨 방석입니다. 커버를 벗겨 세탁할 수 있습니다.",
            thousands: 18...80
        ),
    ]
}

struct SeedColour: Sendable {
    var english: String
    var korean: String
    /// Red, green and blue.
    var body: [UInt8]
    var shade: [UInt8]

    static let white = SeedColour(english: "White", korean: "흰", body: [0xF2, 0xEF, 0xE6], shade: [0xC9, 0xC3, 0xB4])
    static let celadon = SeedColour(
        english: "Celadon",
        korean: "청자색",
        body: [0x9D, 0xBF, 0xAE],
        shade: [0x6C, 0x95, 0x82]
    )
    static let indigo = SeedColour(
        english: "Indigo",
        korean: "쪽빛",
        body: [0x3E, 0x54, 0x8A],
        shade: [0x27, 0x38, 0x63]
    )
    static let red = SeedColour(english: "Red", korean: "빨간", body: [0xC2, 0x45, 0x3A], shade: [0x8C, 0x2C, 0x25])
    static let yellow = SeedColour(
        english: "Yellow",
        korean: "노란",
        body: [0xE8, 0xB8, 0x3F],
        shade: [0xB0, 0x85, 0x22]
    )
    static let black = SeedColour(english: "Black", korean: "검은", body: [0x3A, 0x3A, 0x40], shade: [0x1E, 0x1E, 0x23])
    static let pink = SeedColour(english: "Pink", korean: "분홍", body: [0xE3, 0xA0, 0xAE], shade: [0xB4, 0x6F, 0x80])
    static let oak = SeedColour(english: "Oak", korean: "참나무색", body: [0xC0, 0x93, 0x60], shade: [0x8C, 0x65, 0x3A])

    static let all: [SeedColour] = [.white, .celadon, .indigo, .red, .yellow, .black, .pink, .oak]
}
