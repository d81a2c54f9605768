/// Something wrong, or doubtful, in the user's input: what, where, and what to do.
///
/// The constructors named after mistakes are next to the code that finds them; only the command line turns
/// diagnostics into text. What it is made with is kept without credentials of URLs.
package struct Diagnostic: Hashable, Sendable {
    /// The severity.
    package enum Severity: String, Hashable, Sendable {
        /// Nothing is sent while there is one of these.
        case error
        /// Worth a look; work goes on.
        case warning
    }

    /// A second place that explains the first: "the key was used first here".
    package struct Note: Hashable, Sendable {
        /// One sentence, lower case, no full stop.
        package var message: String
        /// The place in a file, where there is one.
        package var location: SourceLocation?

        /// A note at a place.
        package init(_ message: String, location: SourceLocation? = nil) {
            self.message = message.withoutURLCredentials
            self.location = location
        }
    }

    /// The severity.
    package var severity: Severity
    /// The kind of the mistake.
    package var code: Code
    /// One sentence, lower case, no full stop.
    package var message: String
    /// Where in the input; `nil` where no file is at fault.
    package var location: SourceLocation?
    /// The field's path: `products[3].sale_price`, `market.url`; empty where there is none.
    package var path: String
    /// The line of the input at ``location``, for the code frame; at most 400 characters around the column.
    package var excerpt: SourceExcerpt?
    /// What to do about it: "did you mean 'stock'?"; `nil` where the message says it all.
    package var help: String?
    /// Further places.
    package var notes: [Note]
    /// How many mistakes of its kind it represents.
    package var count: Int

    /// Describes a mistake.
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
        self.message = message.withoutURLCredentials
        self.location = location
        self.path = path
        self.excerpt = excerpt
        self.help = help?.withoutURLCredentials
        self.notes = notes
        self.count = count
    }
}

/// A line of input with the place to point at.
package struct SourceExcerpt: Hashable, Sendable {
    /// The line without its end, or a window of it where the line is very long.
    package var text: String
    /// Where the caret goes: Unicode scalars of ``text`` before it.
    package var caret: Int
    /// How many scalars to underline, at least 1.
    package var length: Int

    /// A line and its caret.
    package init(text: String, caret: Int, length: Int = 1) {
        self.text = text
        self.caret = caret
        self.length = length
    }
}

extension [Diagnostic] {
    /// How many errors and warnings there are: `3 errors, 1 warning`.
    package var counted: String {
        let errors = reduce(0) { $0 + ($1.severity == .error ? $1.count : 0) }
        let warnings = reduce(0) { $0 + ($1.severity == .warning ? $1.count : 0) }
        return [(errors, "error"), (warnings, "warning")].filter { $0.0 > 0 }.map { OpenMarket.counted($0, $1) }
            .joined(separator: ", ")
    }
}
