/// A string of a JSON text as it is between its quotes: checked, and copied only when it is wanted.
///
/// Valid only as long as the bytes of the reader that it came from are.
package struct JSONText {
    let raw: UnsafeBufferPointer<UInt8>
    let hasEscapes: Bool

    init(raw: UnsafeBufferPointer<UInt8>, hasEscapes: Bool) {
        self.raw = raw
        self.hasEscapes = hasEscapes
    }

    /// A text that is not between quotes, and has no escapes: valid as long as its bytes are.
    package init(bytes: UnsafeBufferPointer<UInt8>) {
        self.init(raw: bytes, hasEscapes: false)
    }

    /// The bytes as they are in the document, for those who read them again.
    package var document: UnsafeRawBufferPointer { UnsafeRawBufferPointer(raw) }

    package var string: String {
        guard hasEscapes else { return String(decoding: raw, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: raw.count) { unescape(into: $0) }
    }

    /// Whether the other text is spelled the same, and so is the same.
    package func isSpelled(like other: JSONText) -> Bool {
        guard raw.count == other.raw.count, hasEscapes == other.hasEscapes else { return false }
        guard let left = raw.baseAddress, let right = other.raw.baseAddress else { return true }
        return haveSameBytes(left, right, count: raw.count)
    }

    /// Whether this is the text.
    func isExactly(_ text: String?) -> Bool { text.map { text in withUTF8 { $0.isExactly(text) } } ?? false }

    /// Lends the text's UTF-8.
    package func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        guard hasEscapes else { return body(raw) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: raw.count) { target in
            let count = unescape(into: target)
            return body(UnsafeBufferPointer(rebasing: target[..<count]))
        }
    }

    /// Writes the text without its escapes, which never makes it longer; returns its length.
    private func unescape(into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        guard let base = raw.baseAddress, let out = target.baseAddress else { return 0 }
        var index = 0
        var count = 0
        while index < raw.count {
            // Quotes and control characters are in no string, so the next special byte is a backslash.
            let run = JSONReader.firstSpecial(base, from: index, to: raw.count)
            (out + count).update(from: base + index, count: run - index)
            count += run - index
            index = run
            guard index < raw.count else { break }
            guard let scalar = JSONReader.escapedScalar(raw, &index) else { break }
            for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                out[count] = byte
                count += 1
            }
        }
        return count
    }
}
