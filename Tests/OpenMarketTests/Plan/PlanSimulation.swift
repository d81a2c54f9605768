@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport

/// A market in memory, and what a run against it leaves in the state: enough to follow a plan to its end.
struct PlanSimulation {
    static let vendor: Int64 = 29

    let profile: MarketProfile
    var products: [MarketID: LiveProduct] = [:]
    /// What the market makes of texts that it is sent: other ones, of the fields that its description says.
    static func normalised(_ text: String) -> String { "<p>\(text.uppercased())</p>" }

    /// The bytes behind the pictures' URLs.
    var bytes: [String: ContentDigest] = [:]
    private var newest: Int64 = 100
    private var clock = 0

    init(_ profile: MarketProfile) {
        self.profile = profile
    }

    private var capabilities: MarketCapabilities { profile.capabilities }

    /// The list as the profile shows it.
    var rows: LiveCatalog {
        LiveCatalog(
            products: LiveProducts(
                products.mapValues { product in
                    var row = product
                    row.images = nil
                    if !capabilities.listShowsDescription { row.description = nil }
                    return row
                }
            )
        )
    }

    /// What a plan sees: rows, and the details and pictures that it asks for.
    func observed(_ input: Planner.Input, mode: RefreshMode, filter: KeyFilter) -> Planner.Input {
        var input = input
        input.live = mode == .nothing ? .remembered(by: input.state) : rows
        for id in input.detailsNeeded(mode: mode, capabilities: capabilities, filter: filter) {
            input.live.products[id] = products[id]
        }
        input.pictureDigests = [:]
        for url in input.picturesNeeded(capabilities: capabilities, filter: filter) {
            input.pictureDigests[url] = bytes[url]
        }
        return input
    }

    @discardableResult
    mutating func make(_ values: ProductValues, vendor: Int64 = vendor) -> LiveProduct {
        newest += 1
        var product = LiveProduct(
            id: MarketID(newest),
            vendorID: capabilities.listShowsVendor ? vendor : nil,
            sale: Sale.fullPrice,
            stock: 0
        )
        write(values, fields: Set(ProductField.allCases), to: &product)
        if let currency = capabilities.fixedCurrency { product.currency = currency }
        if capabilities.thumbnailIsChosen, let thumbnail = values.thumbnail,
            let index = values.images?.firstIndex(of: thumbnail)
        {
            product.thumbnailURL = product.images?[index].thumbnailURL
        }
        products[product.id] = product
        return product
    }

    /// Writes fields as a request or a stranger would.
    mutating func write(_ values: ProductValues, fields: Set<ProductField>, to product: inout LiveProduct) {
        clock += 1
        if capabilities.listShowsVendor { product.issuedAt = "\(clock)" }
        // A sale that was ended by a sale price equal to the price stays ended: a client moves it along with the price.
        let hasEndedSale = product.sale?.salePrice.map { $0 == product.price } ?? false
        if hasEndedSale, fields.contains(.price), !fields.contains(.salePrice) { product.sale = Sale.fullPrice }
        for field in fields {
            switch field {
            case .name: product.name = values.name.map { echo($0, .name) } ?? product.name
            case .description:
                product.description = values.description.map { echo($0, .description) } ?? product.description
            case .price, .currency, .salePrice, .stock: if let value = values[field] { product.values[field] = value }
            case .thumbnail: break
            case .images:
                guard let digests = values.images?.digests else { break }
                product.images = digests.map { digest in
                    newest += 1
                    bytes["u/\(newest)"] = digest
                    let id = capabilities.thumbnailIsChosen ? MarketID(newest) : nil
                    return LiveProduct.Image(id: id, url: "u/\(newest)", thumbnailURL: "t/\(newest)")
                }
                product.thumbnailURL = product.images?.first?.thumbnailURL
            }
        }
    }

    private func echo(_ text: String, _ field: ProductField) -> String {
        capabilities.normalisedFields.contains(field) ? Self.normalised(text) : text
    }

    /// Carries out a plan to its end.
    mutating func apply(_ plan: Plan, to state: inout StateSnapshot) {
        for update in plan.updatesOfPresentKeys { state.apply(update) }
        for operation in plan.operations {
            if let former = operation.renamedFrom { state.apply(.rename(from: former, to: operation.key)) }
            let known = state.entries[operation.key]
            switch operation.work {
            case .rename: break
            case .adopt(let entry, _): state.entries[operation.key] = entry
            case .forget: state.entries[operation.key] = nil
            case .create(let new):
                let product = make(new.values)
                state.entries[operation.key] = entry(of: product, new.values, new.isProtected, operation)
            case .replace(let replacement):
                let new = replacement.product
                var entry = entry(of: make(new.values), new.values, new.isProtected, operation)
                for field in replacement.carriedOver { entry.applied[field] = known?.applied[field] }
                // Sent from what was applied, it shows the same again.
                for field in replacement.carriedOver where entry.applied[field] == new.values[field] {
                    entry.shown[field] = echoes(product: products[entry.id], new.values)[field]
                }
                state.entries[operation.key] = entry
                products[replacement.id] = nil
            case .delete(let deletion):
                products[deletion.id] = nil
                // A delete that a replace owed leaves the new product in the state.
                if known?.id == deletion.id { state.entries[operation.key] = nil }
            case .update(let update):
                guard var product = products[update.id] else { break }
                write(update.desired, fields: update.changedFields, to: &product)
                if let number = update.thumbnailImageID {
                    product.thumbnailURL = product.images?.first { $0.id == number }?.thumbnailURL
                }
                products[update.id] = product
                var entry = entry(of: product, update.desired, update.isProtected, operation)
                entry.shown = ProductValues()
                entry.applied = known?.applied ?? ProductValues()
                entry.shown = known?.shown ?? ProductValues()
                for field in update.changedFields {
                    entry.applied[field] = update.desired[field]
                    entry.shown[field] = echoes(product: product, update.desired)[field]
                }
                if !update.changedFields.contains(.images) { entry.images = known?.images }
                state.entries[operation.key] = entry
            }
        }
    }

    /// What a product shows otherwise than it was sent.
    private func echoes(product: LiveProduct?, _ sent: ProductValues) -> ProductValues {
        var echoes = ProductValues()
        for field in capabilities.normalisedFields where sent[field] != nil && product?.values[field] != sent[field] {
            echoes[field] = product?.values[field]
        }
        return echoes
    }

    private func entry(
        of product: LiveProduct,
        _ desired: ProductValues,
        _ isProtected: Bool,
        _ operation: PlannedOperation
    ) -> StateEntry {
        StateEntry(
            key: operation.key,
            id: product.id,
            vendorID: product.vendorID,
            applied: desired,
            shown: echoes(product: product, desired),
            images: desired.images?.digests.flatMap { digests in
                product.images.map { zip(digests, $0).map { .init(digest: $0, reference: $1.reference) } }
            },
            thumbnailURL: product.thumbnailURL,
            issuedAt: product.issuedAt,
            secret: operation.secret,
            isProtected: isProtected
        )
    }
}
