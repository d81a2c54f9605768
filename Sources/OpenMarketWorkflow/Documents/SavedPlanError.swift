/// Why bytes cannot be carried out as a saved plan.
package struct SavedPlanError: Error, Hashable, Sendable {
    /// The error category.
    package enum Code: Hashable, Sendable {
        /// The bytes are not a saved plan.
        case notAPlan
        /// This file is a manifest or a table.
        case manifest(String)
        /// A plan of another format, or one that says what this version does not know or contradicts itself; the same
        /// manifest planned again by this version makes a good one.
        case unreadable
        /// A preview, which does not hold what carrying it out needs.
        case previewOnly
    }

    /// The error category.
    package var code: Code
    /// What is wrong, in one clause.
    package var message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
