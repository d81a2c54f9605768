/// An entry as a row of the state holds it, of the kind that most are: its texts where they are, no password of its own.
///
/// A ``StateEntry`` that costs no memory. Valid only as long as the row's bytes are.
package struct BorrowedEntry {
    package typealias Bytes = UnsafeBufferPointer<UInt8>

    /// The key in composed form.
    package var key: Bytes
    /// The market's number for the product.
    package var id: ProductID
    /// Whose product it is.
    package var vendorID: Int64?
    /// Price, currency, sale and stock.
    package var numbers: ProductValues
    package var name: Bytes?
    /// The long text.
    package var description: Bytes?
    /// The SHA-256 of the pictures, 32 bytes each.
    package var digests: Bytes?
    /// The place of the thumbnail among the pictures.
    package var thumbnail: Int?
    /// The market's names of the pictures, each with a line feed behind it; `nil` where no pictures are bound.
    package var references: Bytes?
    /// The URL of the small picture in lists.
    package var thumbnailURL: Bytes?
    /// When it was registered or edited, as the market writes it.
    package var issuedAt: Bytes?
    /// Whether it may neither be deleted nor replaced.
    package var isProtected: Bool

    /// An entry with a key, a number and nothing else.
    package init(key: Bytes, id: ProductID, isProtected: Bool) {
        self.key = key
        self.id = id
        self.isProtected = isProtected
        numbers = ProductValues()
    }

    /// Whether the market's names of the pictures, if any, are one for each picture, all different, and numbers only in
    /// the form that numbers have: as a product of the market has them.
    var hasPlainReferences: Bool {
        guard let references else { return true }
        guard let digests else { return false }
        var lines: [Bytes] = []
        var start = 0
        for end in references.indices where references[end] == UInt8(ascii: "\n") {
            let line = Bytes(rebasing: references[start..<end])
            guard line.isPlainReference, !lines.contains(where: { $0.isExactly(line) }) else { return false }
            lines.append(line)
            start = end + 1
        }
        return start == references.count && lines.count * 32 == digests.count
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether this is evidently no number, or one as it is written.
    fileprivate var isPlainReference: Bool {
        guard let first else { return false }
        switch first {
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            return count <= 18 && allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        case UInt8(ascii: "0"), UInt8(ascii: "+"), UInt8(ascii: "-"): return false
        default: return true
        }
    }
}
