import OpenMarket
import OpenMarketDescription
import Synchronization

/// Reads products as a market's description states, and tolerates faults.
///
/// Members may be missing, numbers may have any spelling, and faulty rows may have `null`. An unreadable value becomes
/// `nil` and is reported. Compiled once for each client; a class, so that rows do not copy it.
final class ProductReader: Sendable {
    struct Row {
        /// `nil` if its id could not be read.
        var product: LiveProduct?
        /// The name of a product whose id could not be read.
        var unnumberedName: String?
        /// Whether the product counts as deleted according to the description.
        var isAbsent = false
        /// The faults, for messages: `price is null`.
        var faults: [String] = []
        /// The columns that the row has members for.
        var shown: Set<CatalogColumn> = []
    }

    struct Memory: ~Copyable {
        var values: MemberValues
        fileprivate var texts: TextArena

        init(for reader: ProductReader) {
            values = MemberValues(for: reader.tree)
            texts = TextArena(fixed: reader.fixedCurrency)
        }
    }

    /// Facts of a row that are not part of its product.
    struct Marks {
        /// The value that orders the rows; `nil` if that is the id, or is not shown.
        var order: JSONText?
        /// The value after which the next page begins.
        var last: JSONText?
        var isAbsent = false
    }

    private let tree: MemberTree
    private let rests: [FieldReader.Rest]
    /// Whether a missing value means that it is unset.
    private let nullIsUnset: Bool
    private let id: Int
    private let idKind: MarketDescription.Identity.ID.Kind
    private let key: Int?
    private let name: FieldReader?
    private let description: FieldReader?
    private let thumbnail: FieldReader?
    private let price: FieldReader?
    private let priceKind: MarketDescription.MoneyKind
    /// The number of digits after a price's decimal point, if the description states it.
    private let fraction: Int?
    private let currency: FieldReader?
    private let fixedCurrency: String?
    private let capitalizesCurrency: Bool
    private let stock: FieldReader?
    private let sale: SaleReader?
    private let owner: FieldReader?
    private let ownerKind: MarketDescription.Identity.ID.Kind
    private let ownerName: FieldReader?
    private let created: FieldReader?
    private let updated: FieldReader?
    private let pictures: PictureReader?
    private let ours: [CompiledCondition]
    private let absent: [CompiledCondition]
    private let order: Int?
    private let last: Int?
    /// Whether rows are arrays of values instead of objects.
    private let readsArrays: Bool
    /// Whether a row may show as much as a detail.
    private let omitsNothing: Bool
    /// The slots of the members that fill the columns of an export.
    let columns: [CatalogColumn: [Int]]
    let rowFields: ProductFieldSet
    /// The fields that are always in a detail, and in the reply to every request that creates or changes a product.
    let detailFields: ProductFieldSet

    /// The credentials that no text of a product may contain.
    private let mask: SecretMask
    /// The addresses of pictures, by the digests that replace them.
    private let addresses = Mutex<[String: String]>([:])

    init(_ market: MarketDescription, _ parameters: [String: String], hiding mask: SecretMask) {
        self.mask = mask
        let isLoose = market.names == .loose
        let fields = market.fields
        var builder = MemberTree.Builder(isLoose: isLoose)
        var rests: [FieldReader.Rest] = []
        func field(_ place: MarketDescription.Place?, holdsNumbers: Bool = false) -> FieldReader? {
            FieldReader(place, holdsNumbers: holdsNumbers, parameters, &builder, &rests, isLoose: isLoose)
        }
        func text(_ field: MarketDescription.TextField?) -> FieldReader? {
            let language = field?.language.flatMap { $0.filled(for: .verbatim, parameters.value(of:)) }
            let suffix = field?.kind == .languageMap ? [language ?? ""] : []
            return FieldReader(field?.place, inside: suffix, parameters, &builder, &rests, isLoose: isLoose)
        }
        nullIsUnset = market.nulls == .unset
        let idPlace = market.identity.id.place.names(parameters)
        readsArrays = idPlace.first.flatMap { Int($0) } != nil
        id = builder.slot(at: idPlace)
        idKind = market.identity.id.kind
        key = market.identity.key.map { builder.slot(at: $0.place.names(parameters)) }
        name = text(fields.name)
        description = text(fields.description)
        thumbnail = field(fields.thumbnail)
        price = field(fields.price?.place, holdsNumbers: true)
        priceKind = fields.price?.kind ?? .number
        fraction = market.priceFraction
        currency = field(fields.currency?.place)
        fixedCurrency = fields.currency?.fixed.flatMap { $0.filled(for: .verbatim, parameters.value(of:)) }
        capitalizesCurrency = fields.currency?.letterCase == .lower
        sale = fields.sale.flatMap { SaleReader($0, market, parameters, &builder, &rests) }
        stock = field(fields.stock, holdsNumbers: true)
        owner = FieldReader(at: market.identity.owner?.places, parameters, &builder, &rests, isLoose: isLoose)
        ownerKind = market.identity.owner?.kind ?? .integer
        ownerName = text(fields.ownerName)
        created = field(fields.created)
        updated = field(fields.updated)
        pictures = market.pictures?.shown.map {
            PictureReader($0, market, parameters, &builder)
        }
        func conditions(_ conditions: [MarketDescription.Condition]) -> [CompiledCondition] {
            conditions.map { CompiledCondition($0, parameters, builder.slot(at: $0.place.names(parameters))) }
        }
        ours = conditions(market.identity.ours)
        absent = conditions(market.identity.absent)
        let key = market.list.order?.keys.first
        order = key.flatMap { key in
            key == market.identity.id.place ? nil : builder.slot(at: key.names(parameters))
        }
        last =
            market.list.page.style == .keyset ? builder.slot(at: market.list.page.last.names(parameters)) : nil
        tree = builder.tree()
        self.rests = rests
        omitsNothing = market.list.omits.isEmpty
        let places: [(CatalogColumn, [Int]?)] = [
            (.key, self.key.map { [$0] }), (.name, name?.slots(rests)), (.description, description?.slots(rests)),
            (.price, price?.slots(rests)), (.currency, currency?.slots(rests)), (.salePrice, sale?.slots(rests)),
            (.discount, sale?.slots(rests)), (.stock, stock?.slots(rests)),
            (ownerKind == .integer ? .vendorID : .vendor, owner?.slots(rests)), (.vendor, ownerName?.slots(rests)),
            (.thumbnail, thumbnail?.slots(rests)), (.images, pictures.map { [$0.place] }),
            (.createdAt, created?.slots(rests)), (.issuedAt, updated?.slots(rests)),
        ]
        columns = Dictionary(places.compactMap { column, slots in slots.map { (column, $0) } }, uniquingKeysWith: +)
        (rowFields, detailFields) = Self.shownFields(market)
    }

    /// Removes the columns that the last row has members for, even null or empty ones.
    func strike(_ memory: borrowing Memory, from columns: inout Set<CatalogColumn>) {
        for column in columns {
            for slot in self.columns[column] ?? [] where !memory.values[slot].isMissing { columns.remove(column) }
        }
    }

    /// The fields that rows and details always show.
    ///
    /// A thumbnail that cannot be chosen may be missing: products without one were observed.
    private static func shownFields(
        _ market: MarketDescription
    ) -> (rows: ProductFieldSet, details: ProductFieldSet) {
        let fields = market.fields
        func products(_ names: [MarketDescription.Fields.Name]) -> [ProductField] {
            names.compactMap { $0 == .thumbnail && !fields.takes(.thumbnail) ? nil : $0.productField }
        }
        let showsImages: [ProductField] = market.pictures?.shown == nil ? [] : [.images]
        return (
            ProductFieldSet(
                products(market.rowFields) + (market.list.omits.contains(.images) ? [] : showsImages)
            ),
            ProductFieldSet(products(market.detailFields) + showsImages)
        )
    }

    /// Reads the product of a detail, or of the reply to a request that creates or changes one.
    ///
    /// Throws ``JSONError`` if the JSON is malformed.
    func read(_ reader: inout JSONReader) throws(JSONError) -> Row {
        var memory = Memory(for: self)
        var row = LiveRow()
        var result = Row()
        var marks = Marks()
        if try read(&reader, with: &memory, into: &row, &marks, showing: detailFields, &result.faults) {
            result.product = LiveProduct(row)
            result.isAbsent = marks.isAbsent
            var missing = Set(columns.keys)
            strike(memory, from: &missing)
            result.shown = Set(columns.keys).subtracting(missing)
        } else {
            result.unnumberedName = row.name?.string
        }
        return result
    }

    /// Reads the next row and returns whether the product's id could be read.
    ///
    /// Hot path: every row of the list passes here, and rows without faults do not allocate. `row` is empty before the
    /// call. `fields` are those that are always present. Throws ``JSONError`` if the JSON is malformed.
    func read(
        _ reader: inout JSONReader,
        with memory: inout Memory,
        into row: inout LiveRow,
        _ marks: inout Marks,
        showing fields: ProductFieldSet,
        _ faults: inout [String]
    ) throws(JSONError) -> Bool {
        let kind = try reader.peek()
        guard kind == (readsArrays ? .array : .object) else {
            try reader.skipValue()
            faults.append("it is not an object")
            return false
        }
        try tree.read(&reader, into: &memory.values)
        row.isWhole = omitsNothing
        let unset = readFields(&memory, into: &row, showing: fields, &faults)
        if let pictures { try pictures.read(memory.values, into: &row, &faults) }
        if let key {
            row.key = keyText(memory.values[key])
            if memory.values[key].kind == .absent { row.isWhole = false }
        }
        if !mask.isEmpty { conceal(in: &row, &memory, &faults) }
        if let order { marks.order = scalar(memory.values[order]) }
        if let last { marks.last = scalar(memory.values[last]) }
        if idKind == .integer, let number = memory.values.number(id)?.wholeValue {
            row.id = MarketID(number)
        } else {
            let value = memory.values[id]
            guard let id = LenientValue.id(value, idKind, "id", &faults) else {
                if value.kind == .absent { faults.append("id is missing") }
                return false
            }
            row.id = id
        }
        row.isManageable = ours.allSatisfy { $0.holds(memory.values) }
        marks.isAbsent = !absent.isEmpty && absent.allSatisfy { $0.holds(memory.values) }
        row.blank = fields.subtracting(row.shownFields).subtracting(unset)
        row.unset = unset
        if row.isWhole {
            row.isWhole =
                detailFields.subtracting(row.shownFields).subtracting(unset).isEmpty
                && ours.allSatisfy { memory.values[$0.slot].kind != .absent }
                && absent.allSatisfy { memory.values[$0.slot].kind != .absent }
                && (owner == nil || row.vendorID != nil || row.vendorName != nil)
        }
        return true
    }

    /// Replaces each text that contains a credential by its digest, so that no plan, state or export contains one.
    private func conceal(in row: inout LiveRow, _ memory: inout Memory, _ faults: inout [String]) {
        func conceal(_ text: inout JSONText?, _ name: String) {
            guard let digest = text?.withUTF8Span({ mask.isHeld(by: $0) ? ContentDigest(hashing: $0) : nil }) else {
                return
            }
            text = memory.texts.keep(Array(ConcealedText.text(digest).utf8))
            faults.append("\(name) holds a credential of the market")
        }
        conceal(&row.key, "key")
        conceal(&row.name, "name")
        conceal(&row.description, "description")
        conceal(&row.vendorName, "owner_name")
        conceal(&row.createdAt, "created")
        conceal(&row.issuedAt, "updated")
        func concealed(_ address: String) -> String {
            guard mask.isHeld(by: address) else { return address }
            let text = ConcealedText.text(address.withUTF8Span { ContentDigest(hashing: $0) })
            addresses.withLock { $0[text] = address }
            return text
        }
        if let address = row.thumbnailURL, address.withUTF8Span({ mask.isHeld(by: $0) }) {
            row.thumbnailURL = memory.texts.keep(Array(concealed(address.string).utf8))
            faults.append("the thumbnail's address holds a credential of the market")
        }
        for (index, image) in (row.images ?? []).enumerated() {
            let texts = (concealed(image.url), image.thumbnailURL.map(concealed))
            guard texts.0 != image.url || texts.1 != image.thumbnailURL else { continue }
            row.images?[index].url = texts.0
            row.images?[index].thumbnailURL = texts.1
            faults.append("the address of picture \(index + 1) holds a credential of the market")
        }
    }

    /// The address of a picture, if the text is a digest that replaces it; otherwise the text.
    func revealed(_ url: String) -> String { url.isConcealed ? addresses.withLock { $0[url] } ?? url : url }

    /// Gives a missing value the meaning that it has for this market.
    private func taken(_ shown: FieldReader.Shown) -> FieldReader.Shown {
        guard nullIsUnset else { return shown }
        return switch shown {
        case .null, .missing: .unset
        case .unset, .ambiguous, .value: shown
        }
    }

    /// The key as written; `nil` for an empty one.
    private func keyText(_ value: ScalarSlot) -> JSONText? {
        guard value.kind == .text || value.kind == .number, !value.text.withUTF8Span({ $0.isEmpty }) else { return nil }
        return value.text
    }

    private func scalar(_ value: ScalarSlot) -> JSONText? { value.isScalar ? value.text : nil }

    /// Reads the fields into the row and returns those that are explicitly unset.
    private func readFields(
        _ memory: inout Memory,
        into row: inout LiveRow,
        showing fields: ProductFieldSet,
        _ faults: inout [String]
    ) -> ProductFieldSet {
        var unset: ProductFieldSet = []
        func shown(_ field: FieldReader, _ name: ProductField, _ values: borrowing MemberValues)
            -> FieldReader.Shown
        {
            let shown = field.shown(values, rests)
            if case .missing = shown { row.isWhole = false }
            let taken = taken(shown)
            if case .unset = taken { unset.insert(name) }
            return taken
        }
        func text(_ field: FieldReader, _ name: ProductField, _ values: borrowing MemberValues) -> JSONText? {
            field.text(values) ?? LenientValue.text(shown(field, name, values), name.rawValue, &faults)
        }
        if let name { row.name = text(name, .name, memory.values) }
        if let description { row.description = text(description, .description, memory.values) }
        if let thumbnail {
            if let text = thumbnail.text(memory.values) {
                row.thumbnailURL = text
            } else {
                switch shown(thumbnail, .thumbnail, memory.values) {
                // If the thumbnail cannot be chosen, a product may lack it.
                case .null where !fields.contains(.thumbnail): break
                case let shown: row.thumbnailURL = LenientValue.text(shown, "thumbnail", &faults)
                }
            }
        }
        if let price {
            row.price =
                price.number(memory.values)
                ?? LenientValue.decimal(shown(price, .price, memory.values), "price", &faults)
        }
        if let currency {
            row.currencyCode = text(currency, .currency, memory.values)
            if capitalizesCurrency, let code = row.currencyCode { row.currencyCode = memory.texts.capitals(of: code) }
        } else if fixedCurrency != nil {
            row.currencyCode = memory.texts.fixed
        }
        if priceKind == .minorUnits {
            row.price = amount(row.price, of: row.currencyCode, "price", &faults)
        } else {
            row.price = row.price.map { withoutFloatNoise($0, of: row.currencyCode) }
        }
        if let sale {
            let shown = sale.read(memory.values, rests, &row, isShown: fields.contains(.salePrice), &faults)
            if let (wire, meaning) = shown {
                let number =
                    sale.kind == .minorUnits
                    ? amount(wire, of: row.currencyCode, "sale", &faults)
                    : withoutFloatNoise(wire, of: row.currencyCode)
                if let number { sale.apply(number, meaning, to: &row, &faults) }
            }
        }
        if let stock {
            row.stock =
                stock.number(memory.values)?.wholeValue
                ?? LenientValue.whole(shown(stock, .stock, memory.values), "stock", &faults)
        }
        readSeller(memory.values, into: &row, &faults)
        readDates(memory.values, into: &row, &faults)
        return unset
    }

    private func readSeller(_ values: borrowing MemberValues, into row: inout LiveRow, _ faults: inout [String]) {
        if let ownerName {
            row.vendorName =
                ownerName.text(values)
                ?? LenientValue.text(taken(ownerName.shown(values, rests)), "owner_name", &faults)
        }
        if let owner {
            if ownerKind == .integer {
                row.vendorID =
                    owner.number(values)?.wholeValue
                    ?? LenientValue.whole(taken(owner.shown(values, rests)), "owner", &faults)
            } else if row.vendorName == nil {
                // Owners that are texts are shown but not compared.
                row.vendorName = LenientValue.text(taken(owner.shown(values, rests)), "owner", &faults)
            }
        }
    }

    private func readDates(_ values: borrowing MemberValues, into row: inout LiveRow, _ faults: inout [String]) {
        if let created {
            row.createdAt =
                created.text(values)
                ?? LenientValue.spelling(created.shown(values, rests), "created", &faults)
        }
        if let updated {
            row.issuedAt =
                updated.text(values)
                ?? LenientValue.spelling(updated.shown(values, rests), "updated", &faults)
        }
    }

    /// The amount in the currency's digits, if a binary floating-point number was written out: 19.989999771118164.
    ///
    /// Hot path: most amounts have few digits.
    private func withoutFloatNoise(_ amount: ExactDecimal, of code: JSONText?) -> ExactDecimal {
        guard amount.scale > 2 else { return amount }
        return amount.withoutFloatNoise(
            digits: fraction ?? code.map { Currency(rawValue: $0.string).fractionDigits } ?? 2
        )
    }

    /// Converts an amount from the currency's smallest units.
    private func amount(
        _ number: ExactDecimal?,
        of code: JSONText?,
        _ name: String,
        _ faults: inout [String]
    ) -> ExactDecimal? {
        guard let number else { return nil }
        guard let code else {
            faults.append("\(name) lacks a currency, which sets the number of its smallest units")
            return nil
        }
        let currency = Currency(rawValue: code.string)
        guard number.scale == 0, currency.isStandard,
            let amount = ExactDecimal(significand: number.significand, scale: currency.fractionDigits)
        else {
            faults.append("\(name) is not a number of the smallest units of \(currency)")
            return nil
        }
        return amount
    }
}
