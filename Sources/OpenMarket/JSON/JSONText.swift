/// A JSON string between its quotes: checked, but copied only on demand.
///
/// Valid only as long as its reader's bytes.
@safe
package struct JSONText {
    private let raw: UnsafeBufferPointer<UInt8>
    let hasEscapes: Bool

    init(raw: UnsafeBufferPointer<UInt8>, hasEscapes: Bool) {
        unsafe self.raw = raw
        self.hasEscapes = hasEscapes
    }

    /// Takes a text without quotes and escapes; valid as long as its bytes.
    package init(bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.init(raw: bytes, hasEscapes: false)
    }

    package init() {
        unsafe self.init(raw: UnsafeBufferPointer(start: nil, count: 0), hasEscapes: false)
    }

    /// Lends a reader at the start of the raw bytes.
    package func read<Result, Failure: Error>(
        _ body: (inout JSONReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe JSONReader.read(raw.span, body)
    }

    package var documentHash: FNVHash { unsafe FNVHash(raw) }

    package var string: String {
        guard hasEscapes else { return unsafe String(decoding: raw, as: UTF8.self) }
        return unsafe String(unsafeUninitializedCapacity: raw.count) { unsafe unescape(into: $0) }
    }

    /// Whether the other text has the same spelling, and so the same value.
    package func isSpelled(like other: JSONText) -> Bool {
        unsafe hasEscapes == other.hasEscapes && raw.span.isExactly(other.raw.span)
    }

    func isExactly(_ text: String?) -> Bool { text.map { text in withUTF8Span { $0.isExactly(text) } } ?? false }

    package func withUTF8Span<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        guard hasEscapes else { return unsafe body(raw.span) }
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: raw.count) { target in
            let count = unsafe unescape(into: target)
            return unsafe body(UnsafeBufferPointer(rebasing: target[..<count]).span)
        }
    }

    /// Writes the text without its escapes, which never lengthens it; returns its length.
    private func unescape(into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        guard let base = unsafe raw.baseAddress, let out = target.baseAddress else { return 0 }
        var index = 0
        var count = 0
        while unsafe index < raw.count {
            // A string is free of raw quotes or control characters, so the next special byte is a backslash.
            let run = unsafe JSONReader.firstSpecial(raw, from: index)
            unsafe (out + count).update(from: base + index, count: run - index)
            count += run - index
            index = run
            guard unsafe index < raw.count else { break }
            guard let scalar = unsafe JSONReader.escapedScalar(raw.span, &index) else { break }
            for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                unsafe out[count] = byte
                count += 1
            }
        }
        return count
    }
}
