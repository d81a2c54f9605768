import OpenMarket

/// What the journal keeps of an ``PlannedOperation`` until it is over: all that settling it may need.
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

    init(_ operation: PlannedOperation) {
        secret = operation.secret?.stateText
        switch operation.work {
        case .adopt(let entry, _): self.entry = StateLines.Product(entry)
        case .create(let product): note(product)
        case .update(let update):
            desired = Self.texts(update.desired)
            ignored = update.ignored.isEmpty ? nil : update.ignored
            live = Self.texts(update.live)
            pictures = update.pictures.isEmpty ? nil : Self.texts(update.pictures)
            thumbnailImageID = update.thumbnailImageID
            isProtected = update.isProtected ? true : nil
        case .replace(let replacement):
            note(replacement.product)
            carriedOver = replacement.carriedOver.isEmpty ? nil : replacement.carriedOver
            live = Self.texts(replacement.live)
        case .delete(let deletion): live = Self.texts(deletion.live)
        case .forget: break
        }
    }

    private mutating func note(_ product: NewProduct) {
        desired = Self.texts(product.values)
        pictures = product.pictures.isEmpty ? nil : Self.texts(product.pictures)
        isProtected = product.isProtected ? true : nil
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
