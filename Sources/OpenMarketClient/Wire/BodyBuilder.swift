import OpenMarket
import OpenMarketDescription

/// Puts what a request says at the places that the description gives, in the order of its file.
struct BodyBuilder {
    private let wire: MarketWire
    private let write: WriteRequest
    private let described: MarketDescription.Write
    private let operation: MarketDescription.Operation
    /// The product as the market shows it now.
    private let document: WireField.Value?
    private var tree = WireField.Value.null
    /// The pictures that are parts of their own.
    private(set) var parts: [Picture] = []

    private var market: MarketDescription { wire.market }

    init(
        _ wire: MarketWire,
        _ write: WriteRequest,
        _ described: MarketDescription.Write,
        sendingBack document: JSONValue?
    ) {
        self.wire = wire
        self.write = write
        self.described = described
        operation = write.operation
        self.document = document.map { WireField.Value($0) }
    }

    /// The body's values, inside of what contains them.
    func root(inside place: JSONPointer?) throws(MarketError) -> WireField.Value {
        let values = tree == .null ? .object([]) : tree
        guard let place else { return values }
        var root = WireField.Value.null
        try root.update(at: try place.steps(wire)[...]) { $0 = values }
        return root
    }

    // MARK: Places

    /// Puts a value at a place; an array on the way is sent back with whatever else is in it.
    mutating func put(_ value: WireField.Value, at place: JSONPointer) throws(MarketError) {
        if document != nil, let array = place.array { try putBack([array]) }
        try tree.update(at: try place.steps(wire)[...]) { $0 = value }
    }

    private mutating func put(_ values: [MarketDescription.PlacedValue]) throws(MarketError) {
        for value in values { try put(try wire.value(of: value.value, in: write), at: value.name) }
    }

    /// What the market shows at a place now.
    private func shown(at place: JSONPointer) throws(MarketError) -> WireField.Value? {
        guard let document else { return nil }
        return document.value(at: try place.steps(wire)[...])
    }

    /// Puts the values that a body always has: what was read, constants, and our key.
    mutating func putConstants(isHidden: Bool) throws(MarketError) {
        if operation == .update {
            if described.sending == .merged, let document { tree = document }
            for place in described.kept {
                if let value = try shown(at: place) { try put(value, at: place) }
            }
        }
        try put(described.values)
        switch write.kind {
        case .create:
            if isHidden { try put(described.hidden) }
            try putKey(write.key)
        case .update(_, let update) where update.changesKey: try putKey(write.key)
        case .update where described.sending == .whole:
            // What is not said of all fields would be taken away.
            guard let key = market.identity.key, key.isSentBack, let value = try shown(at: key.place), value != .null
            else { return }
            try put(value, at: key.place)
        case .update, .deleteKey, .delete, .proveOwnership, .upload, .attach: break
        }
    }

    private mutating func putKey(_ text: String?) throws(MarketError) {
        guard let key = market.identity.key, let text else { return }
        if let limit = key.characters, text.unicodeScalars.count > limit {
            throw MarketError(.refused, "\(wire.name) takes keys of \(limit) characters, and '\(text)' has more")
        }
        try put(.text(text), at: key.place)
    }

    /// Says a field: its companions, then its value, in its element or language where it has one.
    private mutating func say(_ name: MarketDescription.Fields.Name, _ value: WireField.Value) throws(MarketError) {
        guard let place = market.fields.place(of: name), let pointer = place.writing else { return }
        // Whatever is there beside what we say is sent back as it is.
        if operation == .update, market.sendsBack(name, .update) {
            try putBack(pointer.array.map { [$0] } ?? [pointer] + place.reading)
        }
        try put(place.companions)
        let steps = try pointer.steps(wire)
        let language = try language(of: name)
        guard let item = place.item else {
            return try tree.update(at: (steps + language)[...]) { $0 = value }
        }
        let inside = try item.inside.steps(wire) + language
        let distinction = try item.place.steps(wire)
        let literal = try wire.value(of: item.value, in: write)
        let condition = FilledLiteral(item.value, wire.parameters)
        // A dry run of a change does not know the elements that there are.
        let (wire, write, isComplete) = (wire, write, operation == .create || document != nil)
        try tree.update(at: steps[...]) { array throws(MarketError) in
            if array == .null { array = .array([]) }
            guard case .array(var elements) = array else {
                throw MarketError(.refused, "\(wire.name) shows '\(pointer)' as something else than an array")
            }
            let own = elements.indices.filter { index in
                elements[index].value(at: distinction[...]).map { condition?.matches($0) ?? false } ?? false
            }
            guard own.count < 2 else {
                throw MarketError(.refused, "\(wire.name) shows '\(name.rawValue)' twice in '\(pointer)'")
            }
            if own.isEmpty {
                var element = WireField.Value.null
                try element.update(at: distinction[...]) { $0 = literal }
                for value in item.values where isComplete {
                    let literal = try wire.value(of: value.value, in: write)
                    try element.update(at: try value.name.steps(wire)[...]) { $0 = literal }
                }
                elements.append(element)
            }
            try elements[own.first ?? elements.count - 1].update(at: inside[...]) { $0 = value }
            array = .array(elements)
        }
    }

    /// Puts what the market shows at the first of some places, where nothing was put yet.
    private mutating func putBack(_ places: [JSONPointer]) throws(MarketError) {
        guard let own = places.first else { return }
        let steps = try own.steps(wire)
        guard tree.value(at: steps[...]) == nil else { return }
        for place in places {
            guard let shown = try shown(at: place), shown != .null else { continue }
            return try tree.update(at: steps[...]) { $0 = shown }
        }
    }

    /// The step to a language, in a map of them.
    private func language(of name: MarketDescription.Fields.Name) throws(MarketError) -> [BodyStep] {
        let field: MarketDescription.TextField? =
            switch name {
            case .name: market.fields.name
            case .description: market.fields.description
            default: nil
            }
        guard let field, field.kind == .languageMap, let template = field.language else { return [] }
        return [BodyStep(name: try wire.text(template, .verbatim, wire.parameters.value(of:)))]
    }

    // MARK: New products

    /// Puts all managed values, as a new product has them.
    mutating func putNew(_ values: ProductValues, _ pictures: [Picture]) throws(MarketError) {
        let prices = WirePrices(wire, price: values.price, sale: values.sale, currency: values.currency)
        for name in wire.written(by: operation) {
            switch name {
            case .sale:
                guard let sale = values.sale, let described = market.fields.sale else { continue }
                if sale == .fullPrice {
                    // A new product has no sale unless it is said.
                    if described.omitted.contains(.create) { continue }
                    if described.ending == nil, described.meaning != .amountOff { continue }
                }
                try say(.sale, try prices.sale(sale, write))
            case .price: if values.price != nil { try say(.price, try prices.shownPrice()) }
            default: if let value = try value(name, values) { try say(name, value) }
            }
        }
        try put(pictures, keeping: [:], clears: false)
    }

    // MARK: Changes

    /// Puts what a change has to say: the changed fields, and the numbers that move with them.
    mutating func putChanges(_ update: ProductUpdate) throws(MarketError) {
        let isWhole = described.sending == .whole
        let after = update.values(sayingAll: isWhole)
        // What the market rewrites is not sent back as it shows it.
        let resent = described.sending == .merged ? market.normalisedFields.filter(update.isApplied) : []
        let prices = WirePrices(
            wire,
            price: update.changed.contains(.price) ? update.desired.price : update.live.price ?? update.desired.price,
            sale: update.changed.contains(.salePrice) ? update.desired.sale : update.live.sale ?? update.desired.sale,
            currency: update.changed.contains(.currency)
                ? update.desired.currency : update.live.currency ?? update.desired.currency
        )
        let moves = update.changed.contains(.price) || update.changed.contains(.salePrice)
        // The number of the smallest units is another one in another currency.
        let saysPrices =
            isWhole || moves && prices.saleMovesPrice || update.changed.contains(.currency) && prices.dependOnCurrency
        var isSaid = false
        for name in wire.written(by: operation) {
            let value: WireField.Value?
            switch name {
            case .sale: value = try sale(update, prices, isSaid: saysPrices)
            case .price:
                let isSaid = saysPrices ? prices.price != nil : update.changed.contains(.price) && after.price != nil
                value = isSaid ? try prices.shownPrice() : nil
            case .thumbnail:
                value =
                    update.changed.contains(.thumbnail)
                    ? update.thumbnailImageID.map { .id($0) } : isWhole ? try shownThumbnail() : nil
            default:
                guard let field = name.productField,
                    isWhole || update.changed.contains(field) || resent.contains(field)
                else { continue }
                let unset = isWhole ? try self.unset(name) : nil
                value = try self.value(name, after) ?? unset
            }
            guard let value else { continue }
            isSaid = true
            try say(name, value)
        }
        // The planner saw a change that the wire does not: say the sale again rather than nothing.
        if !isSaid, update.changed.contains(.salePrice), let sale = update.desired.sale {
            try say(.sale, try prices.sale(sale, write))
        }
        guard let pictures = market.pictures else { return }
        if pictures.change == .inPlace, update.changed.contains(.images) {
            try put(update.pictures, keeping: update.keptPictures, clears: true)
        } else if isWhole, let written = pictures.written {
            try putBack(written)
        }
    }

    /// The sale's number for a change; `nil` where it need not move.
    private func sale(
        _ update: ProductUpdate,
        _ prices: WirePrices,
        isSaid: Bool
    ) throws(MarketError) -> WireField.Value? {
        guard let described = market.fields.sale else { return nil }
        let isWritten = update.changed.contains(.salePrice)
        if isSaid {
            guard let sale = prices.sale else { return nil }
            // Where nothing ends a sale, a product without one says nothing of it.
            if sale == .fullPrice, !isWritten, described.ending == nil, described.meaning != .amountOff { return nil }
            return try prices.sale(sale, write)
        }
        guard described.meaning == .amountOff else {
            guard isWritten, let wanted = update.desired.sale else { return nil }
            return try prices.sale(wanted, write)
        }
        guard isWritten || update.changed.contains(.price) else { return nil }
        // Where the sale is not managed, buyers go on paying what they pay now.
        guard let sale = prices.sale else { return nil }
        let value = try prices.sale(sale, write)
        let live = update.live
        if let liveSale = live.sale, let livePrice = live.price,
            value
                == (try? WirePrices(wire, price: livePrice, sale: liveSale, currency: live.currency).sale(
                    liveSale,
                    write
                ))
        {
            return nil
        }
        return value
    }

    /// The picture that lists show, as the market has it now.
    private func shownThumbnail() throws(MarketError) -> WireField.Value? {
        guard let place = market.fields.thumbnail?.place.writing else { return nil }
        return try shown(at: place)
    }

    // MARK: Values

    /// What a field holds where it is unset; `nil` where nothing says that it can be.
    private func unset(_ field: MarketDescription.Fields.Name) throws(MarketError) -> WireField.Value? {
        guard let literal = market.fields.place(of: field)?.unset else { return nil }
        return try wire.value(of: literal, in: write)
    }

    /// The value of a field that has no numbers of money; an empty text takes away what is there.
    private func value(
        _ field: MarketDescription.Fields.Name,
        _ values: ProductValues
    ) throws(MarketError) -> WireField.Value? {
        switch field.productField.flatMap({ values[$0] }) {
        case .text(let code)? where field == .currency:
            return .text(market.fields.currency?.letterCase == .lower ? code.lowercased() : code)
        case .text(let text)?: return text.isEmpty ? try unset(field) ?? .text(text) : .text(text)
        case .integer(let count)?: return .integer(count)
        case .number, .sale, .images, .image, nil: return nil
        }
    }

    // MARK: Pictures

    /// Puts pictures, in their order; those that the product has are named by what the market calls them.
    private mutating func put(
        _ pictures: [Picture],
        keeping ids: [Int: MarketID],
        clears: Bool
    ) throws(MarketError) {
        guard let described = market.pictures else { return }
        switch described.style {
        case .none, .attach: return
        case .parts: parts = pictures
        case .base64, .url, .upload:
            guard let written = described.written else { return }
            guard !pictures.isEmpty else {
                if clears { try clear(written, described.clearing) }
                return
            }
            guard !written.isSingle || pictures.count == 1 else {
                throw MarketError(.refused, "\(wire.name) takes one picture, and not \(pictures.count)")
            }
            var elements: [WireField.Value] = []
            for (index, picture) in pictures.enumerated() {
                if let id = ids[index], let kept = written.kept {
                    var element = WireField.Value.null
                    try element.update(at: try kept.steps(wire)[...]) { $0 = .id(id) }
                    elements.append(element)
                    continue
                }
                let value: WireField.Value =
                    described.style == .base64 ? .picture(picture) : try reference(index, picture, described)
                var element = WireField.Value.null
                try element.update(at: (try written.new?.steps(wire) ?? [])[...]) { $0 = value }
                elements.append(element)
            }
            try put(written.isSingle ? elements[0] : .array(elements), at: written.place)
        }
    }

    /// What stands for a picture in the product; before it is known, for showing the request, the picture's name does.
    private func reference(
        _ index: Int,
        _ picture: Picture,
        _ described: MarketDescription.Pictures
    ) throws(MarketError) -> WireField.Value {
        guard let reference = wire.reference(index, picture, write) else { return .text("{\(picture.uploadName)}") }
        guard described.style == .upload, described.upload?.kind == .integer else { return .text(reference) }
        guard let number = Int64(reference) else {
            throw MarketError(.refused, "\(wire.name) calls uploaded pictures by numbers, and not '\(reference)'")
        }
        return .integer(number)
    }

    private mutating func clear(
        _ written: MarketDescription.Pictures.Written,
        _ clearing: MarketDescription.Pictures.Clearing?
    ) throws(MarketError) {
        switch clearing {
        case .emptyList?: try put(.array([]), at: written.place)
        case .value(let literal)?: try put(try wire.value(of: literal, in: write), at: written.place)
        case .never?, nil: throw MarketError(.refused, "\(wire.name) cannot take all pictures of a product away")
        }
    }

    /// Puts the pictures that the market shows, so that a change of all fields leaves them.
    private mutating func putBack(_ written: MarketDescription.Pictures.Written) throws(MarketError) {
        guard let shown = try shown(at: market.pictures?.shown?.place ?? written.place), shown != .null else { return }
        guard let kept = written.kept, let id = market.pictures?.shown?.id else {
            return try put(shown, at: written.place)
        }
        func reduced(_ element: WireField.Value) throws(MarketError) -> WireField.Value {
            guard let value = element.value(at: try id.steps(wire)[...]) else {
                throw MarketError(.refused, "\(wire.name) shows a picture without the id by which it is kept")
            }
            var reduced = WireField.Value.null
            try reduced.update(at: try kept.steps(wire)[...]) { $0 = value }
            return reduced
        }
        if case .array(let elements) = shown {
            try put(.array(try elements.map(reduced)), at: written.place)
        } else {
            try put(try reduced(shown), at: written.place)
        }
    }
}

extension ProductUpdate {
    /// The values that a change says: those that are wanted; where it says all, also those that stay.
    fileprivate func values(sayingAll isWhole: Bool) -> ProductValues {
        guard isWhole else { return desired }
        var values = live
        for field in ProductField.allCases where changed.contains(field) || live[field] == nil {
            values[field] = desired[field]
        }
        return values
    }
}

extension FilledLiteral {
    /// Whether a value that is sent back is this, by the same rules as one that is read.
    fileprivate func matches(_ value: WireField.Value) -> Bool {
        switch (self, value) {
        case (.text(let text, _), .text(let other)): other.isExactly(text)
        case (.text(let text, isFilled: true), .number), (.text(let text, isFilled: true), .integer),
            (.text(let text, isFilled: true), .numeral), (.text(let text, isFilled: true), .boolean):
            value.revealed.isExactly(text)
        case (.number(let number), .number(let other)): number == other
        case (.number(let number), .integer(let other)): number == ExactDecimal(other)
        case (.boolean(let truth), .boolean(let other)): truth == other
        case (.null, .null): true
        default: false
        }
    }
}
