/// Why bytes cannot be carried out as a saved plan.
public struct SavedPlanError: Error, Hashable, Sendable {
    /// What is wrong, in one clause.
    public var message: String
    /// What to do about it.
    public var help: String?

    init(_ message: String, help: String? = nil) {
        self.message = message
        self.help = help
    }
}
