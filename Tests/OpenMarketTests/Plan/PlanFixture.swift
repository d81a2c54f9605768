@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport

/// The input of a plan, put together product by product.
///
/// Product 7 has the pictures 71, 72 … at the market; picture `1` has a digest of ones. Everything that a test does
/// not speak of is the same everywhere.
struct PlanFixture {
    var profile: MarketProfile
    /// What the market can do, where that is not what its profile says.
    var capabilities: MarketCapabilities?
    var options = PlannerOptions()
    var input: Planner.Input

    init(_ profile: MarketProfile = .v2b, vendor: Int64? = 29) {
        self.profile = profile
        input = Planner.Input(
            manifest: Manifest(
                market: MarketSettings(profile: profile, limits: profile.limits),
                policies: Policies(),
                listings: [],
                files: ["shop.yaml"],
                digest: digest(0)
            ),
            state: StateSnapshot(vendorID: profile.capabilities.listShowsVendor ? vendor : nil),
            live: LiveCatalog()
        )
    }

    static let values = ProductValues(
        name: "Lamp",
        description: "Warm light.",
        price: 100,
        currency: .usd,
        stock: 10,
        images: [.digest(digest(1))]
    )

    /// A listing; each is on a line of its own, in the order of the calls.
    mutating func wants(_ key: String, _ change: (inout Listing) -> Void = { _ in }) {
        var listing = Listing(
            key: key,
            file: "shop.yaml",
            position: SourcePosition(line: UInt32(input.manifest.listings.count + 1), column: 3),
            values: Self.values
        )
        change(&listing)
        listing.pictures = (listing.values.images?.digests ?? []).map(pictureFile)
        input.manifest.listings.append(listing)
    }

    /// An entry of the state.
    mutating func knows(_ key: String, _ id: Int64, _ change: (inout StateEntry) -> Void = { _ in }) {
        var entry = StateEntry(
            key: key,
            id: MarketID(id),
            vendorID: input.state.vendorID,
            applied: Self.values,
            thumbnailURL: "t/\(id)1",
            issuedAt: profile.capabilities.listShowsVendor ? "monday" : nil
        )
        change(&entry)
        if entry.images == nil, let digests = entry.applied.images?.digests {
            entry.images = zip(digests, images(of: id, count: digests.count)).map {
                .init(digest: $0, reference: $1.reference)
            }
        }
        input.state.entries[key] = entry
    }

    /// A product of the market in detail; a row if the change takes its pictures and description away.
    mutating func shows(_ id: Int64, pictures: Int = 1, _ change: (inout LiveProduct) -> Void = { _ in }) {
        var product = LiveProduct(
            id: MarketID(id),
            vendorID: input.state.vendorID,
            name: Self.values.name,
            description: Self.values.description,
            price: Self.values.price,
            currency: Self.values.currency,
            sale: Sale.fullPrice,
            stock: Self.values.stock,
            thumbnailURL: "t/\(id)1",
            images: images(of: id, count: pictures),
            issuedAt: profile.capabilities.listShowsVendor ? "monday" : nil
        )
        change(&product)
        input.live.products[product.id] = product
    }

    /// A product that the state knows and the market shows, both with these values.
    mutating func manages(_ key: String, _ id: Int64, _ change: (inout ProductValues) -> Void = { _ in }) {
        knows(key, id) { change(&$0.applied) }
        shows(id) { change(&$0.values) }
    }

    /// A product on which all three sides agree, but for what the manifest wants otherwise.
    mutating func has(_ key: String, _ id: Int64, _ change: (inout Listing) -> Void = { _ in }) {
        wants(key, change)
        manages(key, id)
    }

    /// The products whose details a plan asks for after it has read the list.
    var detailsNeeded: [MarketID] {
        input.detailsNeeded(mode: .changed, capabilities: profile.capabilities, filter: KeyFilter())
    }

    func plan() -> Plan {
        Planner.plan(input, capabilities: capabilities ?? profile.capabilities, options: options)
    }

    /// The plan in words.
    var planText: String { PlanDescription(plan()).text }

    func images(of id: Int64, count: Int) -> [LiveProduct.Image] {
        (0..<Int64(count)).map { index in
            let number = id * 10 + index + 1
            return LiveProduct.Image(
                id: profile.capabilities.thumbnailIsChosen ? MarketID(number) : nil,
                url: "u/\(number)",
                thumbnailURL: "t/\(number)"
            )
        }
    }
}

/// The digest of the test picture of that number.
func digest(_ number: UInt8) -> ContentDigest { .picture(number) }

/// The test pictures of those numbers.
func pictures(_ numbers: UInt8...) -> [PictureIdentity] {
    numbers.map { .digest(digest($0)) }
}

/// The file of a test picture.
func pictureFile(_ digest: ContentDigest) -> Picture {
    let name = "p\(UInt8(digest.hexadecimal.prefix(2), radix: 16) ?? 0).png"
    return Picture(
        path: name,
        file: "/shop/" + name,
        digest: digest,
        byteCount: 100,
        format: .png,
        width: 1,
        height: 1
    )
}

/// A plan in words: everything that is in it, so that a test compares the whole plan at once.
struct PlanDescription {
    private(set) var text = ""

    init(_ plan: Plan) {
        for operation in plan.operations { report(operation) }
        if plan.unchanged > 0 { line("\(plan.unchanged) unchanged") }
        for update in plan.stateUpdates {
            switch update {
            case .put(let entry): line("remember \(spell(entry))")
            case .remove(let key): line("forget \(key)")
            case .release(let key, let id): line("release \(key) #\(id)")
            case .rename(let from, let to): line("rename \(from) to \(to)")
            case .vendor(let id): line("vendor \(id)")
            case .origin(let file, let keys): line("\(keys.joined(separator: " ")) from \(file)")
            }
        }
        for refusal in plan.refusals {
            line("refused\(place(refusal.source)): \(refusal.message) [\(refusal.override?.description ?? "final")]")
        }
        for diagnostic in plan.diagnostics {
            line("\(diagnostic.severity)\(place(diagnostic.location)): \(diagnostic.message)")
            if let help = diagnostic.help { line("    \(help)") }
        }
    }

    private mutating func line(_ text: String) {
        self.text += (self.text.isEmpty ? "" : "\n") + text
    }

    private mutating func report(_ operation: PlannedOperation) {
        let id = operation.id.map { " #\($0)" } ?? ""
        line("\(operation.action) \(operation.key)\(id)\(place(operation.source)): \(operation.reason)")
        if operation.action != .create {
            for change in operation.changes {
                let values = [change.base, change.live, change.manifest].map { $0?.words ?? "–" }
                line("    \(change.field.rawValue) \(change.kind): \(values.joined(separator: " | "))")
            }
        }
        if let product = operation.newProduct { line("    makes \(spell(product.values))") }
        if let carriedOver = operation.replacement?.carriedOver, !carriedOver.isEmpty {
            line("    carries over \(carriedOver.map(\.rawValue).joined(separator: " "))")
        }
        if !operation.pictures.isEmpty { line("    sends \(operation.pictures.map(\.path).joined(separator: " "))") }
        var isProtected = operation.newProduct?.isProtected ?? false
        switch operation.work {
        case .update(let update):
            if let id = update.thumbnailImageID { line("    thumbnail is picture \(id)") }
            isProtected = update.isProtected
        case .adopt(let entry, _):
            line("    remember \(spell(entry))")
            isProtected = entry.isProtected
        case .create, .replace, .delete, .forget, .rename: break
        }
        if let secret = operation.secret { line("    password from \(secret)") }
        if isProtected { line("    protected") }
    }

    private func place(_ location: SourceLocation?) -> String {
        location.map { " at \($0)" } ?? ""
    }

    private func spell(_ entry: StateEntry) -> String {
        let images = entry.images.map {
            $0.map { "\(PictureIdentity.digest($0.digest).words)=\($0.reference)" }.joined(separator: " ")
        }
        return [
            "\(entry.key) #\(entry.id)", entry.vendorID.map { "vendor \($0)" }, spell(entry.applied),
            images.map { "[\($0)]" }, entry.thumbnailURL, entry.issuedAt, entry.secret.map { "password from \($0)" },
            entry.isProtected ? "protected" : nil,
        ].compactMap { $0 }.joined(separator: ", ")
    }

    private func spell(_ values: ProductValues) -> String {
        let fields = ProductField.allCases.compactMap { field in
            values[field].map { "\(field.rawValue) \($0.words)" }
        }
        return fields.isEmpty ? "nothing" : fields.joined(separator: ", ")
    }
}

extension FieldValue {
    /// As plans in words have it.
    var words: String {
        switch self {
        case .text(let text): text
        case .number(let number): "\(number)"
        case .integer(let number): "\(number)"
        case .sale(.fullPrice): "none"
        case .sale(.price(let price)): "\(price)"
        case .images(let images): "[\(images.map(\.words).joined(separator: " "))]"
        case .image(let image): image.words
        }
    }
}

extension PictureIdentity {
    fileprivate var words: String {
        switch self {
        case .digest(let digest): "p\(UInt8(digest.hexadecimal.prefix(2), radix: 16) ?? 0)"
        case .unknown(let reference): "?\(reference)"
        }
    }
}
