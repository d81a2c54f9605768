import OpenMarket

extension Upload {
    /// A picture of a form.
    ///
    /// Only the extension of the file's name is kept.
    init(_ part: MultipartForm.Part) {
        let name = part.fileName ?? ""
        let base = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
        let suffix = base.lastIndex(of: ".").map { base[base.index(after: $0)...] } ?? ""
        let isUsable =
            !suffix.isEmpty && suffix.utf8.count <= 10
            && suffix.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        self.init(bytes: part.body, fileExtension: isUsable ? ".\(suffix)" : "")
    }
}

/// The documented limits; the real markets hardly enforced them, `--strict` does.
extension ProductLimits {
    /// The first violated limit of a product; `nil` if there is none.
    ///
    /// `salePrice` is the price after the discount; `nil` if it is unknown. An edit may have no uploads.
    func violation(_ fields: ProductFields, salePrice: ExactDecimal?, uploads: [Upload]?) -> String? {
        if !Self.allows(fields.name, length: nameLength) {
            return "the name must have \(nameLength.lowerBound)-\(nameLength.upperBound) characters"
        }
        if !Self.allows(fields.description, length: descriptionLength) {
            let length = descriptionLength
            return "the description must have \(length.lowerBound)-\(length.upperBound) characters"
        }
        guard let price = fields.price, !price.isNegative else { return "the price must be a number from 0 up" }
        guard let currency = fields.currency, takes(Currency(rawValue: currency)) else {
            return "the currency must be \((currencies ?? []).map(\.rawValue).joined(separator: " or "))"
        }
        guard let stock = fields.stock, stock >= 0 else { return "the stock must be an integer from 0 up" }
        if fields.discount?.isNegative == true { return "the discount must not be negative" }
        guard let salePrice, !salePrice.isNegative, salePrice <= price else {
            return "the discounted price must lie between 0 and the price"
        }
        guard let uploads else { return nil }
        let count = imageCount
        if !count.contains(uploads.count) {
            return "a product must have \(count.lowerBound)-\(count.upperBound) images"
        }
        for upload in uploads {
            if upload.bytes.count >= imageByteLimit {
                return "an image must have fewer than \(imageByteLimit) bytes"
            }
            if PictureFormat(head: upload.bytes) == nil { return "an image must be a JPEG or a PNG" }
        }
        return nil
    }
}

/// The largest sizes of texts in bytes, even without `--strict`: a list has up to a thousand of them, and a search
/// compares each.
///
/// The limits are this server's own; those of the public hosts are unknown.
enum TextLimits {
    /// For a product's description.
    static let description = 64 << 10
    /// For any other text.
    static let text = 4 << 10
    /// For a search text.
    static let search = 1 << 10
}

extension String {
    /// Whether the text has U+0000, because SQLite would end it there silently.
    var holdsNull: Bool { utf8.contains(0) }

    /// Why the server does not store the text, as the rest of a sentence; `nil` if it does.
    func fault(limit: Int) -> String? {
        if holdsNull { return "holds the character U+0000" }
        return utf8.count > limit ? "has more than \(limit) bytes" : nil
    }
}
