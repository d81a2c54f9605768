/// A text that equals nothing but the same bytes: a key for dictionaries and sets of paths and URLs.
///
/// Swift's own strings are equal when a person cannot tell them apart: `é` may be one character or an `e` with an
/// accent, `한` one syllable or three letters. File systems, SQLite and markets compare bytes, and what was sent is what
/// was meant, so texts from outside are compared by ``==(_:_:)`` here or by ``Swift/String/isExactly(_:)``.
public struct ExactText: Hashable, Sendable {
    /// The text.
    public let text: String

    /// Wraps a text.
    public init(_ text: String) {
        self.text = text
    }

    /// Compares the bytes; the hash of the text fits, for it is the same for more texts.
    public static func == (left: ExactText, right: ExactText) -> Bool { left.text.isExactly(right.text) }
}

extension ExactText: ExpressibleByStringLiteral {
    /// Wraps a constant.
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

extension Dictionary where Key == ExactText {
    /// The value of exactly this text.
    public subscript(_ text: String) -> Value? {
        get { self[ExactText(text)] }
        set { self[ExactText(text)] = newValue }
    }
}

extension String {
    /// Whether the other text has the same bytes, which fewer texts have than are equal.
    package func isExactly(_ other: String) -> Bool {
        let fast = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { own.count == $0.count && own.elementsEqual($0) }
        }
        return fast.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }

    /// The text in composed form (Unicode's NFC): the one spelling of all that a person cannot tell apart.
    ///
    /// Keys of products are normalised so wherever they are read, for two editors, or a Mac and Linux, may write the
    /// same key in other bytes.
    package var composed: String {
        // Below U+0300 no character has another spelling or joins the one before it.
        if utf8.allSatisfy({ $0 < 0xCC }) { return self }
        // The one way to NFC that the standard library has; it is public, and its name may change.
        let bytes = _nfcCodeUnits
        return utf8.elementsEqual(bytes) ? self : String(decoding: bytes, as: UTF8.self)
    }
}

extension String? {
    /// Whether the other text has the same bytes, or both are missing.
    package func isExactly(_ other: String?) -> Bool {
        switch (self, other) {
        case (let left?, let right?): left.isExactly(right)
        case (nil, nil): true
        default: false
        }
    }
}
