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
