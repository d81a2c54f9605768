/// A language that the page of a plan is written in.
package enum PageLanguage: String, Sendable, CaseIterable {
    /// English.
    case english = "en"
    /// Korean.
    case korean = "ko"
}
