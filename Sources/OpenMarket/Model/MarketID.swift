/// A market's ID of a product or a picture: a number or a text, the same kind throughout a market.
///
/// Not comparable, because there are two orders: age, which only numbers show (``isNewer(than:)``), and the order of
/// output (``precedes(_:_:)``).
package enum MarketID: Hashable, Sendable, CustomStringConvertible {
    /// A market assigns numbers in rising order, and none twice.
    case number(Int64)
    /// Opaque bytes; indirect, so that a number stays small in memory.
    indirect case text(String)

    package enum Kind: Hashable, Sendable, CaseIterable {
        case number
        case text
    }

    /// In bytes.
    static let longestText = 128

    package init(_ number: Int64) { self = .number(number) }

    /// `nil` if the text is empty, too long, or has control characters.
    package init?(text: String) {
        guard Self.fault(ofText: text) == nil else { return nil }
        self = .text(text)
    }

    /// Parses an ID that a person wrote; a number has only digits and is at least 1.
    package init?(spelled text: String, as kind: Kind) {
        switch kind {
        case .number:
            guard let number = Int64(canonical: text), number > 0 else { return nil }
            self = .number(number)
        case .text: self.init(text: text)
        }
    }

    /// Why a text is not an ID, as a clause after "it"; `nil` if it can be one.
    package static func fault(ofText text: String) -> String? {
        if text.isEmpty { return "is empty" }
        if text.utf8.count > longestText { return "has more than \(longestText) bytes" }
        return text.unicodeScalars.contains { $0.properties.generalCategory == .control }
            ? "has a control character" : nil
    }

    package var number: Int64? { if case .number(let number) = self { number } else { nil } }

    /// In bytes; 0 for a number.
    var textLength: Int { if case .text(let text) = self { text.utf8.count } else { 0 } }

    package var kind: Kind { if case .number = self { .number } else { .text } }

    package var description: String {
        switch self {
        case .number(let number): String(number)
        case .text(let text): text
        }
    }

    /// Compares texts by their bytes.
    package static func == (left: MarketID, right: MarketID) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left == right
        case (.text(let left), .text(let right)): left.isExactly(right)
        case (.number, .text), (.text, .number): false
        }
    }

    /// Hashes texts by their bytes.
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .number(let number): hasher.combine(number)
        case .text(let text): text.withUTF8Span { $0.hash(into: &hasher) }
        }
    }
}

// MARK: - Age

extension MarketID {
    /// Whether the number proves a later creation; texts never do.
    func isNewer(than other: MarketID) -> Bool {
        guard case .number(let own) = self, case .number(let other) = other else { return false }
        return own > other
    }

    /// Whether a later creation is possible; for different texts it always is.
    func mayBeNewer(than other: MarketID) -> Bool {
        guard case .number(let own) = self, case .number(let other) = other else { return self != other }
        return own > other
    }
}

extension Sequence<MarketID> {
    /// The highest number, which every later ID exceeds; `nil` without numbers.
    func newest() -> MarketID? { lazy.compactMap { $0.number }.max().map { .number($0) } }
}

// MARK: - Order of output

extension MarketID {
    /// The order of output: rising numbers, then texts by their bytes.
    package static func precedes(_ left: MarketID, _ right: MarketID) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.number, .text): true
        case (.text, .number): false
        }
    }

    /// The reverse order, newest numbers first.
    package static func follows(_ left: MarketID, _ right: MarketID) -> Bool { precedes(right, left) }
}

extension Sequence<MarketID> {
    package func inOrder() -> [MarketID] { sorted(by: MarketID.precedes) }
}

extension Int64 {
    /// Parses a canonical number: no leading zeros, and `-` before a negative one.
    package init?(canonical text: String) {
        guard let number = Int64(text), String(number).isExactly(text) else { return nil }
        self = number
    }
}
