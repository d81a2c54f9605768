import OpenMarket

/// Texts of rows that no reply contains; they live as long as the reading of one text.
@safe
struct TextArena: ~Copyable {
    /// The currency of all rows, if rows do not state it.
    private(set) var fixed: JSONText?
    private var texts: [UnsafeMutableBufferPointer<UInt8>] = unsafe []
    private static let longestCode = 8

    init(fixed: String?) {
        self.fixed = fixed.map { keep(Array($0.utf8)) }
    }

    deinit { for index in unsafe texts.indices { unsafe texts[index].deallocate() } }

    mutating func keep(_ bytes: [UInt8]) -> JSONText {
        let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, bytes.count))
        _ = unsafe text.initialize(from: bytes)
        unsafe texts.append(text)
        return unsafe JSONText(bytes: UnsafeBufferPointer(rebasing: text[..<bytes.count]))
    }

    /// A code in upper case; a long text, which is not a code, stays unchanged.
    mutating func capitals(of code: JSONText) -> JSONText {
        let small = code.withUTF8Span { Array($0) }
        guard small.count <= Self.longestCode else { return code }
        return keep(small.map { $0 &- UInt8(ascii: "a") < 26 ? $0 & 0xDF : $0 })
    }
}
