import Testing

/// One text in two spellings that look the same: composed (NFC), as most editors write it, and decomposed (NFD),
/// as a Mac names files.
struct Spellings: Sendable, CustomTestStringConvertible {
    /// In composed form.
    var composed: String
    /// The same characters in other bytes.
    var decomposed: String

    init(_ composed: String, _ decomposed: String) {
        self.composed = composed
        self.decomposed = decomposed
    }

    /// Both, the composed one first.
    var both: [String] { [composed, decomposed] }

    var testDescription: String { composed }

    /// 한지등, a lamp of paper: syllables of Korean, which decompose into letters.
    static let korean = Spellings(
        "\u{D55C}\u{C9C0}\u{B4F1}",
        "\u{1112}\u{1161}\u{11AB}\u{110C}\u{1175}\u{1103}\u{1173}\u{11BC}"
    )
    /// A letter with an accent.
    static let latin = Spellings("th\u{E9}i\u{E8}re", "the\u{301}ie\u{300}re")
    /// Two marks on one letter, which have an order.
    static let marks = Spellings("b\u{1ED3}m", "b\u{6F}\u{302}\u{300}m")
    /// Characters that no text in composed form holds.
    static let excluded = Spellings("\u{915}\u{93C} \u{C5} \u{8C48}", "\u{958} \u{212B} \u{F900}")

    static let all = [korean, latin, marks, excluded]
}
