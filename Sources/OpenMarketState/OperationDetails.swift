import OpenMarket

/// What the journal kept of an operation until it was over, before version 5; only read.
struct OperationDetails {
    var desired: [String?]?
    var carriedOver: [ProductField]
    var ignored: [ProductField]
    var live: [String?]?
    /// Path, file, digest, size, format, width and height of each picture.
    var pictures: [String]?
    var thumbnailImageID: Int64?
    var entry: StateEntry?
    var secret: String?
    var isProtected: Bool

    init(_ row: JSONValue) throws(DocumentError) {
        desired = row["desired"]?.optionalTexts
        carriedOver = try Self.fields(row["carriedOver"])
        ignored = try Self.fields(row["ignored"])
        live = row["live"]?.optionalTexts
        pictures = row["pictures"]?.texts
        thumbnailImageID = row["thumbnailImageID"]?.integer
        entry = try row["entry"].map { entry throws(DocumentError) in
            try DocumentRead.entry(DocumentValue(entry, at: "entry"))
        }
        secret = row["secret"]?.text
        isProtected = row["isProtected"]?.truth ?? false
    }

    private static func fields(_ value: JSONValue?) throws(DocumentError) -> [ProductField] {
        guard let value else { return [] }
        return try DocumentValue(value, at: "").list(DocumentRead.choice)
    }

    static func read<Value>(_ text: String?, _ read: (String) -> Value?) throws(DocumentError) -> Value? {
        guard let text else { return nil }
        guard let value = read(text) else { throw DocumentError("holds \"\(text)\"", at: "an operation") }
        return value
    }

    static func values(_ texts: [String?]?) throws(DocumentError) -> ProductValues {
        var values = ProductValues()
        for (field, text) in zip(ProductField.allCases, texts ?? []) {
            values[field] = try read(text, FieldValue.init(stateText:))
        }
        return values
    }

    static func pictures(_ texts: [String]?) throws(DocumentError) -> [Picture] {
        let texts = texts ?? []
        var result: [Picture] = []
        for start in stride(from: 0, to: texts.count, by: 7) {
            guard start + 7 <= texts.count,
                let digest = ContentDigest(hexadecimal: texts[start + 2]),
                let byteCount = Int(texts[start + 3]),
                let format = PictureFormat(rawValue: texts[start + 4]),
                let width = Int(texts[start + 5]),
                let height = Int(texts[start + 6])
            else { throw DocumentError("is none", at: "pictures") }
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

extension JSONValue {
    /// A list of texts.
    var texts: [String]? { elements?.compactMap(\.text) }

    /// A list of texts, of which some may be `null`.
    var optionalTexts: [String?]? { elements?.map(\.text) }
}
