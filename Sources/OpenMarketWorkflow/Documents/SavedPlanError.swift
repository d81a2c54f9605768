package struct SavedPlanError: Error, Hashable, Sendable {
    package enum Code: Hashable, Sendable {
        case notAPlan
        case manifest(String)
        /// The plan has another format or unknown content, or contradicts itself; planning the manifest again with this
        /// version helps.
        case unreadable
        /// The plan is a preview without the data for applying it.
        case previewOnly
    }

    package var code: Code
    package var message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
