@testable import OpenMarketTestSupport

/// How likely each thing is to go wrong between client and market, or in one reply of the market's.
struct Weather: Sendable {
    /// What can happen to one request.
    enum Trouble: String, Sendable, CaseIterable {
        // Nothing, or half of it, arrives.
        case noConnection, cutBefore, cutAfter, lateEffect
        // Something else answers.
        case overload, failureBefore, failureAfter, pageBefore, pageAfter
        // The market answers, and not as it should.
        case otherProduct, null, absent, cutText, foldedText, reorderedPictures
        // Pages of the list.
        case repeatedPage, emptyPage, shortPage, lyingTotal, unreadableIDs
    }

    var chances: [Trouble: Double] = [:]

    /// Nothing goes wrong.
    static let calm = Weather(chances: [:])

    /// A few kinds of trouble, each more or less often.
    static func drawn(_ dice: inout SeededGenerator) -> Weather {
        let kinds = Trouble.allCases.shuffled(using: &dice).prefix(Int.random(in: 1...5, using: &dice))
        let severity = [0.03, 0.1, 0.3].randomElement(using: &dice) ?? 0.1
        return Weather(
            chances: Dictionary(
                uniqueKeysWithValues: kinds.map { ($0, severity * Double.random(in: 0.2...1, using: &dice)) }
            )
        )
    }

    /// What happens to a request, if anything.
    func trouble(_ dice: inout SeededGenerator) -> Trouble? {
        var rest = Double.random(in: 0..<1, using: &dice)
        // In a certain order, because a dictionary's own differs from run to run.
        for kind in Trouble.allCases {
            guard let chance = chances[kind] else { continue }
            rest -= chance
            if rest < 0 { return kind }
        }
        return nil
    }
}
