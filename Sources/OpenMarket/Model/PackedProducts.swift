/// A product's key and values in few bytes: numbers inline, texts by their position in ``PackedProducts``.
///
/// ``Listings`` and ``StateEntries`` hold one for each product, and keep the pictures in their own ways.
struct PackedProduct: Sendable {
    var numbers = PackedNumbers()
    fileprivate var place = TextBlocks.Place()
    fileprivate var keyLength: Int32 = 0
    /// -1 if there is none.
    fileprivate var nameLength: Int32 = -1
    fileprivate var descriptionLength: Int32 = -1
    /// The index of the rare values; -1 for none.
    fileprivate var rare: Int32 = -1
    /// The number of the picture, from 1; 0 for none.
    private(set) var thumbnail: UInt8 = 0

    /// The largest index of a picture as a thumbnail; higher ones are rare values.
    static let lastThumbnail = 253

    /// The index of a picture, at most ``lastThumbnail``.
    mutating func setThumbnail(_ place: Int) { thumbnail = UInt8(place + 1) }

    /// Whether this is a copy of the other, from the same ``PackedProducts``.
    func isIdentical(to other: PackedProduct) -> Bool { place == other.place }

    /// Whether the currency or the thumbnail is of a rare kind.
    var hasRareValues: Bool { rare >= 0 }

    fileprivate var nameStart: Int { Int(keyLength) }
    fileprivate var descriptionStart: Int { nameStart + Int(max(nameLength, 0)) }

    /// The start of the product's further texts.
    var end: Int { descriptionStart + Int(max(descriptionLength, 0)) }
}

/// The storage that packed products share: concatenated texts, and values that few products have.
struct PackedProducts: Sendable {
    /// The bytes of a text in other storage.
    typealias Bytes = Span<UInt8>

    private struct RareValues: Sendable {
        var currency: Currency?
        /// A thumbnail that is not one of the pictures.
        var thumbnail: PictureIdentity?
    }

    private var texts = TextBlocks()
    private var rareValues: [RareValues] = []

    /// Packs a product.
    ///
    /// Needs the pictures only to find the thumbnail among them. `room` is the length in bytes of further texts, which
    /// ``add(_:)-(String?)`` appends.
    mutating func pack(_ key: String, _ values: ProductValues, room: Int = 0) -> PackedProduct {
        let size = key.utf8.count + (values.name?.utf8.count ?? 0) + (values.description?.utf8.count ?? 0)
        var product = PackedProduct(numbers: PackedNumbers(values), place: texts.begin(size + room))
        product.keyLength = texts.add(key)
        product.nameLength = texts.add(values.name)
        product.descriptionLength = texts.add(values.description)
        if product.numbers.currencyCode == .other { setRare(\.currency, values.currency, of: &product) }
        if let thumbnail = values.thumbnail {
            setThumbnail(thumbnail, place: values.images?.firstIndex(of: thumbnail), of: &product)
        }
        return product
    }

    /// Packs a product from the bytes of its texts; its currency must have a code.
    mutating func pack(
        _ key: Bytes,
        name: Bytes?,
        description: Bytes?,
        numbers: PackedNumbers,
        room: Int
    ) -> PackedProduct {
        let size = key.count + (name?.count ?? 0) + (description?.count ?? 0)
        var product = PackedProduct(numbers: numbers, place: texts.begin(size + room))
        product.keyLength = texts.add(key)
        product.nameLength = texts.add(name)
        product.descriptionLength = texts.add(description)
        return product
    }

    /// Adds a text to the product packed last; returns its length in bytes, -1 for none.
    mutating func add(_ text: String?) -> Int32 { texts.add(text) }

    /// Adds the bytes of a text to the product packed last; returns their number, -1 for none.
    mutating func add(_ bytes: Bytes?) -> Int32 { texts.add(bytes) }

    mutating func setCurrency(_ currency: Currency, of product: inout PackedProduct) {
        product.numbers.setCurrency(currency)
        if product.numbers.currencyCode == .other { setRare(\.currency, currency, of: &product) }
    }

    /// `place` is the thumbnail's index, if it is one of the pictures.
    mutating func setThumbnail(_ thumbnail: PictureIdentity, place: Int?, of product: inout PackedProduct) {
        if let place, place <= PackedProduct.lastThumbnail {
            product.setThumbnail(place)
        } else {
            setRare(\.thumbnail, thumbnail, of: &product)
        }
    }

    private mutating func setRare<Value>(
        _ value: WritableKeyPath<RareValues, Value>,
        _ new: Value,
        of product: inout PackedProduct
    ) {
        if product.rare < 0 {
            product.rare = Int32(rareValues.count)
            rareValues.append(RareValues())
        }
        rareValues[Int(product.rare)][keyPath: value] = new
    }
}

extension PackedProducts {
    /// Lends a range of the product's texts.
    @inline(__always)
    func with<Result>(_ range: Range<Int>, of product: PackedProduct, _ body: (Bytes) -> Result) -> Result {
        texts.with(product.place, range, body)
    }

    @inline(__always)
    func withKey<Result>(of product: PackedProduct, _ body: (Bytes) -> Result) -> Result {
        with(0..<product.nameStart, of: product, body)
    }

    /// Lends the bytes of the name; `nil` if there is none.
    @inline(__always)
    func withName<Result>(of product: PackedProduct, _ body: (Bytes) -> Result) -> Result? {
        product.nameLength < 0 ? nil : with(product.nameStart..<product.descriptionStart, of: product, body)
    }

    /// Lends the bytes of the description; `nil` if there is none.
    @inline(__always)
    func withDescription<Result>(of product: PackedProduct, _ body: (Bytes) -> Result) -> Result? {
        product.descriptionLength < 0 ? nil : with(product.descriptionStart..<product.end, of: product, body)
    }

    @inline(__always)
    func key(of product: PackedProduct) -> String { withKey(of: product) { $0.text } }

    @inline(__always)
    func name(of product: PackedProduct) -> String? { withName(of: product) { $0.text } }

    @inline(__always)
    func currency(of product: PackedProduct) -> Currency? {
        product.numbers.currencyCode == .other ? rareValues[Int(product.rare)].currency : product.numbers.currency
    }

    @inline(__always)
    func values(of product: PackedProduct, images: [PictureIdentity]?) -> ProductValues {
        ProductValues(
            name: name(of: product),
            description: withDescription(of: product) { $0.text },
            price: product.numbers.price,
            currency: currency(of: product),
            sale: product.numbers.sale,
            stock: product.numbers.stock,
            images: images,
            thumbnail: product.thumbnail > 0
                ? images.map { $0[Int(product.thumbnail) - 1] }
                : product.rare < 0 ? nil : rareValues[Int(product.rare)].thumbnail
        )
    }

    /// Fast path: whether two products have the same values, pictures aside; `false` means undecided.
    func isKnownEqual(_ product: PackedProduct, to other: PackedProduct, of others: PackedProducts) -> Bool {
        guard product.numbers == other.numbers, product.rare < 0, other.rare < 0, product.thumbnail == other.thumbnail,
            product.nameLength == other.nameLength, product.descriptionLength == other.descriptionLength
        else { return false }
        return with(product.nameStart..<product.end, of: product) { bytes in
            others.with(other.nameStart..<other.end, of: other) { bytes.isExactly($0) }
        }
    }
}
