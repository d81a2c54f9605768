import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// No crash, lost reply or retry makes a second listing, loses one, or forgets one: on markets of random descriptions.
///
/// Each history draws a document and reads it as the program does. The planner sees what the loader makes of it, and the market
/// behaves as it says.
///
/// `OPENMARKET_SEED=n` runs one history.
struct GradeHistoryTests {
    @Test(arguments: 0..<4)
    func `every history on a market of any grade ends with the manifest on it, once`(part: UInt64) async {
        await expectNone(of: 2_000, part: part) {
            try GradeHistory(seed: $0, keepsTrace: TestScope.onlySeed != nil).failure()
        }
    }

    @Test func `documents of every grade and every way to send pictures are drawn`() throws {
        var grades: [IdentityGrade: Int] = [:]
        var styles: [MarketDescription.Pictures.Style: Int] = [:]
        for seed in 0..<UInt64(400) {
            var dice = SeededGenerator(seed: seed)
            let description = MarketDescription(of: try DrawnDescription(&dice).profile())
            grades[description.grade, default: 0] += 1
            if let style = description.pictures?.style { styles[style, default: 0] += 1 }
        }
        #expect(grades.count == IdentityGrade.allCases.count && grades.values.allSatisfy { $0 >= 5 }, "\(grades)")
        #expect(
            styles.count == DrawnDescription.Style.allCases.count && styles.values.allSatisfy { $0 >= 5 },
            "\(styles)"
        )
    }

    /// Shows that the judge sees what each net is for.
    @Test(arguments: MarketTraits.Net.allCases)
    func `without one of its nets a history fails`(net: MarketTraits.Net) async throws {
        try await expectOne(of: 400, without: "\(net)") { seed in
            let failure = try GradeHistory(seed: seed, missing: net).failure()
            // What the refusal is for: a second product.
            return net == .refusal ? failure?.hasPrefix(GradeLife.twice) == true : failure != nil
        }
    }
}

/// A shop's history on a market of a random grade.
struct GradeHistory {
    let seed: UInt64
    var missing: MarketTraits.Net?
    var keepsTrace = false

    /// What is wrong at the end; `nil` when nothing is.
    func failure() throws -> String? {
        var dice = SeededGenerator(seed: seed)
        var drawn = DrawnDescription(&dice)
        var traits = MarketTraits(&dice)
        restrict(&drawn, &traits)
        let profile = try drawn.profile()
        let capabilities = profile.capabilities
        let simulation = Simulation(seed: dice.next(), keepsTrace: keepsTrace)
        let isSettled = capabilities.settlesCreates(sendsKeys: capabilities.carriesKeys)
        let accepts = missing != .acceptance && (isSettled || missing == .refusal || Bool.random(using: &dice))
        let shop = ApplySimulation(
            profile: profile,
            traits: traits,
            simulation: simulation,
            sendsKeys: capabilities.carriesKeys,
            settleDelay: [.wait, .refusal, .uniqueKey].contains(missing) ? .zero : nil,
            acceptsUnsettledCreates: accepts,
            database: missing == nil && seed < 500 ? try StateInMemory(simulation) : nil
        )
        let faults = missing == nil ? Faults(&dice) : Faults(&dice, severities: [0.3])
        var manifests = [Self.manifest(&dice, after: [], capabilities, drawn.currency)]
        for _ in 0..<Int.random(in: 0...2, using: &dice) {
            manifests.append(Self.manifest(&dice, after: manifests, capabilities, drawn.currency))
        }
        let steps = manifests.map { listings in
            Step(
                listings: listings,
                attempts: (0..<Int.random(in: 1...3, using: &dice)).map { _ in
                    Attempt(&dice, capabilities, losesStates: !traits.shoutsKeys)
                }
            )
        }
        for _ in 0..<Int.random(in: 0...2, using: &dice) where capabilities.distinguishesOthers {
            if let values = manifests[0].randomElement(using: &dice)?.values { shop.market.add(values, isOurs: false) }
        }
        let failure = try shop.simulation.scheduler.run {
            var life = GradeLife(shop: shop)
            return try await life.run(steps, faults)
        }
        return failure.map { ([$0, "\(traits)", drawn.document] + simulation.trace).joined(separator: "\n") }
    }

    /// Leaves a net out where nothing else catches what falls.
    private func restrict(_ drawn: inout DrawnDescription, _ traits: inout MarketTraits) {
        guard let missing else { return }
        traits.missing = missing
        traits.shoutsKeys = false
        (drawn.uniqueness, drawn.showsOwner, drawn.changesPicturesInPlace) = (.unenforced, false, true)
        switch missing {
        // The market forgets a key after an hour, and its description says that it does so after days.
        case .window: (drawn.repeatHours, drawn.ids) = (100, .rising)
        case .idempotencyKey: (drawn.repeatHours, drawn.ids) = (1, .rising)
        case .lookupCheck, .wait: (drawn.repeatHours, drawn.ids) = (nil, .texts)
        case .uniqueKey: (drawn.repeatHours, drawn.ids, drawn.uniqueness) = (nil, .texts, .enforced)
        case .risingIDs, .acceptance, .refusal:
            (drawn.repeatHours, drawn.ids, drawn.uniqueness) = (nil, missing == .risingIDs ? .rising : .texts, nil)
            (drawn.normalised, drawn.changesKeys) = (drawn.normalised.subtracting([.name]), false)
        }
        if drawn.style == .attach { drawn.style = .parts }
    }

    /// A manifest that has something in common with those before, of what the market can be asked for; names repeat
    /// where keys distinguish the products.
    ///
    /// A key is renamed, and its former one is never used again.
    static func manifest(
        _ dice: inout SeededGenerator,
        after manifests: [[Listing]],
        _ capabilities: MarketCapabilities,
        _ currency: Currency
    ) -> [Listing] {
        let letters = ["a", "b", "c", "d", "e"]
        return letters.compactMap { letter in
            let old = manifests.last?.first { $0.key.hasPrefix(letter) }
            if let old, Int.random(in: 0..<3, using: &dice) == 0 { return old }
            guard Int.random(in: 0..<4, using: &dice) > 0 else { return nil }
            let isRenamed = manifests.joined().contains { $0.key.hasPrefix(letter) && $0.key != letter }
            if isRenamed, old == nil { return nil }
            let pictures: [UInt8] = [[1], [2], [1, 2], [2, 3]].randomElement(using: &dice) ?? [1]
            let names = capabilities.carriesKeys ? ["Desk lamp", "Twin", "Twin", "Old phone"] : ["Lamp \(letter)"]
            let renames = old != nil && Int.random(in: 0..<4, using: &dice) == 0
            let prices: [ExactDecimal] = [100, 100, 200, currency == .krw ? 200 : ExactDecimal("99.5") ?? 200]
            var listing = Listing.with(
                key: renames ? "\(letter)\(manifests.count)" : old?.key ?? letter,
                name: names.randomElement(using: &dice) ?? "",
                description: capabilities.clearableFields.contains(.description)
                    && Int.random(in: 0..<4, using: &dice) == 0
                    ? "" : "Warm light, two arms.",
                price: prices.randomElement(using: &dice) ?? 100,
                sale: [.fullPrice, .fullPrice, .price(90)].randomElement(using: &dice) ?? .fullPrice,
                pictures: pictures
            )
            listing.values.currency = currency
            listing.previously = (old?.previously ?? []) + (renames ? old.map { [$0.key] } ?? [] : [])
            return listing.expressed(on: capabilities)
        }
    }

    /// A manifest, and the runs that apply it.
    struct Step: Sendable {
        var listings: [Listing]
        var attempts: [Attempt]
    }

    /// How the process fares in one run, and what happens behind it.
    struct Attempt: Sendable {
        var crashAt: Int?
        var drainAt: Int?
        var parallelism: Int
        var staleCheck: Bool
        /// How long nothing is done.
        var pause: Duration
        var losesState: Bool
        var meddling: Int?
        /// The products that the user wants replaced.
        var replaced: [String]
        /// Whether the user has products replaced whose pictures cannot change otherwise.
        var followsAdvice: Bool

        init(_ dice: inout SeededGenerator, _ capabilities: MarketCapabilities, losesStates: Bool) {
            let kind = Int.random(in: 0..<10, using: &dice)
            crashAt = kind < 6 ? .random(in: 1...60, using: &dice) : nil
            drainAt = kind == 6 ? .random(in: 1...60, using: &dice) : nil
            parallelism = .random(in: 1...4, using: &dice)
            staleCheck = .random(using: &dice)
            pause = [.zero, .zero, .seconds(2), .seconds(20), .seconds(5400)].randomElement(using: &dice) ?? .zero
            let mayLose =
                capabilities.carriesKeys && capabilities.keepsPictureBytes && capabilities.picturesChangeInPlace
                && capabilities.pictureStyle != .attach
            losesState = Int.random(in: 0..<5, using: &dice) == 0 && mayLose && losesStates
            meddling = Int.random(in: 0..<4, using: &dice) == 0 ? .random(in: 0..<1000, using: &dice) : nil
            replaced = Int.random(in: 0..<5, using: &dice) == 0 ? [["a*", "b*"].randomElement(using: &dice) ?? ""] : []
            followsAdvice = .random(using: &dice)
        }
    }
}

/// A history under way.
private struct GradeLife {
    let shop: ApplySimulation
    private var run = 0
    private var hasLostState = false
    /// Whether a product was to be replaced by hand, so that there are two of it for a while where the market has room.
    private var hasReplaced = false
    /// The keys of products whose pictures change only if they are replaced, as the last plan says.
    private var advice: [String] = []

    init(shop: ApplySimulation) {
        self.shop = shop
    }

    private var capabilities: MarketCapabilities { shop.capabilities }

    mutating func run(_ steps: [GradeHistory.Step], _ faults: Faults) async throws -> String? {
        for step in steps {
            for attempt in step.attempts {
                shop.market.set(faults)
                try await carryOut(attempt, step.listings)
                if !shop.acceptsUnsettledCreates { if let fault = unaccepted() { return fault } }
                // Of a replace there are two for a while.
                let mayBeTwo = hasReplaced || !capabilities.picturesChangeInPlace
                if !mayBeTwo || capabilities.refusesSuccessors(sendsKeys: capabilities.carriesKeys),
                    let fault = doubled(step.listings)
                {
                    return fault
                }
            }
        }
        guard shop.acceptsUnsettledCreates else { return nil }
        let last = steps[steps.count - 1].listings
        shop.market.set(.none)
        shop.simulation.restart()
        if hasLostState { try await removeOrphans(last) }
        let foreign = shop.market.foreign
        for _ in 0..<10 {
            try await shop.simulation.clock.sleep(for: .seconds(10))
            run += 1
            let (plan, _) = try await shop.apply(
                last,
                run: run,
                configuration: shop.configuration(),
                replaced: KeyPatterns(advice)
            )
            advice = plan.replacements
            let followed = try await deleteWhatHasToGo() || hasLostState && hasReplaced && deleteFormer(as: plan)
            if plan.isEmpty, advice.isEmpty, !followed { break }
        }
        if shop.market.foreign != foreign { return "a foreign product was touched" }
        if let fault = doubled(last) { return fault }
        return try await shop.difference(from: last)
    }

    /// What was made although nothing would have shown what became of it.
    private func unaccepted() -> String? {
        let made = shop.market.requests.contains { if case .create = $0.kind { true } else { false } }
        return made ? "a create was sent whose outcome nothing shows, and no policy accepted that" : nil
    }

    /// A person deletes the product that an unresolved operation names as one that only a person can decide about, and nothing
    /// else.
    private func deleteWhatHasToGo() async throws -> Bool {
        let named = try await shop.preview().settled.filter(\.isOpen).compactMap { item -> MarketID? in
            let advice = [
                "delete it there, and it is created again", "delete the unwanted one on the market",
            ]
            guard advice.contains(where: item.outcome.contains),
                let word = item.outcome.firstMatch(of: /product (\S+) may/)
            else { return nil }
            return MarketID(spelled: String(word.1), as: capabilities.idKind)
        }
        for id in named {
            shop.simulation.log("a person deletes \(id), as is said")
            shop.market.remove(id)
        }
        return !named.isEmpty
    }

    /// A person deletes the older of two products that a plan names as one listing's: the state was lost between the create and
    /// the delete of a replace that was asked for, so that both carry the key.
    private func deleteFormer(as plan: Plan) -> Bool {
        var isDone = false
        for diagnostic in plan.diagnostics {
            guard let named = diagnostic.message.firstMatch(of: /carries the key: (\S+), (\S+)$/) else { continue }
            let ids = [named.1, named.2].compactMap { MarketID(spelled: String($0), as: capabilities.idKind) }
            let ours = shop.market.rows.filter { $0.isOurs && ids.contains($0.product.id) }
            guard ours.count == 2, let former = ours.min(by: { $0.madeAt < $1.madeAt })?.product.id else { continue }
            shop.simulation.log("a person deletes \(former), the older one")
            shop.market.remove(former)
            isDone = true
        }
        return isDone
    }

    private mutating func carryOut(_ attempt: GradeHistory.Attempt, _ listings: [Listing]) async throws {
        run += 1
        let drain = StopSignal()
        shop.simulation.log("run \(run): \(attempt)")
        shop.simulation.restart(crashAt: attempt.crashAt, drainAt: attempt.drainAt) { drain.trigger() }
        let configuration = shop.configuration(parallelism: attempt.parallelism, staleCheck: attempt.staleCheck)
        do {
            let replaced = attempt.replaced + (attempt.followsAdvice ? advice : [])
            if !replaced.isEmpty { hasReplaced = true }
            advice = try await shop.apply(
                listings,
                run: run,
                configuration: configuration,
                replaced: KeyPatterns(replaced),
                drain: drain
            ).plan.replacements
        } catch is Crash {
        } catch is CommandFailure {
        } catch is MarketError {
            // The market could not be read: the command ends, the next one tries again.
        }
        shop.simulation.restart()
        try await shop.simulation.clock.sleep(for: attempt.pause)
        if attempt.losesState {
            // What is still under way is seen before the next plan is made.
            try await shop.simulation.clock.sleep(for: .seconds(10))
            shop.market.carryOutLate()
            shop.simulation.log("the state is lost")
            try shop.loseState()
            hasLostState = true
        }
        if let number = attempt.meddling { meddle(number) }
    }

    /// A person deletes what only the lost state knew to be no longer wanted.
    private func removeOrphans(_ listings: [Listing]) async throws {
        try await shop.simulation.clock.sleep(for: .seconds(10))
        shop.market.carryOutLate()
        let keys = Set(listings.flatMap { [$0.key] + $0.previously })
        for product in shop.market.ours where !keys.contains(product.key ?? product.id.description) {
            shop.market.remove(product.id)
        }
    }

    /// A colleague does something to one of our products.
    private func meddle(_ number: Int) {
        let ours = shop.market.ours
        guard !ours.isEmpty else { return }
        let id = ours[number % ours.count].id
        shop.simulation.log("a colleague \(number % 3) on \(id)")
        switch number % 3 {
        case 1 where capabilities.writableFields.contains(.stock): shop.market.edit(id) { $0.stock = 1 }
        case 0, 1: shop.market.edit(id) { $0.price = 150 }
        default: shop.market.remove(id)
        }
    }

    fileprivate static let twice = "more than one of a kind"

    /// What is there twice.
    private func doubled(_ listings: [Listing]) -> String? {
        let ours = shop.market.ours
        let marks = ours.map { capabilities.carriesKeys ? $0.key ?? $0.id.description : $0.name ?? "" }
        guard Set(marks).count < marks.count else { return nil }
        return Self.twice + ": " + zip(ours, marks).map { "\($0.id) \($1)" }.joined(separator: ", ")
    }
}

extension MarketCapabilities {
    /// Whether another person's product of the same name is not taken for ours.
    fileprivate var distinguishesOthers: Bool { carriesKeys || idsRise && listShowsVendor }

}

extension Plan {
    /// The keys of products whose pictures change only if it is asked for that they are replaced.
    var replacements: [String] {
        refusals.compactMap { if case .replacement(let key)? = $0.override { key } else { nil } }
    }
}

extension Listing {
    /// The same without what the market has no place for.
    fileprivate func expressed(on capabilities: MarketCapabilities) -> Listing {
        var listing = self
        for field in ProductField.allCases where !capabilities.fieldsOfCreate.contains(field) {
            listing.values[field] = nil
        }
        if !capabilities.fieldsOfCreate.contains(.images) {
            listing.pictures = []
        } else if capabilities.takesOnePicture {
            listing.pictures = Array(listing.pictures.prefix(1))
            listing.values.images = listing.pictures.map { .digest($0.digest) }
        }
        return listing
    }
}
