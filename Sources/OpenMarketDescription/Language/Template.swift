import OpenMarket
import YAML

/// A text with placeholders that are filled for each request: `/products/{id}.json`.
package struct Template: Hashable, Sendable, CustomStringConvertible {
    package enum Piece: Hashable, Sendable {
        case text(String)
        case placeholder(Placeholder)
    }

    /// The parts in order; no two texts are adjacent.
    package let pieces: [Piece]

    /// The regular expression of a template in a description.
    static let pattern = #"^[^{}]*(\{[a-z][a-z0-9_]*\}[^{}]*)*"# + TextForm.end

    /// Reads a template; `nil` if a brace is unmatched or the text in braces is not a name.
    init?(_ text: String) {
        var pieces: [Piece] = []
        var rest = Substring(text)
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            if brace > rest.startIndex { pieces.append(.text(String(rest[..<brace]))) }
            let behind = rest[rest.index(after: brace)...]
            guard rest[brace] == "{", let end = behind.firstIndex(of: "}") else { return nil }
            let name = String(behind[..<end])
            guard TextForm.parameter.takes(name) else { return nil }
            pieces.append(.placeholder(Placeholder(name: name)))
            rest = behind[behind.index(after: end)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        self.pieces = pieces
    }

    init(pieces: [Piece]) { self.pieces = pieces }

    static let empty = Template(pieces: [])

    /// The placeholders in order.
    package var placeholders: [Placeholder] {
        pieces.compactMap { if case .placeholder(let placeholder) = $0 { placeholder } else { nil } }
    }

    package func names(_ placeholder: Placeholder) -> Bool { placeholders.contains(placeholder) }

    package func start(before placeholder: Placeholder) -> Template {
        Template(pieces: Array(pieces.prefix { $0 != .placeholder(placeholder) }))
    }

    package var description: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .placeholder(let placeholder): placeholder.description
            }
        }.joined()
    }

    static func + (left: Template, right: Template) -> Template {
        guard case .text(let end)? = left.pieces.last, case .text(let start)? = right.pieces.first else {
            return Template(pieces: left.pieces + right.pieces)
        }
        return Template(pieces: left.pieces.dropLast() + [.text(end + start)] + right.pieces.dropFirst())
    }
}

extension Template {
    /// The part of a request that contains a filled template, which determines how values are encoded.
    package enum Place: Hashable, Sendable {
        /// In a path: a value is one segment or a part of one.
        case path
        case query
        /// In a header or a body, without encoding.
        case verbatim
    }

    /// The text to send.
    ///
    /// It is `nil` if a value is missing or is not allowed in a path: an empty one, `.` and `..` lead to another path.
    package func filled(for place: Place, _ value: (Placeholder) -> String?) -> String? {
        var text = ""
        for piece in pieces {
            switch piece {
            // A path is already encoded.
            case .text(let literal): text += place == .query ? literal.percentEncoded : literal
            case .placeholder(let placeholder):
                guard let value = value(placeholder) else { return nil }
                if place == .path, ["", ".", ".."].contains(value) { return nil }
                text += place == .verbatim ? value : value.percentEncoded
            }
        }
        return text
    }
}
