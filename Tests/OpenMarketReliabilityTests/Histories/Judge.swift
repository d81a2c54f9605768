@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow

/// Knows what the database has and what people wanted, and says what a command did wrong.
///
/// It sees what no client can: which create made which product, and every change, whatever became of its reply.
struct Judge {
    /// What a command was to bring about, and what came of it.
    struct Case {
        enum Kind { case plan, apply, export }

        var kind: Kind
        var items: [ShopItem]
        var before: StateFolder
        var outcome: CommandOutcome
        var readsDetails: Bool
        /// Whether what others changed is left as they changed it.
        var keepsDrift = false
        /// Whether the process was killed on the way.
        var isKilled: Bool
        /// What the command was about; `nil` for all of the manifest and the state.
        var keys: Set<String>?
        /// What was typed by a slip; `nil` where there was none.
        var slip: Typed?

        func isAbout(_ key: String) -> Bool { keys?.contains(key) ?? true }
    }

    let profile: MarketProfile
    let texts: ModelHabits.TextStorage
    let names: ModelHabits.NameStorage?
    /// The products as they were after the last effect seen.
    private var products: [Int: ModelProduct] = [:]
    /// Which listing a product of ours is.
    private var serials: [Int: Int] = [:]
    /// Products that another seller changed since a command last read all of them.
    private var meddled: Set<Int> = []
    /// Products that a colleague renamed, and whose listings are still known by their state.
    var renamed: Set<Int> = []
    /// Products that a plan was to replace.
    private var replaced: Set<Int> = []
    /// Every version of every listing that was ever to be.
    private var versions: [Int: [ShopItem]] = [:]
    private var lastItems: [ShopItem] = []
    /// The request by which the market shows whether a product is ours.
    private static let question = "POST for a delete key"
    /// Products that a command made and deleted again after a slip.
    private var takenBack: Set<Int> = []
    /// Of every key that ever was.
    private var serialOfKey: [String: Int] = [:]

    init(profile: MarketProfile, texts: ModelHabits.TextStorage, names: ModelHabits.NameStorage?) {
        self.profile = profile
        self.texts = texts
        self.names = names
    }

    private var folds: Bool { texts == .composed || texts == .decomposed }

    /// A name as the market keeps it.
    private func stored(_ name: String) -> String { names?.of(name) ?? name }

    // MARK: - What others do

    /// Takes over what other hands did to the market.
    mutating func look(at market: ModelMarket, meddled ids: Set<Int> = []) {
        products = market.products
        meddled.formUnion(ids)
        serials = serials.filter { products[$0.key]?.isOurs == true }
        for product in products.values where serials[product.id] == nil { note(product) }
    }

    /// The database was put back: ids may mean other products than before.
    mutating func restart(with market: ModelMarket) {
        serials = [:]
        look(at: market, meddled: Set(market.products.keys))
    }

    private mutating func note(_ product: ModelProduct) {
        if case .us(let fileName) = product.maker { serials[product.id] = ShopItem.serial(fileName: fileName) }
    }

    // MARK: - Judging

    /// What is wrong with what a command did; `nil` when nothing is.
    mutating func verdict(
        on trial: Case,
        effects: [ModelMarket.Effect],
        writes: Int,
        market: ModelMarket
    ) -> String? {
        for item in trial.items {
            serialOfKey[item.key] = item.serial
            for old in item.previously { serialOfKey[old] = item.serial }
            versions[item.serial, default: []].append(item)
        }
        if trial.kind != .apply, !trial.isKilled, writes > 0 { return "\(trial.kind) sent \(writes) writing requests" }
        for operation in trial.outcome.operations.values where operation.action == .replace && trial.kind == .apply {
            if let id = operation.id { replaced.insert(Int(id.whole)) }
        }
        var made: [Int] = []
        takenBack = []
        // What shows by its reply whose it is may be made, and taken back at once.
        if trial.slip != nil {
            let made = effects.compactMap { if case .created(let product) = $0 { product.id } else { nil } }
            let gone = effects.compactMap { if case .deleted(let product) = $0 { product.id } else { nil } }
            takenBack = Set(made).intersection(gone)
        }
        for effect in effects {
            if let fault = fault(of: effect, trial, &made) { return fault }
        }
        products = market.products
        adoptBindings(trial.outcome.folder, trial.items)
        lastItems = trial.slip == nil ? trial.items : lastItems
        for key in trial.slip?.newKeys ?? [] where serialOfKey[key] == nil {
            // What a slip made is known by its number alone.
            serialOfKey[key] = trial.outcome.folder.snapshot.entries[key].flatMap { serials[Int($0.id.whole)] }
        }
        let ends = [
            // What is made while a command writes nothing is an earlier one's that took effect late.
            forgotten(trial, writes > 0 ? made : []), twice(trial.outcome.folder),
            trial.kind == .export ? exportFault(trial) : nil,
            trial.kind == .apply && trial.outcome.end.isSuccess && trial.slip == nil ? untruth(trial) : nil,
        ]
        if trial.kind == .apply, trial.outcome.end.isSuccess, trial.readsDetails, !trial.keepsDrift {
            meddled = []
        }
        return ends.lazy.compactMap(\.self).first
    }

    private mutating func fault(of effect: ModelMarket.Effect, _ trial: Case, _ made: inout [Int]) -> String? {
        switch effect {
        case .created(let product):
            note(product)
            defer {
                products[product.id] = product
                made.append(product.id)
            }
            guard let serial = serials[product.id], !takenBack.contains(product.id) else { return nil }
            let twin = products.values.first { other in
                other.isOurs && serials[other.id] == serial
                    && (other.name == product.name || renamed.contains(other.id)) && !replaced.contains(other.id)
            }
            return twin.flatMap { twin in
                if let slip = trial.slip, said(slip.newKeys, trial) { return nil }
                return "listing \(serial) ('\(product.name)') is there twice: \(twin.id), now \(product.id) too"
            }
        case .changed(let before, let after):
            products[after.id] = after
            return nonsense(before, after, trial)
        case .deleted(let product):
            products[product.id] = nil
            return loss(of: product, trial)
        case .trespassed(let id, let method):
            // Whose a product is shows in v2's list, and nowhere on v1.
            guard profile == .v2a || profile == .v2b, trial.before.snapshot.vendorID != nil else { return nil }
            // Whether a typed number is ours is found out by asking; that changes nothing.
            if method == Self.question, trial.slip != nil { return nil }
            return "\(method) was sent for product \(id), which is another vendor's"
        }
    }

    /// Whether a command said something about one of these keys.
    private func said(_ keys: [String], _ trial: Case) -> Bool {
        (trial.outcome.words + (trial.slip?.words ?? [])).contains { word in keys.contains { word.contains("'\($0)'") }
        }
    }

    /// A delete that takes a listing from the shop which should be there.
    private func loss(of product: ModelProduct, _ trial: Case) -> String? {
        guard product.isOurs else { return "product \(product.id) of another vendor was deleted" }
        guard let serial = serials[product.id], !takenBack.contains(product.id) else { return nil }
        func wants(_ items: [ShopItem]) -> Bool { items.contains { $0.serial == serial && !$0.isAbsent } }
        if trial.slip != nil, wants(trial.items),
            let delete = trial.outcome.operations.values.first(where: {
                $0.action == .delete && $0.id.map { Int($0.whole) } == product.id
            }), !said([delete.key], trial)
        {
            return "product \(product.id) of '\(delete.key)' was deleted by a slip, and nothing was said"
        }
        // A delete may be an earlier command's that took effect late.
        guard wants(trial.items), wants(lastItems) || lastItems.isEmpty else { return nil }
        let heirs = products.values.filter { $0.isOurs && serials[$0.id] == serial }
        guard !heirs.isEmpty else { return "listing \(serial) ('\(product.name)', product \(product.id)) was deleted" }
        // The new product of a replace that was not as it was sent: the old one stays, whatever was done to it.
        let bound = Set(trial.before.snapshot.entries.values.map { Int($0.id.whole) })
        if heirs.contains(where: { bound.contains($0.id) && $0.id < product.id }), !bound.contains(product.id) {
            return nil
        }
        let faults = heirs.map { heir in strangeness(of: heir, serial, after: product) }
        guard !faults.contains(where: \.isEmpty) else { return nil }
        return "product \(product.id) of listing \(serial) was deleted although its successor is not right: \(faults)"
    }

    /// In what a product is neither as any manifest wanted it nor as its predecessor was.
    private func strangeness(of heir: ModelProduct, _ serial: Int, after old: ModelProduct) -> [String] {
        let versions = versions[serial] ?? []
        func same(_ left: String?, _ right: String?) -> Bool {
            folds ? left == right : (left ?? "").utf8.elementsEqual((right ?? "").utf8)
        }
        var found: [String] = []
        if !same(heir.name, old.name), !versions.contains(where: { same(stored($0.name), heir.name) }) {
            found.append("name")
        }
        if !same(heir.description, old.description),
            !versions.contains(where: { same($0.description, heir.description) }),
            // As a market leaves it that cuts texts.
            !versions.contains(where: { $0.description.hasPrefix(heir.description ?? "") })
        {
            found.append("description '\(heir.description ?? "")'")
        }
        if heir.price != old.price, !versions.contains(where: { $0.price.double == heir.price }) {
            found.append("price")
        }
        if heir.stock != old.stock, !versions.contains(where: { $0.stock == heir.stock.map(Int64.init) }) {
            found.append("stock")
        }
        return found
    }

    /// A change that spoils fields which it should leave alone.
    private func nonsense(_ before: ModelProduct, _ after: ModelProduct, _ trial: Case) -> String? {
        guard after.isOurs else { return "product \(after.id) of another vendor was changed" }
        func paid(_ product: ModelProduct) -> Double? {
            guard profile == .v2a || profile == .v2b else { return product.discounted }
            return product.price.map { $0 - (product.discounted ?? 0) }
        }
        if let pays = paid(after), let price = after.price, pays < 0 || pays > price,
            (paid(before) ?? 0) >= 0, (paid(before) ?? 0) <= before.price ?? .infinity
        {
            return "product \(after.id) costs \(price), and buyers pay \(pays)"
        }
        return nil
    }

    /// Takes over what the state binds, where the product has the name: of twins, either may be whose.
    private mutating func adoptBindings(_ folder: StateFolder, _ items: [ShopItem]) {
        for entry in folder.snapshot.entries.values {
            let id = Int(entry.id.whole)
            guard let product = products[id], product.isOurs, let serial = serialOfKey[entry.key],
                (versions[serial] ?? []).contains(where: { stored($0.name) == product.name })
            else { continue }
            serials[id] = serial
        }
    }

    /// A living product that the state or the journal knew, or that was made just now, and which neither knows.
    private func forgotten(_ trial: Case, _ made: [Int]) -> String? {
        let after = trial.outcome.folder
        let known = Set(after.snapshot.entries.values.map { Int($0.id.whole) })
        var kept: Set<Int> = []
        var openSerials: Set<Int> = []
        for open in after.unresolved {
            if let id = open.operation.id { kept.insert(Int(id.whole)) }
            if let id = open.created { kept.insert(Int(id.whole)) }
            if let serial = serialOfKey[open.operation.key] { openSerials.insert(serial) }
        }
        let ours = trial.before.snapshot.vendorID.map { Int($0) }
        let had = trial.before.snapshot.entries.values.filter { serials[Int($0.id.whole)] == serialOfKey[$0.key] }
        for id in had.map({ Int($0.id.whole) }) + made {
            guard let product = products[id], product.isOurs, !known.contains(id), !kept.contains(id) else { continue }
            if let serial = serials[id], openSerials.contains(serial) { continue }
            // Under another number than ours it is another vendor's, as far as can be known.
            if let ours, product.vendor != 0, product.vendor != ours { continue }
            return "product \(id) ('\(product.name)', listing \(serials[id] ?? -1)) lives, and no record knows of it"
        }
        return nil
    }

    /// A listing that has two products, none of which is known to have to go.
    private func twice(_ folder: StateFolder) -> String? {
        let ids = folder.snapshot.entries.values.map { Int($0.id.whole) }
        if Set(ids).count < ids.count { return "the state has one product for two keys: \(ids.sorted())" }
        return nil
    }

    /// What an export with exit 0 or 10 has too much or too little.
    private func exportFault(_ trial: Case) -> String? {
        switch trial.outcome.end {
        case .refused, .failed: return nil
        case .success, .moved: break
        }
        let rows = trial.outcome.exported
        guard Set(rows).count == rows.count else { return "an export has a product twice: \(rows.sorted())" }
        let missing = Set(products.keys).subtracting(rows).sorted()
        // A row that was reported as unreadable is accounted for.
        guard missing.count > trial.outcome.problems else { return nil }
        return "an export ended with \(trial.outcome.end) and lacks \(missing) of \(products.keys.sorted())"
    }

    /// What is not as the manifest says although the command ended with exit 0.
    func untruth(_ trial: Case) -> String? {
        let entries = trial.outcome.folder.snapshot.entries
        for item in trial.items where !item.isAbsent && trial.isAbout(item.key) {
            guard let entry = entries[item.key] else { return "exit 0, and the state lacks '\(item.key)'" }
            let id = Int(entry.id.whole)
            guard let product = products[id] else {
                // It is left alone while a row that cannot be read may be its own.
                if said([item.key], trial) { continue }
                return "exit 0, and product \(id) of '\(item.key)' does not exist"
            }
            guard product.isOurs else { return "exit 0, and product \(id) of '\(item.key)' is another vendor's" }
            guard !trial.keepsDrift || !meddled.contains(id) else { continue }
            let isRow = !trial.readsDetails && meddled.contains(id)
            let differences = item.differences(from: product, profile: profile, folds: folds, isRow: isRow)
            guard differences.isEmpty else {
                return
                    "exit 0, and '\(item.key)' (product \(id)) is not as wanted: \(differences.joined(separator: ", "))"
            }
        }
        let wanted = Set(trial.items.filter { !$0.isAbsent }.map(\.key))
        for entry in trial.before.snapshot.entries.values where trial.isAbout(entry.key) {
            let id = Int(entry.id.whole)
            guard let serial = serialOfKey[entry.key], serials[id] == serial, products[id]?.isOurs == true else {
                continue
            }
            guard !trial.items.contains(where: { $0.serial == serial && !$0.isAbsent }), !wanted.contains(entry.key)
            else {
                continue
            }
            return "exit 0, and product \(id) of '\(entry.key)', which is no longer wanted, still exists"
        }
        return nil
    }

    /// What is wrong with a shop when all is over and the last command ended with exit 0.
    ///
    /// With `allowsOrphans` products may be left that no record could still know of.
    func leftOver(_ items: [ShopItem], allowsOrphans: Bool) -> String? {
        // Where a state was lost, a product can be left that no longer looks like its listing; a second one that does was
        // noticed when it was made.
        guard !allowsOrphans else { return nil }
        let wanted = items.filter { !$0.isAbsent }
        let ours = products.values.filter(\.isOurs)
        guard ours.count == wanted.count else {
            return "\(ours.count) products instead of \(wanted.count): \(ours.map { "\($0.id) \($0.name)" }.sorted())"
        }
        return nil
    }
}
