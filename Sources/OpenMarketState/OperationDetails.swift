import OpenMarket

/// What the journal kept of an operation until it was over, before version 5; only read.
struct OperationDetails: Decodable {
    var desired: [String?]?
    var carriedOver: [ProductField]?
    var ignored: [ProductField]?
    var live: [String?]?
    /// Path, file, digest, size, format, width and height of each picture.
    var pictures: [String]?
    var thumbnailImageID: Int64?
    var entry: StateLines.Product?
    var secret: String?
    var isProtected: Bool?

    static func read<Value>(_ text: String?, _ read: (String) -> Value?) throws(StateLines.Fault) -> Value? {
        guard let text else { return nil }
        guard let value = read(text) else { throw StateLines.Fault("an operation holds \"\(text)\"") }
        return value
    }

    static func values(_ texts: [String?]?) throws(StateLines.Fault) -> ProductValues {
        var values = ProductValues()
        for (field, text) in zip(ProductField.allCases, texts ?? []) {
            values[field] = try read(text, FieldValue.init(stateText:))
        }
        return values
    }

    static func pictures(_ texts: [String]?) throws(StateLines.Fault) -> [Picture] {
        let texts = texts ?? []
        var result: [Picture] = []
        for start in stride(from: 0, to: texts.count, by: 7) {
            guard start + 7 <= texts.count,
                let digest = ContentDigest(hexadecimal: texts[start + 2]),
                let byteCount = Int(texts[start + 3]),
                let format = PictureFormat(rawValue: texts[start + 4]),
                let width = Int(texts[start + 5]),
                let height = Int(texts[start + 6])
            else { throw StateLines.Fault("an operation's picture is none") }
            result.append(
                Picture(
                    path: texts[start],
                    file: texts[start + 1],
                    digest: digest,
                    byteCount: byteCount,
                    format: format,
                    width: width,
                    height: height
                )
            )
        }
        return result
    }
}
