/// What a market calls a product, or a picture: a number or a text, and of one market always the same.
///
/// Not comparable, because there are two orders: age, which only numbers show (``isNewer(than:)``), and the order of
/// output (``precedes(_:_:)``).
package enum MarketID: Hashable, Sendable, CustomStringConvertible {
    /// 64 bits; a market that names products so gives the numbers in rising order, and none twice.
    case number(Int64)
    /// Bytes that mean nothing but themselves. Indirect, so that a number takes no more room than it needs.
    indirect case text(String)

    /// Which of the two a market uses.
    package enum Kind: Hashable, Sendable, CaseIterable {
        /// Whole numbers.
        case number
        /// Texts.
        case text
    }

    /// The most bytes that a text has.
    static let longestText = 128

    /// A number.
    package init(_ number: Int64) { self = .number(number) }

    /// A text, if it can be one: not empty, not too long, without control characters.
    package init?(text: String) {
        guard Self.fault(ofText: text) == nil else { return nil }
        self = .text(text)
    }

    /// An id as a person wrote it: of numbers just their digits, from 1 on; `nil` where it cannot be one.
    package init?(spelled text: String, as kind: Kind) {
        switch kind {
        case .number:
            guard let number = Int64(text), number > 0, String(number).isExactly(text) else { return nil }
            self = .number(number)
        case .text: self.init(text: text)
        }
    }

    /// Why a text is not an id, as a clause behind "it"; `nil` where it can be one.
    package static func fault(ofText text: String) -> String? {
        if text.isEmpty { return "is empty" }
        if text.utf8.count > longestText { return "has more than \(longestText) bytes" }
        return text.unicodeScalars.contains { $0.properties.generalCategory == .control }
            ? "has a control character" : nil
    }

    /// The number, where it is one.
    package var number: Int64? { if case .number(let number) = self { number } else { nil } }

    /// How many bytes it has where it is a text; 0 where it is a number.
    var textLength: Int { if case .text(let text) = self { text.utf8.count } else { 0 } }

    /// Which of the two it is.
    package var kind: Kind { if case .number = self { .number } else { .text } }

    /// The number in decimal, or the text.
    package var description: String {
        switch self {
        case .number(let number): String(number)
        case .text(let text): text
        }
    }

    /// Compares the bytes of texts.
    package static func == (left: MarketID, right: MarketID) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left == right
        case (.text(let left), .text(let right)): left.isExactly(right)
        case (.number, .text), (.text, .number): false
        }
    }

    /// Takes the bytes of a text.
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .number(let number): hasher.combine(number)
        case .text(let text): text.withUTF8Span { $0.hash(into: &hasher) }
        }
    }
}

// MARK: - Age

extension MarketID {
    /// Whether the number shows that this was made after the other; texts never do.
    func isNewer(than other: MarketID) -> Bool {
        guard case .number(let own) = self, case .number(let other) = other else { return false }
        return own > other
    }

    /// Whether this may have been made after the other: of texts that is never excluded.
    func mayBeNewer(than other: MarketID) -> Bool {
        guard case .number(let own) = self, case .number(let other) = other else { return self != other }
        return own > other
    }
}

extension Sequence<MarketID> {
    /// The id that everything made from now on is newer than; `nil` where there is no number.
    func newest() -> MarketID? { lazy.compactMap { $0.number }.max().map { .number($0) } }
}

// MARK: - Order of output

extension MarketID {
    /// Whether one comes before another in what is shown: numbers rise, and precede texts, which are in the order of
    /// their bytes.
    package static func precedes(_ left: MarketID, _ right: MarketID) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.number, .text): true
        case (.text, .number): false
        }
    }

    /// The other way round, in which of numbers the newest come first.
    package static func follows(_ left: MarketID, _ right: MarketID) -> Bool { precedes(right, left) }
}

extension Sequence<MarketID> {
    /// The ids in the order of output.
    package func inOrder() -> [MarketID] { sorted(by: MarketID.precedes) }
}
