/// An error or a warning about the user's input: message, location and remedy.
///
/// Each constructor is next to the code that finds its mistake. Only the command line turns diagnostics into text. All
/// texts lose loaded secrets and the credentials of URLs.
package struct Diagnostic: Hashable, Sendable {
    package enum Severity: String, Hashable, Sendable {
        /// No request is sent.
        case error
        /// Work continues.
        case warning
    }

    /// A second location that explains the first: "the key was used first here".
    package struct Note: Hashable, Sendable {
        /// One sentence, lower case, no full stop.
        package var message: String
        package var location: SourceLocation?

        package init(_ message: String, location: SourceLocation? = nil) {
            self.message = message.masked.withoutURLCredentials
            self.location = location
        }
    }

    package var severity: Severity
    package var code: Code
    /// One sentence, lower case, no full stop.
    package var message: String
    /// `nil` if no file is the cause.
    package var location: SourceLocation?
    /// The field's path, such as `products[3].sale_price`; empty if there is none.
    package var path: String
    /// The input line at ``location``, for the code frame; at most 400 characters around the column.
    package var excerpt: SourceExcerpt?
    /// The remedy, such as "did you mean 'stock'?"; `nil` if the message suffices.
    package var help: String?
    package var notes: [Note]
    /// The number of mistakes of the same kind that this diagnostic represents.
    package var count: Int

    package init(
        _ severity: Severity,
        _ code: Code,
        _ message: String,
        location: SourceLocation? = nil,
        path: String = "",
        excerpt: SourceExcerpt? = nil,
        help: String? = nil,
        notes: [Note] = [],
        count: Int = 1
    ) {
        self.severity = severity
        self.code = code
        self.message = message.masked.withoutURLCredentials
        self.location = location
        self.path = path
        self.excerpt = excerpt
        self.help = help?.masked.withoutURLCredentials
        self.notes = notes
        self.count = count
    }
}

/// A line of input with a position to mark.
package struct SourceExcerpt: Hashable, Sendable {
    /// The line without its line break, or a window of a very long line.
    package var text: String
    /// The number of Unicode scalars of ``text`` before the caret.
    package var caret: Int
    /// The number of scalars to underline, at least 1.
    package var length: Int

    package init(text: String, caret: Int, length: Int = 1) {
        self.text = text
        self.caret = caret
        self.length = length
    }
}

extension [Diagnostic] {
    /// `3 errors, 1 warning`.
    package var counted: String {
        let errors = reduce(0) { $0 + ($1.severity == .error ? $1.count : 0) }
        let warnings = reduce(0) { $0 + ($1.severity == .warning ? $1.count : 0) }
        return [(errors, "error"), (warnings, "warning")].filter { $0.0 > 0 }.map { OpenMarket.counted($0, $1) }
            .joined(separator: ", ")
    }
}
