/// The form of a text; the reader's check and the JSON Schema's pattern derive from it.
package struct TextForm: Sendable {
    /// Characters, in the notation of a regular expression's brackets.
    package struct Characters: Sendable {
        package let pattern: String
        package let ranges: [ClosedRange<Unicode.Scalar>]

        package init(_ pattern: String, _ ranges: [ClosedRange<Unicode.Scalar>]) {
            self.pattern = pattern
            self.ranges = ranges
        }

        func contain(_ scalar: Unicode.Scalar) -> Bool { ranges.contains { $0.contains(scalar) } }
    }

    /// The form in words, for messages and the reference: `the name of a header`.
    package let words: String
    /// A remedy for a text in another form; `nil` if the words suffice.
    package let help: String?
    /// The regular expression of the JSON Schema.
    package let pattern: String
    private let first: Characters
    private let rest: Characters
    private let length: ClosedRange<Int>

    package init(
        _ words: String,
        _ first: Characters,
        _ rest: Characters,
        _ length: ClosedRange<Int>,
        help: String? = nil
    ) {
        self.words = words
        self.help = help
        self.first = first
        self.rest = rest
        self.length = length
        pattern =
            length.lowerBound == 0
            ? "^[\(rest.pattern)]{0,\(length.upperBound)}\(Self.end)"
            : "^[\(first.pattern)][\(rest.pattern)]{\(length.lowerBound - 1),\(length.upperBound - 1)}\(Self.end)"
    }

    /// The end of a text in a regular expression: in some engines `$` also matches before a last line feed.
    package static let end = #"$(?!\n)"#

    package func takes(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard length.contains(scalars.count) else { return false }
        guard let start = scalars.first else { return true }
        let isRest = length.lowerBound == 0
        return (isRest ? rest : first).contain(start) && scalars.dropFirst().allSatisfy { rest.contain($0) }
    }
}
