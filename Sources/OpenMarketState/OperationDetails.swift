import OpenMarket

/// What the journal keeps of an ``Operation`` until it is over: all that settling it may need.
struct OperationDetails: Codable {
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

    init(_ operation: OpenMarket.Operation) {
        desired = Self.texts(operation.desired)
        carriedOver = operation.carriedOver.isEmpty ? nil : operation.carriedOver
        ignored = operation.ignored.isEmpty ? nil : operation.ignored
        live = Self.texts(operation.live)
        pictures = operation.pictures.isEmpty ? nil : Self.texts(operation.pictures)
        thumbnailImageID = operation.thumbnailImageID
        entry = operation.entry.map(StateLines.Product.init)
        secret = operation.secret?.stateText
        isProtected = operation.isProtected ? true : nil
    }

    private static func texts(_ values: ProductValues) -> [String?]? {
        guard values != ProductValues() else { return nil }
        return ProductField.allCases.map { values[$0]?.stateText }
    }

    static func texts(_ pictures: [Picture]) -> [String] {
        pictures.flatMap { picture in
            [
                picture.path, picture.file, picture.digest.hexadecimal, String(picture.byteCount),
                picture.format.rawValue, String(picture.width), String(picture.height),
            ]
        }
    }

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
