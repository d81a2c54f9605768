import Foundation
@testable import OpenMarketTestSupport

/// What one market does as long as a history lasts, where docs/reference/open-market-versions.md leaves it open or
/// several ways were seen.
struct ModelHabits: Sendable {
    /// What becomes of texts on their way into the database.
    enum TextStorage: Sendable, Equatable {
        case asSent
        /// Unicode's composed form.
        case composed
        /// Unicode's decomposed form.
        case decomposed
        /// No longer than so many characters.
        case cut(Int)
    }

    /// What becomes of a name on its way into the database, beside what becomes of all texts.
    enum NameStorage: CaseIterable, Sendable {
        case entities, untagged, collapsed, curled, titled, emojiless, shouted, dashed, labelled, censored

        /// Whether names show what was sent but for what people overlook; otherwise nothing but a journal does.
        var isRecognizable: Bool { self != .labelled && self != .censored }

        /// A name as a market that rewrites names in this way keeps it.
        func of(_ name: String) -> String {
            switch self {
            case .entities: name.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            case .untagged: name.replacing("<b>", with: "").replacing("</b>", with: "")
            case .collapsed: name.split(separator: " ").joined(separator: " ")
            case .curled: name.replacing("'", with: "\u{2019}")
            case .titled: name.capitalized
            case .emojiless: String(name.filter { !$0.unicodeScalars.contains { $0.properties.isEmojiPresentation } })
            case .shouted: name.uppercased()
            case .dashed: name.replacing("-", with: "\u{2013}")
            case .labelled: "New: \(name) | Our market"
            case .censored: name.replacing("ec", with: "**").replacing("am", with: "**")
            }
        }
    }

    /// `nil` keeps names as they are sent.
    var names: NameStorage?
    /// Whether the newest id is given out again after a delete; sometimes its seller deletes the newest product just
    /// before a create.
    var reusesIDs = false
    /// The most rows a page has (v2); neither an upper bound nor its absence was reported.
    var pageCap = 100
    /// How likely a page of the list reorders rows that were made on the same day (v2), or all (v1).
    var shufflesRows = 0.0
    var texts = TextStorage.asSent
    var idsAreTexts = false
    /// Whether prices are written `6.0E7` also below ten million.
    var spellsExponents = false
    var shufflesMembers = false
    /// For how long v1 answers 404 after a write, and whether the list waits as well.
    var readDelay: Duration = .zero
    var delaysList = false
    /// The statuses of what succeeds, where more than 200 was seen.
    var createStatus = 200
    var keyStatus = 200
    var deleteStatus = 200
    var deleteAnswersNothing = false
    /// Whether v1's details lack thumbnails (D1).
    var hidesThumbnails = false
    /// What v2 answers to a write to another vendor's product.
    var foreignStatus = 403
    /// Whether a v1 market keeps pictures as other bytes than it was sent.
    var transcodesPictures = true

    /// Draws the rarer habits, which change nothing about the others.
    mutating func drawRare(_ dice: inout SeededGenerator) {
        guard Int.random(in: 0..<2, using: &dice) == 0 else { return }
        reusesIDs = Int.random(in: 0..<4, using: &dice) == 0
        guard let names = NameStorage.allCases.randomElement(using: &dice) else { return }
        (self.names, texts) = (names, .asSent)
    }

    /// A market that does everything in the way that was seen most.
    static let plain = ModelHabits()

    /// A market of some kind.
    init(_ dice: inout SeededGenerator) {
        func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &dice) < probability }
        pageCap = [100, 100, 2, 3, 5].randomElement(using: &dice) ?? 100
        shufflesRows = [0, 0, 0, 0.1, 0.5, 1].randomElement(using: &dice) ?? 0
        texts =
            [.asSent, .asSent, .asSent, .asSent, .asSent, .composed, .decomposed, .cut(12), .cut(40)]
            .randomElement(using: &dice) ?? .asSent
        idsAreTexts = chance(0.1)
        spellsExponents = chance(0.2)
        shufflesMembers = chance(0.2)
        readDelay = [.zero, .milliseconds(1000), .milliseconds(1900)].randomElement(using: &dice) ?? .zero
        delaysList = chance(0.5)
        createStatus = [200, 201, 202].randomElement(using: &dice) ?? 200
        keyStatus = [200, 202].randomElement(using: &dice) ?? 200
        deleteStatus = [200, 202].randomElement(using: &dice) ?? 200
        deleteAnswersNothing = chance(0.1)
        hidesThumbnails = chance(0.1)
        foreignStatus = [400, 403, 404].randomElement(using: &dice) ?? 403
        transcodesPictures = chance(0.5)
    }

    private init() {}
}
