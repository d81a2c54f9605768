import OpenMarket

/// Texts that rows show although no reply has them: they live as long as the reading of one text.
struct ScratchTexts: ~Copyable {
    /// The currency that all rows have, where rows do not say it.
    private(set) var fixed: JSONText?
    private var texts: [UnsafeMutableBufferPointer<UInt8>] = []
    /// Codes in small letters with what they are in capitals.
    private var codes: [(small: UnsafeMutableBufferPointer<UInt8>, capital: JSONText)] = []
    private static let longestCode = 8

    init(fixed: String?) {
        self.fixed = fixed.map { keep(Array($0.utf8)) }
    }

    deinit { for text in texts { text.deallocate() } }

    private mutating func keep(_ bytes: [UInt8]) -> JSONText {
        let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, bytes.count))
        _ = text.initialize(from: bytes)
        texts.append(text)
        return JSONText(bytes: UnsafeBufferPointer(rebasing: text[..<bytes.count]))
    }

    /// A code in capitals; a long one, which is not a code, as it is.
    mutating func capitals(of code: JSONText) -> JSONText {
        let known = code.withUTF8 { bytes in codes.first { $0.small.elementsEqual(bytes) }?.capital }
        if let known { return known }
        let small = code.withUTF8 { Array($0) }
        guard small.count <= Self.longestCode, !small.isEmpty else { return code }
        _ = keep(small)
        let kept = texts[texts.count - 1]
        let capital = keep(small.map { $0 &- UInt8(ascii: "a") < 26 ? $0 & 0xDF : $0 })
        codes.append((kept, capital))
        return capital
    }
}
