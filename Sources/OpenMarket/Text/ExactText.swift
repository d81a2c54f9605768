/// A text that equals only the same bytes, for dictionaries and sets of paths and URLs.
///
/// Swift's strings are equal if they look the same: `é` may be one character or an `e` with an accent, `한` one syllable
/// or three letters. File systems, SQLite and markets compare bytes. So external texts are compared by ``==(_:_:)``
/// here or by `String.isExactly(_:)`.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// The text's own hash fits, because equal bytes have equal hashes.
    package static func == (left: ExactText, right: ExactText) -> Bool { left.text.isExactly(right.text) }
}

extension ExactText: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        self.init(text)
    }
}

extension Dictionary where Key == ExactText {
    package subscript(_ text: String) -> Value? {
        get { self[ExactText(text)] }
        set { self[ExactText(text)] = newValue }
    }
}

extension String {
    /// Whether the other text has the same bytes, which is stricter than `==`.
    package func isExactly(_ other: String) -> Bool {
        withUTF8Span { $0.isExactly(other) }
    }

    /// The text in composed form (Unicode's NFC), the single spelling of all texts that look the same.
    ///
    /// Product keys are normalized as they are read: two editors, or a Mac and Linux, may write one key in different
    /// bytes.
    package var composed: String {
        if isKnownComposed { return self }
        // The only way to NFC in the standard library; it is public, but its name may change.
        let bytes = _nfcCodeUnits
        return utf8.elementsEqual(bytes) ? self : String(decoding: bytes, as: UTF8.self)
    }

    /// Fast path for composed form: `false` means undecided, as for some composed texts.
    var isKnownComposed: Bool {
        withUTF8Span { $0.isKnownComposed }
    }

    /// A hash that is the same for all texts that look the same.
    ///
    /// It hashes the bytes of most texts; the standard library normalizes every text beyond ASCII first.
    package var composedHash: Int {
        withUTF8Span { $0.isKnownComposed ? $0.byteHash : nil } ?? composed.withUTF8Span { $0.byteHash }
    }
}

extension Span<UInt8> {
    /// See ``Swift/String/isKnownComposed``.
    var isKnownComposed: Bool { unsafe withUnsafeBufferPointer { unsafe $0.isKnownComposed } }

    var byteHash: Int {
        var hasher = Hasher()
        hash(into: &hasher)
        return hasher.finalize()
    }
}

// Hot: it reads the bytes of every key, and a span would check the bounds of each.
extension UnsafeBufferPointer<UInt8> {
    fileprivate var isKnownComposed: Bool {
        var index = 0
        while index < count {
            let byte = unsafe self[index]
            index += 1
            // Below U+0300 no character has another spelling or joins the previous one.
            if byte < 0xCC { continue }
            // A text that ends inside a character is not whole.
            guard index + 1 < count else { return false }
            let second = unsafe self[index]
            switch byte {
            // Ideographs, U+4000 to U+9FFF, and Hangul syllables, U+B000 to U+CFFF.
            case 0xE4...0xE9, 0xEB, 0xEC: break
            // Hangul syllables, U+AC00 to U+AFFF and U+D000 to U+D77F; characters that join them begin differently.
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
