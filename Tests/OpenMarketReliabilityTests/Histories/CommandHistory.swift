@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow

/// One shop's life: whole commands, the market's moods, what others do meanwhile, and what becomes of the state.
struct CommandHistory {
    /// What may be put back or lost in a history; not both at once, because then nothing shows what is whose.
    enum Tampering: CaseIterable {
        case none, state, market
    }

    let seed: UInt64
    var keepsTrace = false

    /// What went wrong; `nil` when nothing did.
    func failure() throws -> String? {
        let simulation = Simulation(seed: seed, keepsTrace: keepsTrace)
        let seed = seed
        let fault = try simulation.scheduler.run { () -> String? in
            var life = HistoryRun(seed: seed, simulation: simulation)
            let fault = try await life.run()
            return fault.map { "\($0) [\(life.title)]" }
        }
        return fault.map { ([$0] + simulation.trace).joined(separator: "\n") }
    }
}

/// A history under way.
struct HistoryRun {
    private let simulation: Simulation
    private let network: ModelNetwork
    private let profile: MarketProfile
    private let tampering: CommandHistory.Tampering
    private let isStormy: Bool
    private var dice: SeededGenerator
    /// Decides what hands do, so that the rest of a history does not depend on it.
    private var hands: SeededGenerator
    /// Decides the rarer habits, and what befalls a product of a killed run.
    private var rare: SeededGenerator
    private var judge: Judge
    private var items: [ShopItem] = []
    private var nextSerial = 0
    private var folder = StateFolder()
    private var olderFolders: [StateFolder] = []
    private var olderMarkets: [ModelMarket] = []
    private var savedPlans: [(bytes: [UInt8], items: [ShopItem], folder: StateFolder)] = []
    /// Whether state or market were put back or lost, so that something may be left over.
    private var isTampered = false
    /// Whether a colleague put a product on sale.
    private var isOnSaleByOthers = false

    init(seed: UInt64, simulation: Simulation) {
        var dice = SeededGenerator(seed: seed)
        let profile = MarketProfile.builtIns.randomElement(using: &dice) ?? .v2b
        var habits = ModelHabits(&dice)
        isStormy = Int.random(in: 0..<4, using: &dice) > 0
        tampering = [.none, .none, .state, .market].randomElement(using: &dice) ?? .none
        if Int.random(in: 0..<3, using: &dice) > 0 { habits.shufflesRows = 0 }
        hands = SeededGenerator(seed: seed ^ 0x4A4E_4453)
        rare = SeededGenerator(seed: seed ^ 0x5241_5245)
        habits.drawRare(&rare)
        if tampering != .none, habits.names?.isRecognizable == false { habits.names = .titled }
        var market = ModelMarket(profile, habits: habits, firstID: Int.random(in: 1...40, using: &dice))
        for number in 0..<([0, 0, 1, 3, 24].randomElement(using: &dice) ?? 0) {
            _ = market.insert(.foreign(number, day: 19_300 + number / 4, &dice))
        }
        self.simulation = simulation
        self.profile = profile
        network = ModelNetwork(
            market: market,
            seed: dice.next(),
            scheduler: simulation.scheduler,
            survives: { simulation.survives() },
            onRequest: { simulation.log("  \($0)") }
        )
        judge = Judge(profile: profile, texts: habits.texts, names: habits.names)
        judge.look(at: market)
        self.dice = dice
        simulation.log("\(profile), \(tampering), \(habits)")
    }

    /// The profile, the tampering and the habits of the market, for messages.
    var title: String { "\(profile), \(tampering)" }

    private mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &dice) < probability }

    private mutating func pick<Element>(_ choices: [Element]) -> Element? { choices.randomElement(using: &dice) }

    private var runner: CommandRunner { CommandRunner(simulation: simulation, network: network, profile: profile) }

    mutating func run() async throws -> String? {
        edit()
        for _ in 0..<Int.random(in: 3...7, using: &dice) {
            let weather = isStormy ? Weather.drawn(&dice) : .calm
            network.setWeather(weather)
            simulation.log("weather: \(weather.chances.map { "\($0.key) \($0.value)" }.sorted())")
            if Int.random(in: 0..<4, using: &hands) == 0, let fault = try await slip() { return fault }
            if let fault = try await step() { return fault }
        }
        return try await calmEnd()
    }

    // MARK: - Steps

    private mutating func step() async throws -> String? {
        switch Int.random(in: 0..<20, using: &dice) {
        case 0..<6:
            edit()
            return try await apply()
        case 6..<8: return try await apply()
        case 8..<10:
            if chance(0.7) { edit() }
            return try await plan()
        case 10..<13: return try await applySaved()
        case 13..<15: return try await export()
        case 15:
            jump()
            return nil
        case 16..<18:
            meddle()
            return nil
        default:
            switch tampering {
            case .none: return try await apply()
            case .state: try await tamperWithState()
            case .market: try await putMarketBack()
            }
            return nil
        }
    }

    /// A person edits the manifest.
    private mutating func edit() {
        for _ in 0..<Int.random(in: 1...3, using: &dice) {
            guard !items.isEmpty, chance(0.65) else {
                if items.count < 6 {
                    let item = newItem()
                    items.append(item)
                }
                continue
            }
            let index = Int.random(in: items.indices, using: &dice)
            switch Int.random(in: 0..<9, using: &dice) {
            case 0: items[index].name = pick(names) ?? ""
            case 1: items[index].description = pick(ShopItem.descriptions) ?? ""
            case 2, 3:
                items[index].price = pick(ShopItem.prices) ?? 100
                if items[index].sale?.salePrice != nil { items[index].sale = .price(90) }
            case 4: items[index].sale = pick([Sale.fullPrice, .price(90), nil]) ?? nil
            case 5: items[index].stock = pick([0, 3, 12])
            case 6:
                var item = items[index]
                setPictures(&item)
                items[index] = item
            case 7:
                if chance(0.2) { items[index].isAbsent.toggle() } else { items.remove(at: index) }
            default:
                // A key that is nowhere else, for a new name of the same listing.
                items[index].previously.append(items[index].key)
                items[index].key += "-\(nextSerial)"
                nextSerial += 1
            }
        }
        simulation.log("manifest: \(items.map { "\($0.key) '\($0.name)' \($0.price) \($0.pictures)" })")
    }

    private var names: [String] {
        network.market.habits.names == nil ? ShopItem.names : ShopItem.rewritableNames
    }

    private mutating func newItem() -> ShopItem {
        defer { nextSerial += 1 }
        var item = ShopItem(
            serial: nextSerial,
            key: "key\(nextSerial)",
            name: pick(names) ?? "",
            description: pick(ShopItem.descriptions) ?? "",
            price: pick(ShopItem.prices) ?? 100,
            sale: pick([Sale.fullPrice, Sale.fullPrice, .price(90), nil]) ?? nil,
            stock: pick([0, 3, 12]),
            pictures: [1],
            ignored: chance(0.2) ? [.stock] : chance(0.15) ? [.salePrice] : []
        )
        setPictures(&item)
        let isV2 = profile == .v2a || profile == .v2b
        if isV2, chance(0.2) { item.stock = nil }
        return item
    }

    private mutating func setPictures(_ item: inout ShopItem) {
        item.pictures = pick(ShopItem.pictureSets) ?? [1]
        let isChosen = profile.capabilities.thumbnailIsChosen
        item.thumbnail = isChosen && chance(0.3) ? pick(item.pictures) : nil
    }

    private mutating func apply() async throws -> String? {
        var runner = runner
        runner.refresh = chance(0.4) ? .full : .changed
        runner.verifies = chance(0.2)
        runner.parallelism = Int.random(in: 1...3, using: &dice)
        runner.onDrift = chance(0.1) ? .keep : .restore
        let drain = StopSignal()
        let isKilled = chance(0.2)
        let at = Int.random(in: 1...60, using: &dice)
        simulation.restart(crashAt: isKilled ? at : nil, drainAt: chance(0.1) ? at : nil) { drain.trigger() }
        simulation.log("apply \(runner.refresh)\(isKilled ? ", killed at \(at)" : "")")
        let before = folder
        let outcome = await runner.apply(items, before, drain: drain)
        let full = runner.refresh == .full || runner.verifies
        let wanted = items
        answer(outcome)
        let fault = try await end(.apply, wanted, before, outcome, full: full, keepsDrift: runner.onDrift == .keep)
        if isKilled { renameNewest() }
        return fault
    }

    /// A colleague renames the newest product before the next run may know of it.
    private mutating func renameNewest() {
        guard tampering == .none, Int.random(in: 0..<3, using: &rare) == 0, let id = network.market.ours.last?.id
        else { return }
        rename(id)
    }

    private mutating func rename(_ id: Int) {
        simulation.log("a colleague renames \(id)")
        network.change { $0.products[id]?.name = "Sold by hand \(id)" }
        judge.renamed.insert(id)
        judge.look(at: network.market, meddled: [id])
    }

    /// A slip is made in a manifest or a table, and it is applied before it is noticed.
    private mutating func slip() async throws -> String? {
        let typist = Typist(items: items, folder: folder, manifest: runner.manifest, profile: profile)
        guard let slip = Slip.allCases.randomElement(using: &hands),
            let typed = typist.type(slip, asTable: Bool.random(using: &hands), &hands)
        else { return nil }
        simulation.log("a slip: \(typed.title)")
        guard let manifest = typed.manifest else {
            simulation.log("not valid: \(typed.words)")
            return nil
        }
        simulation.restart()
        let before = folder
        let outcome = await runner.apply(manifest, before)
        return try await end(.apply, items, before, outcome, full: false, slip: typed)
    }

    /// A person reads why a plan was refused, and says what is meant.
    private mutating func answer(_ outcome: CommandOutcome) {
        for (key, override) in outcome.doubts {
            guard let index = items.firstIndex(where: { $0.key == key }) else { continue }
            simulation.log("'\(key)' is looked at: \(override)")
            switch override {
            case .respelling(of: let known, canRename: true), .secondListing(of: let known, canRename: true):
                items[index].previously.append(known)
            default:
                items.remove(at: index)
            }
        }
    }

    private mutating func plan() async throws -> String? {
        simulation.restart()
        simulation.log("plan")
        let before = folder
        let outcome = await runner.plan(items, before, saves: true)
        if let bytes = outcome.savedPlan { savedPlans.append((bytes, items, before)) }
        return try await end(.plan, items, before, outcome, full: false)
    }

    private mutating func applySaved() async throws -> String? {
        guard network.market.habits.names?.isRecognizable ?? true, let saved = savedPlans.last else {
            return try await plan()
        }
        let drain = StopSignal()
        let isKilled = chance(0.15)
        let at = Int.random(in: 1...40, using: &dice)
        simulation.restart(crashAt: isKilled ? at : nil) { drain.trigger() }
        var before = folder
        if tampering == .state, chance(0.5) {
            // A job that is run again begins with the state that it was given, whatever the first one did.
            try await pass()
            before = saved.folder.exported
            isTampered = true
            simulation.log("a fresh folder with the state of the plan")
        }
        simulation.log("apply saved plan\(isKilled ? ", killed at \(at)" : "")")
        let outcome = await runner.apply(saved: saved.bytes, before, drain: drain)
        return try await end(.apply, saved.items, before, outcome, full: false, isSaved: true)
    }

    private mutating func export() async throws -> String? {
        simulation.restart()
        simulation.log("export")
        try await pass()
        if let fault = lateFault() { return fault }
        let before = folder
        let outcome = await runner.export(before, details: chance(0.3))
        return try await end(.export, items, before, outcome, full: false)
    }

    /// Judges a command that has ended.
    private mutating func end(
        _ kind: Judge.Case.Kind,
        _ wanted: [ShopItem],
        _ before: StateFolder,
        _ outcome: CommandOutcome,
        full: Bool,
        isSaved: Bool = false,
        keepsDrift: Bool = false,
        slip: Typed? = nil
    ) async throws -> String? {
        let isKilled = simulation.isCrashed
        simulation.restart()
        simulation.log("\(kind): \(isKilled ? "killed" : outcome.end.description)")
        if kind == .apply {
            olderFolders.append(folder)
            folder = outcome.folder
        }
        if chance(0.5) { try await pass() }
        var trial = Judge.Case(
            kind: kind,
            items: wanted,
            before: before,
            outcome: outcome,
            readsDetails: full,
            keepsDrift: keepsDrift,
            isKilled: isKilled
        )
        trial.slip = slip
        if isKilled { trial.outcome.end = .failed("killed") }
        // What a saved plan says nothing about does not concern it.
        if isSaved { trial.keys = Set(outcome.operations.keys) }
        let (effects, writes) = network.takeEffects()
        return judge.verdict(on: trial, effects: effects, writes: writes, market: network.market)
    }

    /// Some time goes by, and what was under way arrives.
    private func pass() async throws {
        try await simulation.clock.sleep(for: .seconds(10))
        network.carryOutLate()
    }

    /// What was wrong with effects that came after their command had ended.
    private mutating func lateFault() -> String? {
        let (effects, _) = network.takeEffects()
        guard !effects.isEmpty else { return nil }
        let trial = Judge.Case(
            kind: .apply,
            items: items,
            before: folder,
            outcome: CommandOutcome(end: .failed("over"), folder: folder),
            readsDetails: false,
            isKilled: true
        )
        return judge.verdict(on: trial, effects: effects, writes: 0, market: network.market)
    }

    // MARK: - Others

    /// Another seller does something on the market.
    private mutating func meddle() {
        _ = network.takeEffects()
        let ours = network.market.ours.map(\.id)
        var touched: Set<Int> = []
        let number = Int.random(in: 0...1_000_000, using: &dice)
        switch Int.random(in: 0..<6, using: &dice) {
        case 0, 1:
            guard let id = pick(ours) else { break }
            touched = [id]
            let kind = number % 4
            simulation.log("a colleague changes \(["the price", "the stock", "the text", "the sale"][kind]) of \(id)")
            if kind == 3 { isOnSaleByOthers = true }
            network.change { $0.meddle(with: id, kind) }
        case 2 where tampering == .none && number % 2 == 0:
            guard let id = pick(ours) else { break }
            rename(id)
        case 2:
            guard let id = pick(ours) else { break }
            simulation.log("a colleague deletes \(id)")
            network.change { $0.products[id] = nil }
        case 3, 4:
            var product = ModelProduct.foreign(number, day: network.day, &dice)
            if let item = pick(items), chance(0.5) {
                (product.name, product.description) = (item.name, item.description)
                (product.price, product.stock) = (item.price.double, Int(item.stock ?? 0))
                product.pictures = item.pictures.map { ModelProduct.Picture.of(ShopPictures.all[$0].bytes) }
            }
            simulation.log("another seller lists '\(product.name)'")
            network.change { _ = $0.insert(product) }
        default:
            guard let id = pick(network.market.others.map(\.id)) else { break }
            simulation.log("another seller deletes \(id)")
            network.change { $0.products[id] = nil }
        }
        judge.look(at: network.market, meddled: touched)
    }

    private mutating func jump() {
        let days = Int.random(in: -2...2, using: &dice)
        simulation.log("clocks jump by \(days) days")
        simulation.jump(by: .seconds(days * 86_400) + .milliseconds(Int.random(in: -5000...5000, using: &dice)))
        network.setDay(network.day + Int.random(in: -1...2, using: &dice))
    }

    private mutating func tamperWithState() async throws {
        try await pass()
        isTampered = true
        switch Int.random(in: 0..<4, using: &dice) {
        case 0:
            simulation.log("the state is lost")
            folder = StateFolder()
        case 1:
            simulation.log("an older copy of the state folder comes back")
            folder = pick(olderFolders) ?? folder
        case 2:
            simulation.log("an older export of the state is imported")
            folder = (pick(olderFolders) ?? folder).exported
        default:
            simulation.log("the state moves to another machine, without its journal")
            folder = folder.exported
        }
    }

    private mutating func putMarketBack() async throws {
        try await pass()
        _ = network.takeEffects()
        let now = network.market
        guard chance(0.6), !olderMarkets.isEmpty || chance(0.3) else {
            simulation.log("the market is backed up")
            olderMarkets.append(now)
            return
        }
        isTampered = true
        guard chance(0.8) else {
            simulation.log("vendors get new numbers")
            network.change { $0.renumber() }
            return judge.look(at: network.market)
        }
        var back = pick(olderMarkets) ?? ModelMarket(profile, habits: now.habits)
        simulation.log("the market is put back: \(back.products.keys.sorted())")
        back.nextPicture = now.nextPicture
        back.effects = []
        network.change { [back] in $0 = back }
        judge.restart(with: back)
    }

    // MARK: - The end

    /// The market behaves: the manifest comes true, or the command says why not.
    private mutating func calmEnd() async throws -> String? {
        simulation.log("calm")
        try await pass()
        if let fault = lateFault() { return fault }
        network.setWeather(.calm)
        network.change { $0.habits.shufflesRows = 0 }
        var last = CommandEnd.failed("nothing was tried")
        for _ in 0..<5 {
            var runner = runner
            runner.refresh = .full
            simulation.restart()
            simulation.log("apply full")
            let before = folder
            let outcome = await runner.apply(items, before)
            last = outcome.end
            let wanted = items
            answer(outcome)
            if let fault = try await end(.apply, wanted, before, outcome, full: true) { return fault }
            if case .failed = last { continue }
            if !outcome.doubts.isEmpty { continue }
            break
        }
        switch last {
        case .success: break
        case .refused(let why):
            // A price below a sale that another seller put on is for people to resolve.
            let isResolvable = isTampered || hasNamesake || isOnSaleByOthers
            return isResolvable ? nil : "still refused on a calm market: \(why)"
        case .failed, .moved:
            // So is one that a drifted price no longer fits under.
            let isResolvable = isTampered || altersTexts || isOnSaleByOthers || !judge.renamed.isEmpty || hasNamesake
            return isResolvable ? nil : "still failing on a calm market: \(last)"
        }
        if let fault = judge.leftOver(items, allowsOrphans: isTampered) { return fault }
        let outcome = await runner.plan(items, folder, saves: false)
        if let fault = try await end(.plan, items, folder, outcome, full: false) { return fault }
        if !outcome.operations.isEmpty || !outcome.end.isSuccess {
            return
                "after exit 0, a plan says: \(outcome.end) \(outcome.operations.values.map { "\($0.action) \($0.key)" })"
        }
        let exported = await runner.export(folder, details: false)
        if !exported.end.isSuccess { return "an export of a calm market: \(exported.end)" }
        return try await end(.export, items, folder, exported, full: false)
    }

    /// Whether the market keeps other texts than it is sent, which every run has to report.
    private var altersTexts: Bool { network.market.habits.texts != .asSent || network.market.habits.names != nil }

    /// Whether another vendor's product has a name that the manifest wants.
    private var hasNamesake: Bool {
        let names = Set(items.map(\.name))
        return network.market.others.contains { names.contains($0.name) }
    }
}

extension ModelMarket {
    /// A colleague changes a product in the market's own interface.
    fileprivate mutating func meddle(with id: Int, _ kind: Int) {
        guard var product = products[id], let price = product.price else { return }
        switch kind {
        case 0:
            product.price = 777
            product.discounted = isV1 ? nil : 0
        case 1: product.stock = 1
        case 2: product.description = "Sold by a colleague."
        default: product.discounted = isV1 ? (price * 0.9).rounded(.down) : (price / 2).rounded(.down)
        }
        products[id] = product
    }

    /// The same vendors under other numbers.
    fileprivate mutating func renumber() {
        ourVendor += 1000
        products = products.mapValues { product in
            var product = product
            product.vendor += 1000
            return product
        }
    }
}

extension ModelProduct {
    /// A product of another vendor.
    static func foreign(_ number: Int, day: Int, _ dice: inout SeededGenerator) -> ModelProduct {
        ModelProduct(
            id: 0,
            vendor: [7, 8].randomElement(using: &dice) ?? 7,
            password: "theirs",
            name: "Thing \(number)",
            description: "Another seller's thing.",
            price: Double(10 * (number % 50 + 1)),
            currency: "KRW",
            discounted: nil,
            stock: 1,
            pictures: [.of(ShopPictures.all[5].bytes)],
            createdDay: day,
            editedDay: day,
            maker: .others
        )
    }
}

extension ModelProduct.Picture {
    static func of(_ bytes: [UInt8]) -> ModelProduct.Picture {
        ModelProduct.Picture(id: 0, stem: "", fileExtension: "png", bytes: bytes)
    }
}
