@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// Plans on markets whose abilities are drawn at random: nothing is planned that the market has no request for, and what is
/// planned leads to a market for which nothing is planned any more.
struct LesserMarketTests {
    /// A market, and by itself what it can be asked for: what a plan is judged by does not come from the description.
    private struct Drawn {
        var shop = DescribedShop()
        var create: Set<ProductField> = [.name, .description, .price, .currency, .salePrice, .stock, .images]
        var update: Set<ProductField> = [.name, .description, .price, .currency, .salePrice, .stock, .images]
        var clears: Set<ProductField> = [.salePrice, .images]
        var actions: Set<PlannedOperation.Action> = [.adopt, .forget, .rename, .create, .update, .replace, .delete]
        var mostPictures = Int.max
        var changesPictures = true
        var sendsKeys = false
        var keyIsUnique = false
        var currency: Currency?
        var needsCurrency = false

        /// Why the market cannot carry an operation out.
        func fault(_ operation: PlannedOperation) -> String? {
            guard actions.contains(operation.action) else { return "no request does it" }
            switch operation.work {
            case .create(let product): return fault(product)
            case .replace(let replacement):
                return sendsKeys && keyIsUnique && !replacement.deletesFirst
                    ? "the key is taken" : fault(replacement.product)
            case .update(let update):
                for change in update.changes {
                    guard self.update.contains(change.field) else { return "\(change.field) cannot be said" }
                    if change.field == .images, update.desired.images == [], !clears.contains(.images) {
                        return "pictures stay"
                    }
                    if change.field == .salePrice, update.desired.sale == .fullPrice, !clears.contains(.salePrice) {
                        return "the sale stays"
                    }
                }
                return update.pictures.count > mostPictures ? "no place" : nil
            case .adopt, .forget, .rename, .delete: return nil
            }
        }

        private func fault(_ product: NewProduct) -> String? {
            for field in product.values.fields.subtracting(ProductFieldSet(create)).list {
                if field == .salePrice, product.values.sale == .fullPrice { continue }
                if field == .images, product.values.images == [] { continue }
                if field == .currency, currency == product.values.currency { continue }
                return "\(field) cannot be said"
            }
            if let currency, let said = product.values.currency, said != currency { return "another currency" }
            if needsCurrency, product.values.price != nil, product.values.currency == nil, currency == nil {
                return "no currency"
            }
            return product.pictures.count > mostPictures ? "no place" : nil
        }
    }

    private static func draw(_ random: inout SeededGenerator) -> Drawn {
        var drawn = Drawn()
        let names: [(ProductField, String)] = [
            (.description, "description"), (.currency, "currency"), (.salePrice, "sale"), (.stock, "stock"),
        ]
        for (field, name) in names {
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                drawn.shop.fields[name] = nil
                drawn.create.remove(field)
                drawn.update.remove(field)
            case 1:
                drawn.shop.fields[name] = drawn.shop.fields[name]?.replacing("}", with: ", for: [create]}")
                drawn.update.remove(field)
            case 2:
                drawn.shop.fields[name] = drawn.shop.fields[name]?.replacing("}", with: ", for: [update]}")
                drawn.create.remove(field)
            default: break
            }
        }
        if drawn.shop.fields["currency"] == nil, oneIn(2, &random) {
            drawn.shop.fields["currency"] = "{fixed: USD}"
            drawn.currency = .usd
        }
        if drawn.shop.fields["sale"]?.contains("for:") == false, oneIn(3, &random) {
            drawn.shop.fields["sale"] = "{at: /was, as: decimal_text, means: compare_at, none: null}"
        }
        if let sale = drawn.shop.fields["sale"], oneIn(3, &random) {
            drawn.shop.fields["sale"] = sale.replacing(", none: null", with: "")
            drawn.clears.remove(.salePrice)
        }
        for name in ["name", "description"] where oneIn(2, &random) {
            drawn.shop.fields[name] = drawn.shop.fields[name]?.replacing("}", with: ", echo: normalised}")
        }
        if drawn.shop.fields["currency"] != nil, oneIn(4, &random) {
            for name in ["price", "sale"] {
                drawn.shop.fields[name] = drawn.shop.fields[name]?.replacing("decimal_text", with: "minor_units")
            }
            drawn.needsCurrency = true
        }
        drawPictures(&drawn, &random)
        for action in [PlannedOperation.Action.create, .update, .delete] where oneIn(6, &random) {
            // A field cannot be said by what is not there.
            if drawn.shop.fields.values.contains(where: { $0.contains("[\(action.rawValue)]") }) { continue }
            drawn.shop.operations[action.rawValue] = nil
            drawn.actions.remove(action)
            if action != .update { drawn.actions.remove(.replace) }
        }
        if oneIn(2, &random) {
            drawn.keyIsUnique = oneIn(2, &random)
            drawn.sendsKeys = oneIn(2, &random)
            drawn.shop.identity +=
                "\n  key: {at: /sku, unique: \(drawn.keyIsUnique ? "enforced" : "unenforced"), find: {query: {sku: \"{key}\"}}}"
        }
        return drawn
    }

    private static func drawPictures(_ drawn: inout Drawn, _ random: inout SeededGenerator) {
        let read = "read: {at: /images, id: /id, url: /url}"
        drawn.changesPictures = oneIn(2, &random)
        let change = drawn.changesPictures ? "in_place" : "replace"
        if !drawn.changesPictures { drawn.update.remove(.images) }
        let clears = oneIn(2, &random)
        if !clears { drawn.clears.remove(.images) }
        let tail = "change: \(change), bytes: kept, clear: \(clears ? "\"[]\"" : "never")"
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            drawn.shop.pictures = "{style: none, \(read), bytes: kept}"
            drawn.create.remove(.images)
            drawn.update.remove(.images)
        case 1:
            drawn.shop.pictures = "{style: base64, \(read), write: {at: /images}, \(tail)}"
        case 2:
            drawn.shop.pictures = "{style: base64, \(read), write: {at: /picture, one: true}, \(tail)}"
            drawn.mostPictures = 1
        default:
            drawn.shop.pictures = "{style: parts, part: images, \(read), change: \(change), bytes: kept}"
            drawn.clears.remove(.images)
        }
    }

    private static func values(_ drawn: Drawn, _ random: inout SeededGenerator) -> ProductValues {
        var values = ProductValues(
            name: ["Lamp", "Desk", "Chair", "Sofa"].randomElement(using: &random),
            description: ["Warm light.", "Cold light."].randomElement(using: &random),
            price: ExactDecimal(Int64.random(in: 1...4, using: &random) * 100),
            currency: drawn.currency ?? (oneIn(2, &random) ? .krw : .usd),
            sale: oneIn(2, &random) ? .price(50) : .fullPrice,
            stock: Int64.random(in: 0...3, using: &random)
        )
        let numbers = ([1, 2, 3] as [UInt8]).shuffled(using: &random).prefix(Int.random(in: 0...2, using: &random))
        values.images = numbers.map { .digest(digest($0)) }
        return values
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `a plan asks for what the market has, and once`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var (planned, refused) = (0, 0)
        for round in 0..<120 {
            await Task.yield()
            let drawn = Self.draw(&random)
            let place: Comment = "seed \(seed), round \(round):\n\(drawn.shop.text)"
            let profile = try MarketProfile(document: Array(drawn.shop.text.utf8))
            var market = PlanSimulation(profile)
            var shop = PlanFixture(profile)
            shop.input.sendsKeys = drawn.sendsKeys
            shop.options.allowsNamesakes = true
            shop.options.onDrift = .restore
            var known: [String: ProductValues] = [:]
            for number in 0..<6 {
                // What an earlier run applied, some of it changed on the market since.
                let key = "key-\(number)"
                let applied = Self.values(drawn, &random)
                guard !oneIn(3, &random) else { continue }
                market.adopt(key, applied, &shop.input.state)
                known[key] = applied
                guard oneIn(3, &random), let id = shop.input.state.entries[key]?.id,
                    var product = market.products[id]
                else { continue }
                let moved = Set(ProductField.allCases.filter { _ in oneIn(3, &random) }).subtracting([.currency])
                market.write(Self.values(drawn, &random), fields: moved, to: &product)
                market.products[id] = product
            }
            for number in 0..<8 where !oneIn(5, &random) {
                shop.wants("key-\(number)") { listing in
                    listing.values = known[listing.key] ?? Self.values(drawn, &random)
                    let other = Self.values(drawn, &random)
                    for field in ProductField.allCases where oneIn(4, &random) {
                        listing.values[field] = other[field]
                    }
                    for field in ProductField.allCases where field != .name && oneIn(6, &random) {
                        listing.values[field] = nil
                    }
                    if listing.values.price == nil { listing.values.sale = nil }
                }
            }
            let asksForReplaces = oneIn(2, &random)
            var done: Set<String> = []
            for pass in 0..<3 {
                // Asked for once, it is not planned again; where it was refused, what else differs is planned without it.
                shop.options.replaced = KeyPatterns(pass == 0 && asksForReplaces ? ["key-?"] : [])
                let seen = market.observed(shop.input, mode: .full, filter: shop.options.filter)
                let plan = Planner.plan(seen, capabilities: profile.capabilities, options: shop.options)
                for operation in plan.operations {
                    #expect(drawn.fault(operation) == nil, "\(operation.key): \(place)")
                }
                for fault in plan.diagnostics where fault.code == .unsupportedByMarket {
                    #expect(fault.message.contains("tickets"), "\(fault.message)")
                }
                planned += plan.operations.count
                refused += plan.refusals.count + plan.diagnostics.count { $0.severity == .error }
                let isRepeated = plan.operations.contains { done.contains($0.key) }
                let mayPlan = pass == 0 || pass == 1 && asksForReplaces && !isRepeated
                #expect(mayPlan || plan.operations.isEmpty, "pass \(pass), \(plan.operations): \(place)")
                done.formUnion(plan.operations.map(\.key))
                market.apply(plan, to: &shop.input.state)
            }
        }
        #expect(planned > 200 && refused > 100, "\(planned) planned, \(refused) refused")
    }
}

extension PlanSimulation {
    /// A product as a run leaves it that made it: on the market and in the state.
    fileprivate mutating func adopt(_ key: String, _ values: ProductValues, _ state: inout StateSnapshot) {
        let create = PlannedOperation(key: key, reason: "", work: .create(NewProduct(values: values)))
        apply(Plan(operations: [create]), to: &state)
    }
}

extension ProductFieldSet {
    fileprivate var list: [ProductField] { ProductField.allCases.filter(contains) }
}
