import OpenMarket
import OpenMarketDescription

/// Builds a request's body from its parts, in the order of the description's file.
struct BodyBuilder {
    private let wire: MarketWire
    private let write: WriteRequest
    /// The fields that a change contains; `nil` for a picture.
    private let sending: MarketDescription.Write.Sending?
    private let operation: MarketDescription.Operation
    /// The product as the market shows it now.
    private let document: WireField.Value?
    private let isHidden: Bool
    private var tree = WireField.Value.null
    /// The pictures outside the body's values.
    private(set) var files: [Picture] = []

    private var market: MarketDescription { wire.market }

    init(
        _ wire: MarketWire,
        _ write: WriteRequest,
        sendingBack document: JSONValue?,
        isHidden: Bool
    ) {
        self.wire = wire
        self.write = write
        operation = write.operation
        sending = wire.market.operations.write(operation)?.sending
        self.document = document.map { WireField.Value($0) }
        self.isHidden = isHidden
        switch write.kind {
        case .upload(let picture), .attach(_, let picture): files = [picture]
        case .create, .update, .deleteKey, .delete, .proveOwnership: break
        }
    }

    /// The body's values, without the object that contains them.
    func root(inside place: JSONPointer?) throws(MarketError) -> WireField.Value {
        let values = tree == .null ? .object([]) : tree
        guard let place else { return values }
        var root = WireField.Value.null
        try root.update(at: try place.steps(wire)[...]) { $0 = values }
        return root
    }

    /// Adds the parts that this request has.
    mutating func put(
        _ parts: [BodyPart],
        secret: (MarketDescription.Credential.Field) throws(MarketError) -> Secret
    ) throws(MarketError) {
        if operation == .update, sending == .merged, let document { tree = document }
        let names = parts.compactMap(\.field)
        let values: [MarketDescription.Fields.Name: WireField.Value] =
            switch write.kind {
            case .create(let values, _): try newValues(values, names)
            case .update(_, let update): try changedValues(update, names)
            case .deleteKey, .delete, .proveOwnership, .upload, .attach: [:]
            }
        for part in parts {
            switch part.content {
            case .kept: if let value = try shown(at: part.place) { try put(value, at: part.place) }
            case .constant(let literal): try put(try wire.value(of: literal, in: write), at: part.place)
            case .hiding(let literal):
                if isHidden { try put(try wire.value(of: literal, in: write), at: part.place) }
            case .key: try putKey(at: part.place)
            // A companion is added with its field.
            case .companion: break
            case .field(let name): if let value = values[name] { try put(value, of: name, part) }
            case .pictures, .files: try putPictures()
            case .credential(let field): try put(.secret(try secret(field)), at: part.place)
            }
        }
    }

    // MARK: Positions

    /// Sets the value at a position; an array on the path is sent back with its other contents.
    private mutating func put(_ value: WireField.Value, at place: JSONPointer) throws(MarketError) {
        if document != nil, let array = place.array { try putBack([array]) }
        try tree.update(at: try place.steps(wire)[...]) { $0 = value }
    }

    /// The market's current value at a position.
    private func shown(at place: JSONPointer) throws(MarketError) -> WireField.Value? {
        guard let document else { return nil }
        return document.value(at: try place.steps(wire)[...])
    }

    private mutating func putKey(at place: JSONPointer) throws(MarketError) {
        switch write.kind {
        case .update(_, let update) where !update.changesKey:
            // If all fields are sent, the market would remove one that is missing.
            if sending == .whole, let value = try shown(at: place), value != .null {
                try put(value, at: place)
            }
        case .create, .update:
            guard let text = write.key else { return }
            if let limit = market.identity.key?.characters, text.unicodeScalars.count > limit {
                throw MarketError(.refused, "\(wire.name) takes keys of \(limit) characters, and '\(text)' has more")
            }
            try put(.text(text), at: place)
        case .deleteKey, .delete, .proveOwnership, .upload, .attach: break
        }
    }

    /// Adds a field: its companions, then its value, in its element or language if it has one.
    private mutating func put(
        _ value: WireField.Value,
        of name: MarketDescription.Fields.Name,
        _ part: BodyPart
    ) throws(MarketError) {
        guard let place = market.fields.place(of: name) else { return }
        let pointer = part.place
        // Other contents than the managed values are sent back unchanged.
        if part.sendsBack {
            try putBack(pointer.array.map { [$0] } ?? [pointer] + place.reading)
        }
        for companion in place.companions {
            try put(try wire.value(of: companion.value, in: write), at: companion.name)
        }
        let steps = try pointer.steps(wire)
        var language: [BodyStep] = []
        if let template = part.language {
            language = [BodyStep(name: try wire.text(template, .verbatim, wire.parameters.value(of:)))]
        }
        guard let item = part.item else {
            return try tree.update(at: (steps + language)[...]) { $0 = value }
        }
        let inside = try item.inside.steps(wire) + language
        let distinction = try item.place.steps(wire)
        let literal = try wire.value(of: item.value, in: write)
        let condition = FilledLiteral(item.value, wire.parameters)
        // A dry run of a change has not read the existing elements.
        let (wire, write, isComplete) = (wire, write, operation == .create || document != nil)
        try tree.update(at: steps[...]) { array throws(MarketError) in
            if array == .null { array = .array([]) }
            guard case .array(var elements) = array else {
                throw MarketError(.refused, "\(wire.name) shows '\(pointer)' as something else than an array")
            }
            let own = elements.indices.filter { index in
                elements[index].value(at: distinction[...]).map { condition?.matches($0.shown) ?? false } ?? false
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

    /// Sets the market's value at the first of some positions, unless one was set there.
    private mutating func putBack(_ places: [JSONPointer]) throws(MarketError) {
        guard let own = places.first else { return }
        let steps = try own.steps(wire)
        guard tree.value(at: steps[...]) == nil else { return }
        for place in places {
            guard let shown = try shown(at: place), shown != .null else { continue }
            return try tree.update(at: steps[...]) { $0 = shown }
        }
    }

    // MARK: New products

    private func newValues(
        _ values: ProductValues,
        _ names: [MarketDescription.Fields.Name]
    ) throws(MarketError) -> [MarketDescription.Fields.Name: WireField.Value] {
        let prices = WirePrices(wire, price: values.price, sale: values.sale, currency: values.currency)
        var said: [MarketDescription.Fields.Name: WireField.Value] = [:]
        for name in names {
            switch name {
            case .sale:
                guard let sale = values.sale, let described = market.fields.sale else { continue }
                if sale == .fullPrice {
                    // A new product is not on sale by default.
                    if described.omitted.contains(.create) { continue }
                    if described.ending == nil, described.meaning != .amountOff { continue }
                }
                said[.sale] = try prices.sale(sale, write)
            case .price: if values.price != nil { said[.price] = try prices.shownPrice() }
            default: said[name] = try value(name, values)
            }
        }
        return said
    }

    // MARK: Changes

    /// The changed fields, and the money values that change with them.
    private func changedValues(
        _ update: ProductUpdate,
        _ names: [MarketDescription.Fields.Name]
    ) throws(MarketError) -> [MarketDescription.Fields.Name: WireField.Value] {
        let isWhole = sending == .whole
        let after = update.values(sayingAll: isWhole)
        // A text that the market normalizes is not sent back in its normalized form.
        let resent = sending == .merged ? market.normalisedFields.filter(update.isApplied) : []
        let prices = WirePrices(
            wire,
            price: update.changed.contains(.price) ? update.desired.price : update.live.price ?? update.desired.price,
            sale: update.changed.contains(.salePrice) ? update.desired.sale : update.live.sale ?? update.desired.sale,
            currency: update.changed.contains(.currency)
                ? update.desired.currency : update.live.currency ?? update.desired.currency
        )
        let moves = update.changed.contains(.price) || update.changed.contains(.salePrice)
        // In another currency, the number of smallest units differs.
        let saysPrices =
            isWhole || moves && prices.saleMovesPrice || update.changed.contains(.currency) && prices.dependOnCurrency
        var said: [MarketDescription.Fields.Name: WireField.Value] = [:]
        for name in names {
            let value: WireField.Value?
            switch name {
            case .sale: value = try sale(update, prices, isSaid: saysPrices)
            case .price:
                let isSaid = saysPrices ? prices.price != nil : update.changed.contains(.price) && after.price != nil
                let isTakenAway = update.changed.contains(.price) && update.desired.price == nil
                value = isTakenAway ? try unset(.price) : isSaid ? try prices.shownPrice() : nil
            case .thumbnail:
                value =
                    update.changed.contains(.thumbnail)
                    ? update.thumbnailImageID.map { .id($0) } : isWhole ? try shownThumbnail() : nil
            default:
                guard let field = name.productField,
                    isWhole || update.changed.contains(field) || resent.contains(field)
                else { continue }
                let unset = isWhole || update.changed.contains(field) ? try self.unset(name) : nil
                value = try self.value(name, after) ?? unset
            }
            said[name] = value
        }
        // If the planner saw a change that the wire values do not show, the sale is sent again.
        if said.isEmpty, update.changed.contains(.salePrice), let sale = update.desired.sale {
            said[.sale] = try prices.sale(sale, write)
        }
        return said
    }

    /// The sale's number for a change; `nil` if it need not change.
    private func sale(
        _ update: ProductUpdate,
        _ prices: WirePrices,
        isSaid: Bool
    ) throws(MarketError) -> WireField.Value? {
        guard let described = market.fields.sale else { return nil }
        let isWritten = update.changed.contains(.salePrice)
        if isSaid {
            guard let sale = prices.sale else { return nil }
            // If a sale cannot be ended, a product without a sale omits it.
            if sale == .fullPrice, !isWritten, described.ending == nil, described.meaning != .amountOff { return nil }
            return try prices.sale(sale, write)
        }
        guard described.meaning == .amountOff else {
            guard isWritten, let wanted = update.desired.sale else { return nil }
            return try prices.sale(wanted, write)
        }
        guard isWritten || update.changed.contains(.price) else { return nil }
        // If the sale is not managed, the price that buyers pay stays the same.
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

    private func shownThumbnail() throws(MarketError) -> WireField.Value? {
        guard let place = market.fields.thumbnail?.writing else { return nil }
        return try shown(at: place)
    }

    // MARK: Values

    /// The value of an unset field; `nil` if the description does not state how to unset it.
    private func unset(_ field: MarketDescription.Fields.Name) throws(MarketError) -> WireField.Value? {
        guard let literal = market.fields.place(of: field)?.unset else { return nil }
        return try wire.value(of: literal, in: write)
    }

    /// The value of a field other than money; an empty text removes the current value.
    private func value(
        _ field: MarketDescription.Fields.Name,
        _ values: ProductValues
    ) throws(MarketError) -> WireField.Value? {
        switch field {
        case .name, .description:
            let text = field == .name ? values.name : values.description
            return try text == "" ? unset(field) ?? .text("") : text.map { .text($0) }
        case .currency:
            let code = values.currency?.rawValue
            return (market.fields.currency?.letterCase == .lower ? code?.lowercased() : code).map { .text($0) }
        case .stock: return values.stock.map { .integer($0) }
        case .price, .sale, .thumbnail, .ownerName, .created, .updated: return nil
        }
    }

    // MARK: Pictures

    private mutating func putPictures() throws(MarketError) {
        switch write.kind {
        case .create(_, let pictures): try put(pictures, keeping: [:], clears: false)
        case .update(_, let update):
            if market.pictures?.change == .inPlace, update.changed.contains(.images) {
                try put(update.pictures, keeping: update.keptPictures, clears: true)
            } else if sending == .whole, let written = market.pictures?.written {
                try putBack(written)
            }
        case .deleteKey, .delete, .proveOwnership, .upload, .attach: break
        }
    }

    /// Adds the pictures in order; existing ones are identified by the market's ids.
    private mutating func put(
        _ pictures: [Picture],
        keeping ids: [Int: MarketID],
        clears: Bool
    ) throws(MarketError) {
        guard let described = market.pictures else { return }
        switch described.style {
        case .none, .attach: return
        case .parts: files = pictures
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

    /// The reference to a picture in the product; if unknown, the picture's name, for displaying the request.
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

    /// Adds the pictures that the market shows, so that a change of all fields keeps them.
    private mutating func putBack(_ written: MarketDescription.Pictures.Written) throws(MarketError) {
        guard let shown = try shown(at: market.pictures?.shown?.place ?? written.place), shown != .null else { return }
        guard let kept = written.kept, let id = market.pictures?.shown?.id else {
            return try put(shown, at: written.place)
        }
        func reduced(_ element: WireField.Value) throws(MarketError) -> WireField.Value {
            guard let value = element.value(at: try id.steps(wire)[...]) else {
                throw MarketError(.refused, "\(wire.name) shows a picture without an id, so it cannot be kept")
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
    /// The values that a change sends: the wanted ones, and for a complete change also the unchanged ones.
    fileprivate func values(sayingAll isWhole: Bool) -> ProductValues {
        guard isWhole else { return desired }
        var values = live
        for field in ProductField.allCases where changed.contains(field) || live[field] == nil {
            values[field] = desired[field]
        }
        return values
    }
}
