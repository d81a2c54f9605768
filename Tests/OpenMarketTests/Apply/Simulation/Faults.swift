@testable import OpenMarketTestSupport

/// How often what goes wrong, and what others do meanwhile.
struct Faults: Sendable {
    /// No connection: nothing happened.
    var notSent = 0.0
    /// 429, with a time to wait.
    var overload = 0.0
    /// The reply is lost, nothing happened.
    var lostWithoutEffect = 0.0
    /// It happened, the reply is lost.
    var lostWithEffect = 0.0
    /// Time ran out; it happens later.
    var lateEffect = 0.0
    /// The reply shows less than it should.
    var sparseReply = 0.0
    /// A reading request fails.
    var unreadable = 0.0
    /// Another seller lists a product that equals one of ours.
    var foreignTwin = 0.0

    static let none = Faults()
}

extension Faults {
    /// Faults of one of these severities.
    init(_ dice: inout SeededGenerator, severities: [Double] = [0, 0.05, 0.15, 0.3]) {
        let severity = severities.randomElement(using: &dice) ?? 0
        notSent = severity * .random(in: 0...1, using: &dice)
        overload = severity * .random(in: 0...1, using: &dice)
        lostWithoutEffect = severity * .random(in: 0...1, using: &dice)
        lostWithEffect = severity * .random(in: 0...1, using: &dice)
        lateEffect = severity * .random(in: 0...1, using: &dice)
        sparseReply = severity * .random(in: 0...0.5, using: &dice)
        unreadable = severity * .random(in: 0...0.3, using: &dice)
        foreignTwin = .random(in: 0...0.2, using: &dice)
    }
}
