/// A text with places that are filled for each request: `/products/{id}.json`.
package struct Template: Hashable, Sendable, CustomStringConvertible {
    /// A part of a template.
    package enum Piece: Hashable, Sendable {
        /// Text as it is sent.
        case text(String)
        /// A place to fill.
        case placeholder(Placeholder)
    }

    /// The parts in order; no two texts follow each other.
    package let pieces: [Piece]

    /// What a text in a description must look like to be a template.
    static let pattern = #"^[^{}]*(\{[a-z][a-z0-9_]*\}[^{}]*)*"# + TextForm.end

    /// Reads a template; `nil` where a brace has no partner, or what is in braces is not a name.
    init?(_ text: String) {
        var pieces: [Piece] = []
        var rest = Substring(text)
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            if brace > rest.startIndex { pieces.append(.text(String(rest[..<brace]))) }
            let behind = rest[rest.index(after: brace)...]
            guard rest[brace] == "{", let end = behind.firstIndex(of: "}") else { return nil }
            let name = String(behind[..<end])
            guard TextForm.placeholder.takes(name) else { return nil }
            pieces.append(.placeholder(Placeholder(name: name)))
            rest = behind[behind.index(after: end)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        self.pieces = pieces
    }

    /// A template of pieces.
    init(pieces: [Piece]) { self.pieces = pieces }

    /// No text at all.
    static let empty = Template(pieces: [])

    /// What has to be filled, in order.
    package var placeholders: [Placeholder] {
        pieces.compactMap { if case .placeholder(let placeholder) = $0 { placeholder } else { nil } }
    }

    /// Whether a placeholder is in it.
    package func names(_ placeholder: Placeholder) -> Bool { placeholders.contains(placeholder) }

    /// The texts between the placeholders.
    var texts: [String] { pieces.compactMap { if case .text(let text) = $0 { text } else { nil } } }

    /// The template as it is written.
    package var description: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .placeholder(let placeholder): placeholder.description
            }
        }.joined()
    }

    /// Two templates one behind the other.
    static func + (left: Template, right: Template) -> Template {
        guard case .text(let end)? = left.pieces.last, case .text(let start)? = right.pieces.first else {
            return Template(pieces: left.pieces + right.pieces)
        }
        return Template(pieces: left.pieces.dropLast() + [.text(end + start)] + right.pieces.dropFirst())
    }
}

extension Template {
    /// Where a filled template is sent, which says how values are encoded.
    package enum Place: Hashable, Sendable {
        /// In a path: a value is one segment, or a part of one.
        case path
        /// As the value of a query.
        case query
        /// In a header, or in a body: as it is.
        case verbatim
    }

    /// The text to send.
    ///
    /// - Parameters:
    ///   - place: where it is sent.
    ///   - value: the value of a placeholder.
    /// - Returns: `nil` where a value is missing, or cannot be in a path: there an empty one, `.` and `..` lead
    ///   elsewhere.
    package func filled(for place: Place, _ value: (Placeholder) -> String?) -> String? {
        var text = ""
        for piece in pieces {
            switch piece {
            // A path is written as it is sent.
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

extension String {
    /// The text as one segment of a path or one value of a query: all but the unreserved characters of RFC 3986 are
    /// encoded.
    package var percentEncoded: String {
        guard !utf8.allSatisfy(\.isUnreserved) else { return self }
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in utf8 {
            if byte.isUnreserved {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// Whether it is a character that RFC 3986 leaves as it is everywhere.
    fileprivate var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
