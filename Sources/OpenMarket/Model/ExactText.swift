/// A text that equals nothing but the same bytes: a key for dictionaries and sets of paths and URLs.
///
/// Swift's own strings are equal when they look the same: `é` may be one character or an `e` with an
/// accent, `한` one syllable or three letters. File systems, SQLite and markets compare bytes, and what was sent is what
/// was meant, so texts from outside are compared by ``==(_:_:)`` here or by `String.isExactly(_:)`.
package struct ExactText: Hashable, Sendable {
    /// The text.
    package let text: String

    /// Wraps a text.
    package init(_ text: String) {
        self.text = text
    }

    /// Compares the bytes; the hash of the text fits, because it is the same for more texts.
    package static func == (left: ExactText, right: ExactText) -> Bool { left.text.isExactly(right.text) }
}

extension ExactText: ExpressibleByStringLiteral {
    /// Wraps a constant.
    package init(stringLiteral text: String) {
        self.init(text)
    }
}

extension Dictionary where Key == ExactText {
    /// The value of exactly this text.
    package subscript(_ text: String) -> Value? {
        get { self[ExactText(text)] }
        set { self[ExactText(text)] = newValue }
    }
}

extension String {
    /// Whether the other text has the same bytes, which fewer texts have than are equal.
    package func isExactly(_ other: String) -> Bool {
        withUTF8Span { $0.isExactly(other) }
    }

    /// The text in composed form (Unicode's NFC): the one spelling of all that look the same.
    ///
    /// Keys of products are normalised so wherever they are read, because two editors, or a Mac and Linux, may write the
    /// same key in other bytes.
    package var composed: String {
        if isKnownComposed { return self }
        // The one way to NFC that the standard library has; it is public, and its name may change.
        let bytes = _nfcCodeUnits
        return utf8.elementsEqual(bytes) ? self : String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a look at the bytes shows that the text is in composed form; most other texts are, too.
    var isKnownComposed: Bool {
        withUTF8Span { $0.isKnownComposed }
    }

    /// A hash that is the same for all texts that look the same.
    ///
    /// Of most texts that is a hash of the bytes; the standard library normalises every text beyond ASCII for it.
    package var composedHash: Int {
        withUTF8Span { $0.isKnownComposed ? $0.byteHash : nil } ?? composed.withUTF8Span { $0.byteHash }
    }
}

extension Span<UInt8> {
    /// See ``Swift/String/isKnownComposed``.
    var isKnownComposed: Bool { unsafe withUnsafeBufferPointer { unsafe $0.isKnownComposed } }

    /// A hash of the bytes.
    var byteHash: Int {
        var hasher = Hasher()
        hash(into: &hasher)
        return hasher.finalize()
    }
}

// Hot: the bytes of every key, which a span would check one by one.
extension UnsafeBufferPointer<UInt8> {
    fileprivate var isKnownComposed: Bool {
        var index = 0
        while index < count {
            let byte = unsafe self[index]
            index += 1
            // Below U+0300 no character has another spelling or joins the one before it.
            if byte < 0xCC { continue }
            // Whole: a text that ends within a character is not one.
            guard index + 1 < count else { return false }
            let second = unsafe self[index]
            switch byte {
            // Ideographs, U+4000 to U+9FFF, and Hangul syllables, U+B000 to U+CFFF.
            case 0xE4...0xE9, 0xEB, 0xEC: break
            // Hangul syllables, U+AC00 to U+AFFF and U+D000 to U+D77F; what joins them begins otherwise.
            case 0xEA where second >= 0xB0: break
            case 0xED where second <= 0x9D: break
            // Dashes, quotes and dots, U+2010 to U+203F.
            case 0xE2 where unsafe second == 0x80 && self[index + 1] >= 0x90: break
            default: return false
            }
            index += 2
        }
        return true
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
