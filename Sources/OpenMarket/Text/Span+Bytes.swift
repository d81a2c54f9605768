// Parts of larger memory blocks are passed as spans. Only this file uses their pointers, for operations that spans
// lack.

extension Span<UInt8> {
    package var text: String {
        unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    package var first: UInt8? { isEmpty ? nil : self[0] }

    package func isExactly(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBufferPointer { own in
            unsafe other.withUnsafeBufferPointer { theirs in
                guard let own = own.baseAddress, let theirs = theirs.baseAddress else { return true }
                return unsafe haveSameBytes(own, theirs, count: other.count)
            }
        }
    }

    package func isExactly(_ text: String) -> Bool { text.withUTF8Span { isExactly($0) } }

    /// The order of texts.
    func precedes(_ other: Span<UInt8>) -> Bool {
        unsafe withUnsafeBufferPointer { own in
            unsafe other.withUnsafeBufferPointer { unsafe own.lexicographicallyPrecedes($0) }
        }
    }

    package func allSatisfy(_ condition: (UInt8) -> Bool) -> Bool {
        for index in indices where !condition(self[index]) { return false }
        return true
    }

    func hash(into hasher: inout Hasher) {
        unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension String {
    package func withUTF8Span<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        let fast = unsafe try utf8.withContiguousStorageIfAvailable { bytes in try unsafe body(bytes.span) }
        if let fast { return fast }
        // Strings bridged from other languages may not be contiguous.
        var text = self
        return try text.withUTF8 { bytes in try unsafe body(bytes.span) }
    }
}

extension [UInt8] {
    package init(_ bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }

    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    func isExactly(_ other: Span<UInt8>) -> Bool { span.isExactly(other) }
}
