package enum PageLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case korean = "ko"
}
