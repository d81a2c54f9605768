/// A wanted change that the market does not support.
package enum UnsupportedChange: Hashable, Sendable {
    /// The request of the create or update lacks the field.
    case field(ProductField, MarketCapabilities.Writing)
    case clearing(ProductField)
    case currency(Currency, fixed: Currency)
    /// The market counts in the smallest unit of the currency, which is unknown.
    case priceWithoutCurrency
    /// The market counts in the smallest unit of the currency, and the price is not a multiple of it.
    case fraction(ExactDecimal, Currency)
    /// The request needs another field as well, which neither the market shows nor the manifest states.
    case partner(ProductField, of: ProductField)
    /// The market fetches pictures itself, and the URL of this picture is unknown.
    case pictureAddress(path: String)
    /// The product can have only one picture.
    case pictures(Int)
    /// Pictures are added one by one and cannot be removed.
    case attachedPictures
    /// The market refuses the new product of a replace while the old one has the key.
    case successor
    /// The product is to be replaced, and the manifest lacks one of its values.
    case valueOfSuccessor(ProductField)
    /// The product's id is its key, which the manifest does not allow to be sent.
    case unsentKey

    var field: ProductField? {
        switch self {
        case .field(let field, _), .clearing(let field), .partner(_, let field), .valueOfSuccessor(let field): field
        case .currency: .currency
        case .priceWithoutCurrency, .fraction: .price
        case .pictureAddress, .pictures, .attachedPictures, .successor: .images
        case .unsentKey: nil
        }
    }

    /// One sentence, in lower case, without a full stop.
    package func message(of key: String, on market: String) -> String {
        switch self {
        case .field(let field, .create):
            "'\(key)' has '\(field.rawValue)', which cannot be set when a product of \(market) is created"
        case .field(let field, _):
            "'\(key)' needs another '\(field.rawValue)', which cannot be changed on a product of \(market)"
        case .clearing(.salePrice): "the sale of '\(key)' is to end, which \(market) does not support"
        case .clearing(let field):
            "'\(field.rawValue)' of '\(key)' is to be emptied, which \(market) does not support"
        case .currency(let currency, let fixed):
            "'\(key)' is in \(currency), and all prices of \(market) are in \(fixed)"
        case .priceWithoutCurrency:
            "'\(key)' has a price and no currency, and \(market) counts in the smallest units of one"
        case .fraction(let price, let currency):
            "the price \(price) of '\(key)' has \(counted(Int(price.scale), "digit")) after the point, and \(market) counts in the smallest "
                + "units of \(currency), which has \(currency.fractionDigits)"
        case .partner(let other, let field):
            "'\(field.rawValue)' of '\(key)' cannot be changed: \(market) takes it together with '\(other.rawValue)', which "
                + "it does not show"
        case .pictureAddress(let path):
            "\(market) fetches pictures itself, and the address of '\(path)' of '\(key)' is not configured"
        case .pictures(let count): "'\(key)' has \(count) pictures, and \(market) has a place for one"
        case .attachedPictures:
            "'\(key)' has unwanted pictures on \(market), which cannot remove pictures"
        case .successor:
            "the pictures of '\(key)' change, which takes a new product on \(market), and it refuses a second one with the "
                + "same key"
        case .valueOfSuccessor(.images): "'\(key)' is to be replaced, and its pictures are on \(market) only"
        case .valueOfSuccessor(let field):
            "'\(key)' is to be deleted and created again, and its '\(field.rawValue)' is on \(market) only"
        case .unsentKey:
            "'\(key)' has to be created with its key as its id on \(market), and 'market.send_keys' is not set"
        }
    }

    /// `nil` if only leaving the change out helps.
    package var help: String? {
        switch self {
        case .priceWithoutCurrency: "write 'currency' here or in 'defaults'"
        case .pictureAddress: "set 'market.pictures_url' to the URL that serves the manifest's folder"
        case .valueOfSuccessor(.images): "list them in 'images'"
        case .valueOfSuccessor(let field):
            "write '\(field.rawValue)', and remove it from 'ignore_changes': the manifest must have all values of the new product"
        case .unsentKey: "set 'market.send_keys: true'"
        case .partner(let other, _): "also write '\(other.rawValue)'"
        case .field, .clearing, .currency, .fraction, .pictures, .attachedPictures, .successor: nil
        }
    }
}

extension MarketCapabilities {
    /// The parts of an operation that this market does not support; empty if it supports all.
    ///
    /// `sendsKeys` states whether products carry the manifest's keys.
    package func unsupportedChange(in work: PlannedOperation.Work, sendsKeys: Bool) -> [UnsupportedChange] {
        switch work {
        case .create(let product): unsupportedChange(in: product) + (choosesIDs && !sendsKeys ? [.unsentKey] : [])
        case .update(let update): unsupportedChange(in: update)
        case .replace(let replacement):
            // A market without pictures does not require a replacement of a product without them.
            (replacement.changes.contains { $0.field == .images } && !writableFields.contains(.images)
                ? [.field(.images, .update)] : [])
                + unsupportedChange(in: replacement.product) + (choosesIDs && !sendsKeys ? [.unsentKey] : [])
                + (refusesSuccessors(sendsKeys: sendsKeys) && !replacement.deletesFirst ? [.successor] : [])
        case .adopt, .delete, .forget, .rename: []
        }
    }

    static func writings(of action: PlannedOperation.Action) -> [Writing] {
        switch action {
        case .create: [.create]
        case .update: [.update]
        case .replace: [.create, .delete]
        case .delete: [.delete]
        case .adopt, .forget, .rename: []
        }
    }

    var addsPicturesOnly: Bool { pictureStyle == .attach && picturesChangeInPlace }

    /// Whether a product cannot be created while an older one has its key.
    func refusesSuccessors(sendsKeys: Bool) -> Bool {
        choosesIDs || sendsKeys && key.map { $0.uniqueness != .unenforced } ?? false
    }

    /// Fields that no request can set, whatever their values.
    ///
    /// Empty for a read-only market, which plans report anyway.
    package var unsayableFields: ProductFieldSet { writableFields.isEmpty ? [] : fields(besides: writableFields) }

    /// Fields that cannot be set on a new product, whatever their values.
    var fieldsUnknownToCreate: ProductFieldSet { fields(besides: fieldsOfCreate) }

    /// The thumbnail is a separate request.
    private func fields(besides said: Set<ProductField>) -> ProductFieldSet {
        var unsaid = ProductFieldSet(ProductField.allCases).subtracting(ProductFieldSet(said))
        unsaid.remove(.thumbnail)
        if fixedCurrency != nil { unsaid.remove(.currency) }
        return unsaid
    }

    private func unsupportedChange(in product: NewProduct) -> [UnsupportedChange] {
        let values = product.values
        var faults: [UnsupportedChange] = []
        let unsaid = values.fields.intersection(fieldsUnknownToCreate)
        for field in ProductField.allCases where unsaid.contains(field) {
            // A request omits the field for no sale or no pictures.
            if field == .salePrice, values.sale == .fullPrice { continue }
            if field == .images, values.images?.isEmpty == true { continue }
            faults.append(.field(field, .create))
        }
        if let currency = values.currency, let fixedCurrency, currency != fixedCurrency {
            faults.append(.currency(currency, fixed: fixedCurrency))
        }
        faults += money(values, in: values.currency)
        return faults + places(of: product.pictures)
    }

    private func unsupportedChange(in update: PlannedOperation.Update) -> [UnsupportedChange] {
        var faults: [UnsupportedChange] = []
        let changed = update.changedFields
        for change in update.changes {
            let field = change.field
            if field == .images, pictureStyle == .attach, update.keepsPictures { continue }
            guard fieldsOfUpdate.contains(field) else {
                if field == .currency, let currency = update.desired.currency, let fixedCurrency {
                    faults.append(.currency(currency, fixed: fixedCurrency))
                } else {
                    faults.append(.field(field, .update))
                }
                continue
            }
            let isCleared =
                switch change.manifest {
                case .sale(.fullPrice): true
                case .images(let images): images.isEmpty
                case .text, .number, .integer, .sale, .image, nil: false
                }
            if isCleared, !clearableFields.contains(field) { faults.append(.clearing(field)) }
        }
        if saleMovesPrice {
            let outcome = update.outcome
            if changed.contains(.price), outcome.sale == nil { faults.append(.partner(.salePrice, of: .price)) }
            if changed.contains(.salePrice), outcome.price == nil { faults.append(.partner(.price, of: .salePrice)) }
        }
        if !changed.isDisjoint(with: [.price, .salePrice, .currency]) {
            let outcome = update.outcome
            var written = ProductValues()
            if changed.contains(.price) { written.price = outcome.price }
            if changed.contains(.salePrice) { written.sale = outcome.sale }
            // In another currency, the same price is another number.
            if pricesNeedCurrency, changed.contains(.currency), outcome.price == nil {
                faults.append(.partner(.price, of: .currency))
            }
            faults += money(written, in: outcome.currency)
        }
        guard changed.contains(.images) else { return faults }
        if addsPicturesOnly, !update.keepsPictures { faults.append(.attachedPictures) }
        return faults + places(of: update.pictures)
    }

    /// Faults of prices that are sent in the currency's smallest unit.
    private func money(_ values: ProductValues, in currency: Currency?) -> [UnsupportedChange] {
        let amounts = [values.price, values.sale?.salePrice].compactMap(\.self)
        guard pricesNeedCurrency, !amounts.isEmpty else { return [] }
        guard let currency = currency ?? fixedCurrency else { return [.priceWithoutCurrency] }
        return amounts.filter { Int($0.scale) > currency.fractionDigits }.map { .fraction($0, currency) }
    }

    private func places(of pictures: [Picture]) -> [UnsupportedChange] {
        if takesOnePicture, pictures.count > 1 { return [.pictures(pictures.count)] }
        guard pictureStyle == .url else { return [] }
        return pictures.filter { $0.address == nil }.map { .pictureAddress(path: $0.path) }
    }
}
