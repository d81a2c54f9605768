// Texts whose bytes are somewhere in a larger piece of memory are lent as spans. What spans cannot do yet is done with their
// pointers, here and nowhere else.

extension Span<UInt8> {
    /// The text that the bytes are in UTF-8.
    package var text: String {
        unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The first byte; `nil` where there is none.
    package var first: UInt8? { isEmpty ? nil : self[0] }

    /// Whether these are the same bytes.
    package func isExactly(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBufferPointer { own in
            unsafe other.withUnsafeBufferPointer { theirs in
                guard let own = own.baseAddress, let theirs = theirs.baseAddress else { return true }
                return unsafe haveSameBytes(own, theirs, count: other.count)
            }
        }
    }

    /// Whether a text has just these bytes.
    package func isExactly(_ text: String) -> Bool { text.withUTF8Span { isExactly($0) } }

    /// Whether these bytes come before others, as the bytes of texts are compared.
    func precedes(_ other: Span<UInt8>) -> Bool {
        unsafe withUnsafeBufferPointer { own in
            unsafe other.withUnsafeBufferPointer { unsafe own.lexicographicallyPrecedes($0) }
        }
    }

    /// Whether a condition is met by all bytes.
    package func allSatisfy(_ condition: (UInt8) -> Bool) -> Bool {
        for index in indices where !condition(self[index]) { return false }
        return true
    }

    /// Adds the bytes to a hash.
    func hash(into hasher: inout Hasher) {
        unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension String {
    /// Lends the text's UTF-8.
    package func withUTF8Span<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        let fast = unsafe try utf8.withContiguousStorageIfAvailable { bytes in try unsafe body(bytes.span) }
        if let fast { return fast }
        // Of another form, as strings that other languages lend.
        var text = self
        return try text.withUTF8 { bytes in try unsafe body(bytes.span) }
    }
}

extension [UInt8] {
    /// A copy of some bytes.
    package init(_ bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// Adds a copy of some bytes.
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Whether these are the same bytes.
    func isExactly(_ other: Span<UInt8>) -> Bool { span.isExactly(other) }
}
