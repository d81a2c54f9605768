@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// Random shops with a history: applied, changed by hand on the market, and wanted otherwise.
struct PlannerPropertyTests {
    struct Case {
        var market: PlanSimulation
        var input: Planner.Input
        var options = PlannerOptions(onDrift: .restore)
        var mode: RefreshMode

        var capabilities: MarketCapabilities { market.profile.capabilities }

        func seen() -> Planner.Input {
            market.observed(input, mode: mode, filter: options.filter)
        }
    }

    private static let keys = (0..<8).map { "key-\($0)" }

    private func values(_ random: inout SeededGenerator) -> ProductValues {
        let price = Int64.random(in: 1...4, using: &random) * 100
        var values = ProductValues(
            name: ["Lamp", "Desk", "Chair", "Sofa"].randomElement(using: &random),
            description: ["Warm light.", "Cold light."].randomElement(using: &random),
            price: ExactDecimal(price),
            currency: Bool.random(using: &random) ? .krw : .usd,
            sale: Bool.random(using: &random) ? .price(ExactDecimal(Int64.random(in: 1...price, using: &random))) : nil,
            stock: Int64.random(in: 0...3, using: &random)
        )
        let numbers = ([1, 2, 3, 4] as [UInt8]).shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
        values.images = numbers.map { .digest(digest($0)) }
        if Bool.random(using: &random) { values.thumbnail = values.images?.randomElement(using: &random) }
        return values
    }

    func makeCase(_ random: inout SeededGenerator) -> Case {
        let profile = MarketProfile.builtIns.randomElement(using: &random) ?? .v2b
        var market = PlanSimulation(profile)
        var shop = PlanFixture(profile, vendor: oneIn(4, &random) ? nil : PlanSimulation.vendor)

        // What is there: products that we manage, some changed by hand, and products that we do not manage.
        for key in Self.keys where !oneIn(3, &random) {
            let applied = values(&random)
            var product = market.make(applied)
            shop.knows(key, product.id.whole) {
                $0.applied = applied
                $0.images = product.images?.indices.compactMap { index in
                    guard let product = product.images?[index], let digest = applied.images?.digests?[index] else {
                        return nil
                    }
                    return .init(digest: digest, reference: product.reference)
                }
                $0.thumbnailURL = product.thumbnailURL
                $0.issuedAt = product.issuedAt
                $0.isProtected = oneIn(8, &random)
                for field in ProductField.allCases where oneIn(8, &random) { $0.applied[field] = nil }
            }
            if oneIn(8, &random) { shop.input.state.entries[key]?.images = nil }
            if oneIn(3, &random) {
                var fields = Set(ProductField.allCases.filter { _ in oneIn(2, &random) })
                if !profile.capabilities.picturesChangeInPlace { fields.remove(.images) }
                market.write(values(&random), fields: fields, to: &product)
                if profile.capabilities.thumbnailIsChosen, oneIn(2, &random) {
                    product.thumbnailURL = product.images?.randomElement(using: &random)?.thumbnailURL
                }
                market.products[product.id] = product
            }
            if oneIn(8, &random) { market.products[product.id] = nil }
        }
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            market.make(values(&random), vendor: oneIn(2, &random) ? 30 : PlanSimulation.vendor)
        }

        // What is wanted.
        let known = shop.input.state.entries
        var oldKeys = Set(known.keys)
        var freeIDs = Set(market.products.keys).union([MarketID(1)])
        for key in (Self.keys + ["new-1", "new-2"]).shuffled(using: &random) where !oneIn(6, &random) {
            shop.wants(key) { listing in
                if let applied = known[key]?.applied, !oneIn(4, &random) { listing.values = applied }
                if listing.values.images == nil || oneIn(3, &random) {
                    let wanted = values(&random)
                    for field in ProductField.allCases where oneIn(3, &random) { listing.values[field] = wanted[field] }
                    (listing.values.price, listing.values.sale) = (wanted.price, wanted.sale)
                    (listing.values.images, listing.values.thumbnail) = (wanted.images, wanted.thumbnail)
                    for field in ProductField.allCases where oneIn(8, &random) { listing.values[field] = nil }
                }
                if !profile.capabilities.thumbnailIsChosen || listing.values.images == nil {
                    listing.values.thumbnail = nil
                }
                if let thumbnail = listing.values.thumbnail, listing.values.images?.contains(thumbnail) == false {
                    listing.values.thumbnail = nil
                }
                listing.ignoreChanges = Set(ProductField.allCases.filter { _ in oneIn(10, &random) })
                listing.isAbsent = oneIn(8, &random)
                listing.isProtected = oneIn(10, &random)
                if oneIn(10, &random), let id = freeIDs.inOrder().randomElement(using: &random) {
                    freeIDs.remove(id)
                    listing.pinnedID = id
                }
                if key.hasPrefix("new"), oneIn(2, &random), let old = oldKeys.sorted().randomElement(using: &random) {
                    oldKeys.remove(old)
                    listing.previously = [old]
                }
            }
        }
        let renamed = Set(shop.input.manifest.listings.flatMap(\.previously))
        shop.input.manifest.listings.removeAll { renamed.contains($0.key) }

        var made = Case(market: market, input: shop.input, mode: oneIn(2, &random) ? .full : .changed)
        made.options.adopts = oneIn(3, &random)
        if oneIn(5, &random) { made.options.onDrift = .keep }
        if oneIn(6, &random) { made.options.filter = KeyFilter(targets: ["*-1", "*-2", "*-3"]) }
        return made
    }

    /// The same values in dictionaries that were filled in another order.
    private func refilled(_ input: Planner.Input, _ random: inout SeededGenerator) -> Planner.Input {
        var input = input
        func refill<Key, Value>(_ dictionary: inout [Key: Value]) {
            let pairs = dictionary.shuffled(using: &random)
            dictionary = Dictionary(minimumCapacity: dictionary.count * Int.random(in: 1...5, using: &random))
            for (key, value) in pairs { dictionary[key] = value }
        }
        let entries = input.state.entries.values.shuffled(using: &random)
        input.state.entries = StateEntries(entries.map { ($0.key, $0) }) { $1 }
        let products = Array(input.live.products).shuffled(using: &random)
        input.live.products = LiveProducts()
        for (id, product) in products { input.live.products[id] = product }
        refill(&input.pictureDigests)
        return input
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func `a state that is trusted plans like the same products read`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<400 {
            let made = makeCase(&random)
            var input = made.input
            // Some products as they were applied: those need nothing.
            for index in input.manifest.listings.indices where oneIn(2, &random) {
                guard let entry = input.state.entries[input.manifest.listings[index].key] else { continue }
                input.manifest.listings[index].values = entry.applied
            }
            input.live = .remembered(by: input.state)
            var read = input
            read.live.products = LiveProducts()
            for (id, product) in input.live.products { read.live.products[id] = product }
            #expect(
                Planner.plan(input, capabilities: made.capabilities, options: made.options)
                    == Planner.plan(read, capabilities: made.capabilities, options: made.options),
                "seed \(seed), round \(round)"
            )
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func `a plan leads to the manifest, touches nothing else and comes out the same again`(seed: UInt64) async {
        var random = SeededGenerator(seed: seed)
        var kinds: Set<PlannedOperation.Action> = []
        var faults = 0
        for round in 0..<400 {
            // The few threads are shared with tests that wait for answers.
            await Task.yield()
            var made = makeCase(&random)
            let place: Comment = "seed \(seed), round \(round), \(made.market.profile)"
            var seen = made.seen()
            var plan = Planner.plan(seen, capabilities: made.capabilities, options: made.options)
            // Nothing is sent while there are errors: the user corrects what is at fault.
            // What apply would leave alone is corrected, too, so that the second plan has nothing to do.
            // A product that one listing gives up another one may take over.
            for _ in 0..<12 where plan.diagnostics.contains(where: \.asksForCorrection) {
                faults += 1
                correct(&made.input.manifest, plan: plan)
                seen = made.seen()
                plan = Planner.plan(seen, capabilities: made.capabilities, options: made.options)
            }
            #expect(plan.diagnostics.filter { $0.severity == .error && $0.code != .currency } == [], place)
            kinds.formUnion(plan.operations.map(\.action))
            #expect(plan.operations.map { try? $0.readBack } == plan.operations, place)

            #expect(
                Planner.plan(refilled(seen, &random), capabilities: made.capabilities, options: made.options) == plan,
                place
            )

            let sending = plan.operations.filter { !$0.action.sendsNothing }
            let ids = sending.compactMap(\.id)
            #expect(Set(ids).count == ids.count, place)
            #expect(Set(sending.map(\.key)).count == sending.count, place)
            let adopted = plan.operations.filter { $0.action == .adopt }.compactMap(\.id)
            let reachable = Set(made.input.state.entries.values.map(\.id) + adopted)
                .union(made.input.manifest.listings.filter(\.isAbsent).compactMap(\.pinnedID))
            #expect(reachable.isSuperset(of: ids), place)
            #expect(Set(adopted).isDisjoint(with: made.input.state.entries.values.map(\.id)), place)
            #expect(plan.operations.allSatisfy { made.options.filter.takes($0.key) }, place)
            let ranks = plan.operations.map { PlannedOperation.Action.allCases.firstIndex(of: $0.action) ?? 0 }
            #expect(ranks == ranks.sorted(), place)

            let strangers = made.market.products.filter { !reachable.contains($0.key) }
            made.market.apply(plan, to: &made.input.state)
            #expect(strangers.allSatisfy { made.market.products[$0.key] == $0.value }, place)

            for mode in [made.mode, .full, .changed] {
                made.mode = mode
                let again = Planner.plan(made.seen(), capabilities: made.capabilities, options: made.options)
                // What only a detail shows may have moved unseen, where the first plan trusted the rows.
                if mode == .full, !made.capabilities.listShowsVendor, !again.operations.isEmpty {
                    #expect(again.operations.allSatisfy { $0.action == .update }, place)
                    made.market.apply(again, to: &made.input.state)
                    continue
                }
                #expect(again.operations == [], place)
                // Which amounts the currency would leave behind, only a detail may show.
                let left = again.diagnostics.count { $0.code == .currency }
                #expect(again.diagnostics.filter { $0.severity == .error && $0.code != .currency } == [], place)
                let wanted = made.input.manifest.listings.filter { !$0.isAbsent && made.options.filter.takes($0.key) }
                let refused = again.refusals.count { $0.message.hasSuffix("would be replaced") }
                #expect(again.unchanged + refused + left == wanted.count, place)
                made.market.apply(again, to: &made.input.state)
            }
            // By now the state has caught up with everything.
            let settled = Planner.plan(made.seen(), capabilities: made.capabilities, options: made.options)
            #expect(settled.operations == [] && settled.stateUpdates == [], place)
            if made.options.onDrift == .restore { expectManifest(made, plan: settled, place) }
        }
        #expect(kinds.union([.rename]) == Set(PlannedOperation.Action.allCases) && faults > 20, "seed \(seed)")
    }

    /// Takes out what the errors of a plan complain about.
    private func correct(_ manifest: inout Manifest, plan: Plan) {
        let places = Set(plan.diagnostics.filter(\.asksForCorrection).compactMap(\.location?.position))
        for index in manifest.listings.indices where places.contains(manifest.listings[index].position) {
            let listing = manifest.listings[index]
            var shop = PlanFixture()
            shop.wants(listing.key) {
                $0.position = listing.position
                $0.values.name = "Corrected \(listing.key)"
                $0.values.sale = Sale.fullPrice
                $0.previously = listing.previously
                $0.isAbsent = listing.isAbsent
            }
            manifest.listings[index] = shop.input.manifest.listings[0]
        }
    }

    /// Every managed field of every product that nothing prevents is as the manifest wants it.
    private func expectManifest(_ made: Case, plan: Plan, _ place: Comment) {
        let faulty = Set((plan.refusals.compactMap(\.source) + plan.diagnostics.compactMap(\.location)).map(\.position))
        for listing in made.input.manifest.listings where made.options.filter.takes(listing.key) {
            if faulty.contains(listing.position) { continue }
            guard !listing.isAbsent else {
                #expect(made.input.state.entries[listing.key] == nil, place)
                continue
            }
            guard let entry = made.input.state.entries[listing.key], let product = made.market.products[entry.id] else {
                Issue.record(place)
                continue
            }
            for field in ProductField.allCases where !listing.ignoreChanges.contains(field) {
                guard let wanted = listing.values[field] else { continue }
                switch field {
                case .salePrice:
                    let sale = product.sale ?? .fullPrice
                    #expect(
                        (sale.salePrice ?? product.price) == (listing.values.sale?.salePrice ?? product.price),
                        place
                    )
                // What v1 makes of the bytes cannot be compared.
                case .images where !made.capabilities.keepsPictureBytes:
                    #expect(product.images?.count == listing.values.images?.count, place)
                case .images:
                    // Another order than the one that was found there is not a reason to make the product again.
                    let shown = product.images?.compactMap { made.market.bytes[$0.url] } ?? []
                    #expect(listing.values.images?.digests?.isReordering(of: shown) == true, place)
                case .thumbnail:
                    let image = product.images?.first { $0.thumbnailURL == product.thumbnailURL }
                    #expect(image.flatMap { made.market.bytes[$0.url] }.map { .image(.digest($0)) } == wanted, place)
                case .name, .description, .price, .currency, .stock: #expect(product.values[field] == wanted, place)
                }
            }
        }
    }
}

func oneIn(_ count: Int, _ random: inout SeededGenerator) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

extension Diagnostic {
    /// Whether the manifest has to change before the product can be as it says.
    fileprivate var asksForCorrection: Bool { severity == .error || code == .salePrice }
}
