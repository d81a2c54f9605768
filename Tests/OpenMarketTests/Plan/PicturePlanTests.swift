@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

struct PicturePlanTests {
    private func shop(_ profile: MarketProfile, wants: [PictureIdentity], thumbnail: PictureIdentity? = nil)
        -> PlanFixture
    {
        var shop = PlanFixture(profile)
        shop.wants("lamp") {
            $0.values.images = wants
            $0.values.thumbnail = thumbnail
            $0.ignoreChanges = [.stock]
        }
        shop.knows("lamp", 7) {
            $0.applied.images = pictures(1, 2)
            $0.applied.thumbnail = thumbnail.map { _ in .digest(digest(1)) }
        }
        shop.shows(7, pictures: 2) { $0.stock = 3 }
        return shop
    }

    /// Why a picture of the market cannot be read.
    static let unread: [MarketError] = [
        MarketError(.refused, "there is no picture", status: 404),
        MarketError(.refused, "gone", status: 410),
        MarketError(.credentials, "sign in", status: 401),
        MarketError(.credentials, "not yours", status: 403),
        MarketError(.unreachable, "the market failed", status: 500),
        MarketError(.unreachable, "no answer in time"),
        MarketError(.unreadable, "it is not a picture", status: 200),
        MarketError(.unreadable, "a reply of more than 7 bytes"),
        MarketError(.refused, "redirects are not followed", status: 302),
        MarketError(.foreignHost, "a host that is not named"),
    ]

    @Test(arguments: unread, MarketProfile.builtIns)
    func `pictures that cannot be read stay as they are, and stop nothing`(error: MarketError, profile: MarketProfile)
        throws
    {
        var shop = shop(profile, wants: pictures(3))
        shop.input.manifest.listings[0].values.price = 120
        shop.input.state.entries["lamp"]?.images = nil
        shop.input.state.entries["lamp"]?.applied.images = [.unknown("71"), .unknown("72")]
        let image = try #require(shop.input.live.products[MarketID(7)]?.images?.last)
        shop.input.unreadPictures[ExactText(image.url)] = error
        let plan = shop.plan()
        #expect(plan.isSound)
        #expect(plan.operations.map(\.action) == [.update])
        guard case .update(let update)? = plan.operations.first?.work else { return }
        #expect(update.changes.map(\.field) == [.price])
        let found = plan.diagnostics.filter { $0.code == .picturesNotCompared }
        #expect(found.map(\.message) == ["the pictures of 'lamp' (product 7) were not compared: \(error.message)"])
        // They are replaced where that is asked for.
        shop.options.replaced = KeyPatterns(["lamp"])
        #expect(shop.plan().operations.map(\.action) == [.replace])
    }

    @Test func `pictures that cannot be read do not keep the manifest's new ones from the market`() throws {
        var shop = shop(.v1b, wants: pictures(3))
        let image = try #require(shop.input.live.products[MarketID(7)]?.images?.last)
        shop.input.unreadPictures[ExactText(image.url)] = Self.unread[0]
        let entry = try #require(shop.input.state.entries["lamp"])
        for bound in [entry.images, nil] {
            shop.input.state.entries["lamp"]?.images = bound
            let plan = shop.plan()
            guard case .update(let update)? = plan.operations.first?.work else { return #expect(Bool(false)) }
            #expect(update.changedFields == [.images])
            #expect(plan.diagnostics.filter { $0.code == .picturesNotCompared }.isEmpty)
        }
    }

    /// The bytes are known to the plan alone, because the market gave them new numbers.
    @Test func `pictures that a plan fetched are as planned until the market shows others`() throws {
        var shop = shop(.v1b, wants: pictures(1, 3))
        shop.shows(7) { $0.images = [LiveProduct.Image(id: 91, url: "u/91")] }
        shop.input.pictureDigests = ["u/91": digest(1)]
        guard case .update(let update)? = shop.plan().operations.first?.work else { return #expect(Bool(false)) }
        var now = try #require(shop.input.live.products[MarketID(7)])
        let entry = shop.input.state.entries["lamp"]
        #expect(StaleCheck.differences(.update(update), entry: entry, shown: now).isEmpty)
        now.images = [LiveProduct.Image(id: 92, url: "u/92")]
        #expect(StaleCheck.differences(.update(update), entry: entry, shown: now) == ["the pictures changed"])
    }

    @Test(arguments: [MarketProfile.v1a, .v1b])
    func `v1 replaces the set in place`(profile: MarketProfile) {
        #expect(
            shop(profile, wants: pictures(1, 3)).planText == """
                update lamp #7 at shop.yaml:1:3: changed in the manifest
                    images change: [p1 p2] | [p1 p2] | [p1 p3]
                    sends p1.png p3.png
                """
        )
    }

    @Test(arguments: [MarketProfile.v2a, .v2b])
    func `v2 replaces the product, with the stock that is left`(profile: MarketProfile) {
        var shop = shop(profile, wants: pictures(2, 1))
        shop.input.manifest.listings[0].values.price = 120
        #expect(
            shop.planText == """
                replace lamp #7 at shop.yaml:1:3: pictures changed, and this market cannot change pictures in place
                    price change: 100 | 100 | 120
                    images change: [p1 p2] | [p1 p2] | [p2 p1]
                    makes name Lamp, description Warm light., price 120, currency USD, sale_price none, stock 3, images [p2 p1]
                    carries over sale_price stock
                    sends p2.png p1.png
                """
        )
    }

    @Test func `a replace carries over what is not managed and keeps drift where it is to be kept`() {
        var shop = shop(.v2b, wants: pictures(3))
        shop.options.onDrift = .keep
        shop.input.manifest.listings[0].values.description = nil
        shop.input.manifest.listings[0].values.sale = nil
        shop.input.live.products[MarketID(7)]?.description = "Written on the market."
        shop.input.live.products[MarketID(7)]?.sale = .price(60)
        shop.input.live.products[MarketID(7)]?.name = "Renamed on the market"
        #expect(
            shop.planText == """
                replace lamp #7 at shop.yaml:1:3: pictures changed, and this market cannot change pictures in place
                    images change: [p1 p2] | [p1 p2] | [p3]
                    makes name Renamed on the market, description Written on the market., price 100, currency USD, sale_price 60, stock 3, images [p3]
                    carries over name description price currency sale_price stock
                    sends p3.png
                remember lamp #7, vendor 29, name Lamp, price 100, currency USD, stock 10, images [p1 p2], [p1=71 p2=72], t/71, monday
                """
        )
    }

    /// A unit is sold before the plan, or between it and the apply.
    @Test(arguments: [(3, 3), (3, 2), (10, 9), (10, 10)] as [(Int64, Int64)])
    func `a replace carries the stock that the market has when it begins`(planned: Int64, left: Int64) throws {
        for (wanted, handling) in [(10, nil), (10, .restore), (20, nil), (20, .keep)]
            as [(Int64, PlannerOptions.DriftHandling?)]
        {
            var shop = shop(.v2b, wants: pictures(3))
            shop.options.onDrift = handling
            shop.input.manifest.listings[0].ignoreChanges = []
            shop.input.manifest.listings[0].values.stock = wanted
            shop.shows(7, pictures: 2) { $0.stock = planned }
            let operation = try #require(shop.plan().operations.first)
            guard case .replace(let replacement) = operation.work else { return #expect(Bool(false)) }
            let isKept = wanted == 10 && handling == nil
            #expect(replacement.product.values.stock == (isKept ? planned : wanted))
            var work = ExistingWork.replace(replacement)
            var now = try #require(shop.input.live.products[MarketID(7)])
            now.stock = left
            let entry = shop.input.state.entries["lamp"]
            #expect(StaleCheck.differences(work, entry: entry, shown: now).isEmpty == (isKept || planned == left))
            work.refresh(from: now)
            guard case .replace(let begun) = work else { return #expect(Bool(false)) }
            #expect(begun.product.values.stock == (isKept ? left : wanted))
        }
    }

    @Test func `a replace that would lack a field is an error`() {
        var shop = shop(.v2a, wants: pictures(3))
        shop.input.manifest.listings[0].values.description = nil
        shop.input.live.products[MarketID(7)]?.description = nil
        #expect(
            shop.plan().diagnostics.map(\.message) == ["'lamp' has to be created, but the manifest lacks: description"]
        )
        #expect(shop.plan().operations.isEmpty)
    }

    @Test(arguments: MarketProfile.builtIns)
    func `a renamed file is the same picture`(profile: MarketProfile) {
        var shop = shop(profile, wants: pictures(1, 2))
        shop.input.manifest.listings[0].pictures[0].path = "front.png"
        #expect(shop.planText == "1 unchanged")
    }

    @Test(arguments: [MarketProfile.v2a, .v2b])
    func `another thumbnail alone is an update`(profile: MarketProfile) {
        #expect(
            shop(profile, wants: pictures(1, 2), thumbnail: .digest(digest(2))).planText == """
                update lamp #7 at shop.yaml:1:3: changed in the manifest
                    thumbnail change: p1 | p1 | p2
                    thumbnail is picture 72
                """
        )
    }

    @Test func `a thumbnail that was changed is put back`() {
        var shop = shop(.v2b, wants: pictures(1, 2), thumbnail: .digest(digest(1)))
        shop.input.live.products[MarketID(7)]?.thumbnailURL = "t/72"
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed on the market since the last apply
                    thumbnail drift: p1 | p2 | p1
                    thumbnail is picture 71
                """
        )
    }

    @Test func `a thumbnail that the product does not have cannot be set`() {
        var shop = shop(.v2b, wants: pictures(1, 3), thumbnail: .digest(digest(3)))
        shop.input.manifest.listings[0].ignoreChanges = [.images, .stock]
        #expect(
            shop.planText == """
                1 unchanged
                warning at shop.yaml:1:3: the thumbnail of 'lamp' cannot be set: product 7 does not have that picture
                """
        )
    }

    @Test func `new pictures on v2 bring their thumbnail with them`() {
        #expect(
            shop(.v2b, wants: pictures(1, 3), thumbnail: .digest(digest(3))).planText == """
                replace lamp #7 at shop.yaml:1:3: pictures changed, and this market cannot change pictures in place
                    images change: [p1 p2] | [p1 p2] | [p1 p3]
                    thumbnail change: p1 | p1 | p3
                    makes name Lamp, description Warm light., price 100, currency USD, sale_price none, stock 3, images [p1 p3], thumbnail p3
                    carries over sale_price stock
                    sends p1.png p3.png
                """
        )
    }

    @Test func `v1 has no thumbnail to choose, so none is compared`() throws {
        var shop = shop(.v1b, wants: pictures(1, 2), thumbnail: .digest(digest(1)))
        shop.input.live.products[MarketID(7)]?.thumbnailURL = "elsewhere"
        shop.input.state.entries["lamp"]?.applied.thumbnail = .digest(digest(9))
        let entry = try #require(shop.input.state.entries["lamp"]).with {
            $0.applied.thumbnail = .digest(digest(1))
            $0.thumbnailURL = "elsewhere"
        }
        #expect(shop.plan() == Plan(unchanged: 1, stateUpdates: [.put(entry)]))
    }

    @Test func `details without small pictures say nothing of the thumbnail`() {
        var shop = shop(.v2b, wants: pictures(1, 2), thumbnail: .digest(digest(1)))
        shop.input.live.products[MarketID(7)]?.images = [.init(id: 71, url: "u/71"), .init(id: 72, url: "u/72")]
        #expect(shop.planText == "1 unchanged")
    }

    // MARK: - Pictures of unknown bytes

    @Test func `v1 compares the pictures of an adopted product by their number`() {
        var shop = PlanFixture(.v1b)
        shop.options.adopts = true
        shop.wants("lamp") { $0.values.images = pictures(1, 2) }
        shop.shows(7, pictures: 2)
        #expect(shop.plan().operations.map(\.action) == [.adopt])
        shop.shows(7, pictures: 1)
        #expect(
            shop.planText == """
                adopt lamp #7 at shop.yaml:1:3: the market has a product of this name that you confirmed
                    remember lamp #7, name Lamp, description Warm light., price 100, currency USD, stock 10, t/71
                update lamp #7 at shop.yaml:1:3: changed in the manifest
                    images change: – | [?u/71] | [p1 p2]
                    sends p1.png p2.png
                """
        )
    }

    @Test func `a product that is taken over by its id without its pictures needs none of them`() {
        var shop = PlanFixture(.v2b)
        shop.wants("lamp") {
            $0.pinnedID = MarketID(7)
            $0.values.images = nil
        }
        shop.shows(7, pictures: 2)
        #expect(shop.input.picturesNeeded(capabilities: shop.profile.capabilities, filter: KeyFilter()) == [])
        #expect(shop.plan().operations.map(\.action) == [.adopt])
    }

    @Test func `v2 compares the pictures of an adopted product by their bytes`() {
        var shop = PlanFixture(.v2b)
        shop.wants("lamp") { $0.values.images = pictures(1, 2) }
        shop.shows(7, pictures: 2)
        #expect(
            shop.input.picturesNeeded(capabilities: shop.profile.capabilities, filter: KeyFilter()) == ["u/71", "u/72"]
        )
        shop.input.pictureDigests = ["u/71": digest(1), "u/72": digest(2)]
        #expect(shop.plan().operations.map(\.action) == [.adopt])
        shop.input.pictureDigests["u/72"] = digest(3)
        #expect(shop.plan().operations.map(\.action) == [.adopt, .replace])
        #expect(shop.plan().operations.last?.changes.map(\.live) == [.images(pictures(1, 3))])
    }

    @Test func `v1 binds pictures whose reply was lost by their number`() throws {
        var shop = PlanFixture(.v1b)
        shop.has("lamp", 7)
        shop.input.state.entries["lamp"]?.images = nil
        let entry = try #require(shop.input.state.entries["lamp"]).with {
            $0.images = [.init(digest: digest(1), reference: "u/71")]
        }
        #expect(shop.plan() == Plan(unchanged: 1, stateUpdates: [.put(entry)]))
        shop.shows(7, pictures: 2)
        #expect(shop.plan().operations.first?.changes.map(\.kind) == [.drift])
    }

    @Test func `pictures that were put in the place of ours are never taken for ours`() {
        var shop = PlanFixture(.v1b)
        shop.options.onDrift = .keep
        shop.has("lamp", 7)
        shop.input.live.products[MarketID(7)]?.images = [.init(url: "u/new", thumbnailURL: "t/new")]
        // Nothing is written, and nothing is remembered either: the drift stays visible.
        #expect(shop.plan() == Plan(unchanged: 1))
        shop.options.onDrift = .restore
        #expect(shop.plan().operations.first?.changes.map(\.live) == [.images([.unknown("u/new")])])
        shop.input.manifest.listings[0].ignoreChanges = [.images]
        #expect(shop.plan() == Plan(unchanged: 1))
    }

    /// The same pictures, as the market shows them now.
    private func reordered(_ profile: MarketProfile, wants: [PictureIdentity]) -> PlanFixture {
        var shop = shop(profile, wants: wants)
        shop.input.live.products[MarketID(7)]?.images?.reverse()
        return shop
    }

    @Test(arguments: [MarketProfile.v2a, .v2b])
    func `the same pictures shown in another order make no replace`(profile: MarketProfile) {
        var shop = reordered(profile, wants: pictures(1, 2))
        #expect(shop.plan().operations == [])
        // They stay bound to what they are.
        for update in shop.plan().stateUpdates {
            guard case .put(let entry) = update else { continue }
            shop.input.state.entries[entry.key] = entry
        }
        #expect(shop.input.state.entries["lamp"]?.images?.first { $0.reference == "71" }?.digest == digest(1))
        #expect(shop.plan().operations == [])
    }

    @Test func `another order in the manifest is a replace, also where the market shows a third one`() {
        #expect(reordered(.v2b, wants: pictures(2, 1)).plan().operations == [])
        var shop = shop(.v2b, wants: pictures(2, 3, 1))
        shop.input.state.entries["lamp"]?.applied.images = pictures(1, 2, 3)
        shop.input.state.entries["lamp"]?.images = [(1, "71"), (2, "72"), (3, "73")].map {
            StateEntry.BoundImage(digest: digest($0.0), reference: $0.1)
        }
        let shown = shop.images(of: 7, count: 3)
        shop.input.live.products[MarketID(7)]?.images = shown.reversed()
        #expect(shop.plan().operations.map(\.action) == [.replace])
    }

    @Test func `v1 puts another order back in place`() {
        #expect(reordered(.v1b, wants: pictures(1, 2)).plan().operations.map(\.action) == [.update])
    }
}
