package struct Style: Sendable {
    package enum Tone: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
        case boldRed = "1;31"
        case boldYellow = "1;33"
        case boldGreen = "1;32"
    }

    let isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    static let plain = Style(isEnabled: false)

    package func callAsFunction(_ tone: Tone, _ text: String) -> String {
        isEnabled && !text.isEmpty ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
    }
}
