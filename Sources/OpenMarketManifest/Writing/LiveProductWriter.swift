package import OpenMarket
import OpenMarketFiles

/// Converts live products to manifest products, as far as a manifest can express them.
///
/// What it cannot express is left out and not managed, so the market keeps it. A comment above the product states the
/// field and the reason.
package struct LiveProductWriter: Sendable {
    /// A picture file of a live product.
    package struct PictureFile: Sendable {
        /// The path, relative to the manifest's folder.
        var path: String
        var byteCount: Int
        /// Why it cannot be in a manifest; `nil` if it can.
        var fault: String?

        package init(path: String, byteCount: Int, fault: String?) {
            self.path = path
            self.byteCount = byteCount
            self.fault = fault
        }
    }

    package struct Omission: Hashable, Sendable {
        package var key: String
        package var id: MarketID
        /// Its key in a manifest.
        package var field: String
        package var reason: String

        package init(key: String, id: MarketID, field: String, reason: String) {
            (self.key, self.id, self.field, self.reason) = (key, id, field, reason)
        }
    }

    package private(set) var limits: ProductLimits
    package private(set) var omissions: [Omission] = []
    /// Whether ``limits`` may grow; otherwise values beyond them are left out.
    private let widensLimits: Bool
    /// Whether the manifest is for another market than the one that shows the products.
    private let isForAnother: Bool
    /// The fields that `defaults` give to products without them.
    private let defaults: ProductFieldSet
    private let choosesThumbnail: Bool
    /// The fields that no request to the market can express.
    private let unsayableFields: ProductFieldSet
    /// Those of them that comments have mentioned so far: a manifest has one comment for all products.
    private var named: ProductFieldSet = []
    private let marketName: String
    private let secrets = SecretMask.current
    /// The fields of the present product that are left out.
    private var reasons: [ProductField: String] = [:]

    /// `profile` is that of the manifest's market.
    ///
    /// No secret of the command appears in a product, whatever the market shows.
    package init(
        profile: MarketProfile,
        limits: ProductLimits,
        widensLimits: Bool,
        isForAnother: Bool = false,
        defaults: ProductFieldSet = []
    ) {
        self.limits = limits
        self.defaults = defaults
        self.widensLimits = widensLimits
        self.isForAnother = isForAnother
        choosesThumbnail = profile.capabilities.thumbnailIsChosen
        unsayableFields = profile.capabilities.unsayableFields
        marketName = profile.name
    }

    /// Converts a live product, with its ``omissions`` as comments.
    ///
    /// The pictures are in the product's order, or the reason why they are not available.
    package mutating func product(
        _ live: LiveProduct,
        key: String,
        pictures: Result<[PictureFile], PictureTrouble>
    ) -> ManifestProduct {
        var product = AddedProduct()
        // Ids belong to the market that shows the product.
        if !isForAnother { product.id = live.id }
        reasons = [:]
        var live = live
        for field in ProductField.allCases where unsayableFields.contains(field) {
            if Self.holds(live, field) {
                leaveOut(field, "no request to \(marketName) can send it")
            }
            live.values[field] = nil
            if field == .images { live.images = nil }
            live.blank.remove(field)
        }
        let pictures = unsayableFields.contains(.images) ? .success([]) : pictures
        writeTexts(live, &product)
        writePrices(live, &product)
        if let stock = live.stock {
            if stock >= 0 { product.values.stock = stock } else { leaveOut(.stock, "it is negative: \(stock)") }
        }
        writePictures(live, pictures, &product)
        for field in [ProductField.name, .description, .price, .currency, .stock, .images]
        where live.blank.contains(field) { leaveOut(field, "the market does not show it") }
        for (field, reason) in reasons.sorted(by: { $0.key < $1.key }) {
            omissions.append(Omission(key: key, id: live.id, field: field.rawValue, reason: reason))
            // The value of `defaults` would replace the market's.
            if defaults.contains(field), !isForAnother { product.ignoreChanges.insert(field) }
            guard !named.contains(field) else { continue }
            let isOfAll = unsayableFields.contains(field)
            if isOfAll { named.insert(field) }
            product.comments.append("\(field.rawValue) is not managed: \(reason)\(isOfAll ? ", here or below" : "")")
        }
        return ManifestProduct(key: key, added: product)
    }

    /// Whether a product has a value in a field, which is lost if the field is left out.
    private static func holds(_ live: LiveProduct, _ field: ProductField) -> Bool {
        switch field {
        case .images: live.images?.isEmpty == false
        case .salePrice: live.sale?.salePrice != nil
        case .description: live.description?.isEmpty == false
        case .name, .price, .currency, .stock, .thumbnail: live.values[field] != nil
        }
    }

    package struct PictureTrouble: Error, Sendable {
        package var reason: String
        /// Whether the market may provide the field later.
        package var mayPass: Bool

        package init(_ reason: String, mayPass: Bool = false) {
            self.reason = reason
            self.mayPass = mayPass
        }
    }

    /// Leaves out a field, for the first of several reasons.
    private mutating func leaveOut(_ field: ProductField, _ reason: String) {
        reasons[field] = reasons[field] ?? reason
    }

    // MARK: Fields

    private mutating func writeTexts(_ live: LiveProduct, _ product: inout AddedProduct) {
        if let name = live.name {
            if let fault = fault(of: name) {
                leaveOut(.name, fault)
            } else if let fault = VisibleLine.fault(of: name) {
                leaveOut(.name, "it \(fault)")
            } else if !allows(name, \.nameLength) {
                leaveOut(.name, tooMany(ProductLimits.length(of: name), "character", limits.nameLength))
            } else {
                product.values.name = name
            }
        }
        if let description = live.description {
            let isControl = description.unicodeScalars.contains { scalar in
                scalar.isControl && scalar != "\n" && scalar != "\r" && scalar != "\t"
            }
            if let fault = fault(of: description) {
                leaveOut(.description, fault)
            } else if isControl {
                leaveOut(.description, "it has a control character")
            } else if !allows(description, \.descriptionLength) {
                let length = ProductLimits.length(of: description)
                leaveOut(.description, tooMany(length, "character", limits.descriptionLength))
            } else {
                product.values.description = description
            }
        }
    }

    /// The message about more or fewer items than the market takes.
    private func tooMany(_ count: Int, _ noun: String, _ range: ClosedRange<Int>) -> String {
        "it has \(counted(count, noun)), and \(marketName) takes \(ProductLimits.words(range))"
    }

    /// Why a text cannot be in a manifest.
    private func fault(of text: String) -> String? {
        if secrets.isHeld(by: text) { return "it holds a credential of the market" }
        return text.withUTF8Span({ $0.hasLostText }) ? "it \(LostText.message)" : nil
    }

    private mutating func allows(_ text: String, _ path: WritableKeyPath<ProductLimits, ClosedRange<Int>>) -> Bool {
        let range = limits[keyPath: path]
        if ProductLimits.allows(text, length: range) { return true }
        guard widensLimits else { return false }
        let length = ProductLimits.length(of: text)
        limits[keyPath: path] = min(range.lowerBound, length)...max(range.upperBound, length)
        return true
    }

    /// Whether a manifest can have a currency, perhaps after the limits in its head are extended.
    private mutating func allows(_ currency: Currency) -> Bool {
        if limits.takes(currency) { return true }
        // A price without its currency would be in the other market's currency; an unsupported currency is refused by
        // name.
        if isForAnother, currency.isStandard { return true }
        guard widensLimits, currency.isStandard else { return false }
        limits.add(currency)
        return true
    }

    private mutating func writePrices(_ live: LiveProduct, _ product: inout AddedProduct) {
        let currency = live.currency.flatMap { allows($0) ? $0 : nil }
        product.values.currency = currency
        if let other = live.currency, currency == nil {
            leaveOut(.currency, "a manifest cannot hold the currency '\(other)'")
        }
        guard let price = live.price else { return }
        // Without its currency, the price would be in that of `defaults` or of the other market.
        let isAstray = live.currency != currency && (isForAnother || defaults.contains(.currency))
        guard let fault = isAstray ? "its currency is not managed" : fault(of: price, in: currency) else {
            product.values.price = price
            guard let sale = live.sale?.salePrice else { return }
            if let fault = self.fault(of: sale, in: currency) {
                omit(.salePrice, fault, of: &product)
            } else if sale > price {
                omit(.salePrice, "it is \(sale), and the price only \(price)", of: &product)
            } else {
                product.values.sale = .price(sale)
            }
            return
        }
        leaveOut(.price, fault)
        if live.sale?.salePrice != nil { omit(.salePrice, "it needs the price", of: &product) }
    }

    /// Leaves out a field, and ignores its changes: the missing line alone would remove the market's value.
    private mutating func omit(_ field: ProductField, _ reason: String, of product: inout AddedProduct) {
        leaveOut(field, reason)
        if !isForAnother { product.ignoreChanges.insert(field) }
    }

    private func fault(of amount: ExactDecimal, in currency: Currency?) -> String? {
        if amount.isNegative { return "it is negative: \(amount)" }
        let digits = limits.fractionDigits(of: currency) ?? 18
        return amount.scale > digits
            ? "it is \(amount), which has more than \(counted(digits, "digit")) after the point" : nil
    }

    private mutating func writePictures(
        _ live: LiveProduct,
        _ pictures: Result<[PictureFile], PictureTrouble>,
        _ product: inout AddedProduct
    ) {
        let files: [PictureFile]
        do throws(PictureTrouble) { files = try pictures.get() } catch {
            leaveOut(.images, error.reason)
            return
        }
        guard !files.isEmpty else {
            if live.images != nil { leaveOut(.images, "the market does not show it") }
            return
        }
        if let fault = files.lazy.compactMap(\.fault).first {
            leaveOut(.images, fault)
            return
        }
        let most = files.map(\.byteCount).max() ?? 0
        if widensLimits {
            limits.imageCount = limits.imageCount.lowerBound...max(limits.imageCount.upperBound, files.count)
            limits.imageByteLimit = max(limits.imageByteLimit, most + 1)
        }
        guard limits.imageCount.contains(files.count) else {
            leaveOut(.images, tooMany(files.count, "picture", limits.imageCount))
            return
        }
        guard most < limits.imageByteLimit else {
            let limit = "\(marketName) takes those under \(limits.imageByteLimit)"
            leaveOut(.images, "the largest picture has \(most) bytes, and \(limit)")
            return
        }
        product.images = files.map(\.path)
        // The thumbnail can be found only if each file is one of the product's pictures.
        guard choosesThumbnail, files.count == live.images?.count, let url = live.thumbnailURL,
            let index = live.images?.firstIndex(where: { $0.thumbnailURL.map { $0.isExactly(url) } ?? false }),
            index > 0
        else { return }
        product.thumbnail = files[index].path
    }
}

extension PictureFormat {
    /// Why bytes cannot be a picture of a manifest; `nil` if they can.
    package static func fault(of bytes: [UInt8]) -> String? {
        var probe = PictureProbe()
        probe.consume(bytes)
        guard probe.format != nil else {
            return "a picture is \(probe.otherKind.map { "\($0.name), " } ?? "")not a JPEG or PNG"
        }
        return probe.size == nil ? "a picture ends before its dimensions" : nil
    }
}
