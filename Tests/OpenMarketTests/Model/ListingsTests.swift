@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// The compact collection beside an array of the same listings.
struct ListingsTests {
    private static let texts = [
        "", "a", "desk-lamp", "한지등", "\u{1112}\u{1161}\u{11AB}지등", "e\u{301}te\u{301}", "été", "🦊 fox\nsecond line",
        String(repeating: "warm light, ", count: 60),
    ]

    private static func decimal(_ random: inout SeededGenerator) -> ExactDecimal? {
        ExactDecimal(
            significand: Int64.random(in: -2_000_000...2_000_000, using: &random),
            scale: Int.random(in: 0...18, using: &random)
        )
    }

    private static func picture(_ random: inout SeededGenerator) -> Picture {
        let number = UInt8.random(in: 0...3, using: &random)
        return Picture(
            path: "p\(number).png",
            file: "/shop/p\(number).png",
            digest: digest(number),
            byteCount: Int(number),
            format: .png,
            width: 1,
            height: 2
        )
    }

    private static func listing(_ random: inout SeededGenerator) -> Listing {
        var listing = Listing(
            key: texts.randomElement(using: &random) ?? "",
            file: "m\(Int.random(in: 0...6, using: &random)).yaml",
            position: SourcePosition(
                line: UInt32.random(in: 1...100_000, using: &random),
                column: UInt32.random(in: 1...70_000, using: &random)
            )
        )
        listing.values.name = maybe(&random) { texts.randomElement(using: &$0) }
        listing.values.description = maybe(&random) { texts.randomElement(using: &$0) }
        listing.values.price = maybe(&random, decimal)
        listing.values.currency = maybe(&random) {
            [Currency.krw, .usd, Currency(rawValue: "EUR")].randomElement(using: &$0)
        }
        listing.values.sale = maybe(&random) { Bool.random(using: &$0) ? .fullPrice : decimal(&$0).map(Sale.price) }
        listing.values.stock = maybe(&random) { Int64.random(in: .min ... .max, using: &$0) }
        let pictures = maybe(&random) { random in
            (0..<Int.random(in: 0...3, using: &random)).map { _ in picture(&random) }
        }
        listing.pictures = pictures ?? []
        listing.values.images = maybe(&random) { random in
            pictures?.map { Bool.random(using: &random) ? .digest($0.digest) : .unknown($0.path) }
        }
        listing.values.thumbnail = maybe(&random) { random in
            listing.values.images?.randomElement(using: &random) ?? .unknown("elsewhere")
        }
        listing.ignoreChanges = Set(ProductField.allCases.filter { _ in Bool.random(using: &random) })
        listing.isAbsent = Bool.random(using: &random)
        listing.isProtected = Bool.random(using: &random)
        listing.pinnedID = maybe(&random) { MarketID(Int64.random(in: 0...9, using: &$0)) }
        listing.previously = maybe(&random) { _ in ["old", "older"] } ?? []
        listing.secret = maybe(&random) { _ in ResolvedSecret(reference: .environment("S"), value: Secret("s")) }
        for field in ProductField.allCases where Bool.random(using: &random) {
            // Near, far below, and above as behind an alias.
            let lines: [UInt32] = [listing.position.line + 1, listing.position.line + 80_000, 1]
            let line = lines.randomElement(using: &random) ?? 1
            listing.fieldPositions[field] = SourcePosition(
                line: line,
                column: UInt32.random(in: 1...70_000, using: &random)
            )
        }
        return listing
    }

    @Test(arguments: 0..<40)
    func `creates of listings are the operations that say the same in full`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let listings = (0..<60).map { number in
            var listing = Self.listing(&random)
            listing.key += "-\(number)"
            listing.pinnedID = nil
            if !listing.pictures.isEmpty, listing.values.images == nil {
                listing.values.images = listing.pictures.map { .digest($0.digest) }
            }
            // Three of four can be made.
            guard Int.random(in: 0..<4, using: &random) > 0 else { return listing }
            listing.values.name = listing.values.name ?? "Lamp"
            listing.values.description = listing.values.description ?? "Warm light."
            listing.values.price = listing.values.price ?? 100
            listing.values.currency = listing.values.currency ?? .krw
            listing.values.stock = listing.values.stock ?? 1
            listing.values.images = listing.values.images ?? []
            return listing
        }
        var shop = PlanFixture(.v2b)
        shop.input.manifest.listings = Listings(listings)
        let capabilities = shop.profile.capabilities
        let plan = Planner.plan(shop.input, capabilities: capabilities, options: PlannerOptions())
        let expected = listings.filter { listing in
            !listing.isAbsent && capabilities.fieldsRequiredToCreate.allSatisfy { listing.values[$0] != nil }
        }.map { listing in
            var values = listing.values
            values.sale = values.sale?.normalized(price: values.price)
            return PlannedOperation(
                key: listing.key,
                reason: "new in the manifest",
                source: listing.location(),
                secret: listing.secret?.reference,
                work: .create(
                    NewProduct(values: values, pictures: listing.pictures, isProtected: listing.isProtected)
                )
            )
        }
        #expect(plan.operations == expected)
        #expect(plan.operations.map(\.hashValue) == expected.map(\.hashValue))
        for (operation, full) in zip(plan.operations, expected) {
            #expect(operation.assembled == full)
            #expect(operation.key.isExactly(full.key) && operation.name.isExactly(full.name))
            #expect(operation.action == .create && operation.id == nil && operation.replacement == nil)
            #expect(operation.reason == full.reason && operation.source == full.source)
            #expect(operation.secret == full.secret && operation.work == full.work)
            #expect(operation.newProduct == full.newProduct && operation.changes == full.changes)
            #expect(operation.pictures == full.pictures && operation.makesProduct)
            var (changed, changedFull) = (operation, full)
            changed.secret = .environment("OTHER")
            #expect(changed != operation)
            changedFull.secret = .environment("OTHER")
            #expect(changed == changedFull)
        }
    }

    @Test(arguments: 0..<40)
    func `it holds what an array holds`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var array: [Listing] = []
        var listings = Listings()
        for _ in 0..<60 {
            let new = Self.listing(&random)
            let place = Int.random(in: 0...array.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where place < array.count:
                array[place] = new
                listings[place] = new
            case 1 where place < array.count:
                array[place].values.price = new.values.price
                listings[place].values.price = new.values.price
            case 2 where place < array.count:
                array.remove(at: place)
                listings.remove(at: place)
            case 3:
                array.insert(contentsOf: [new, new], at: place)
                listings.insert(contentsOf: [new, new], at: place)
            default:
                array.append(new)
                listings.append(new)
            }
        }
        #expect(Array(listings) == array)
        #expect(listings == Listings(array))
        #expect(zip(listings, array).allSatisfy { $0.key.isExactly($1.key) && $0.secret == $1.secret })
        for (index, listing) in array.enumerated() {
            #expect(listings.key(at: index).isExactly(listing.key))
            #expect(listings.name(at: index).isExactly(listing.values.name))
            #expect(listings.withName(at: index) { $0.text } == listing.values.name)
            #expect(
                listings.withDescription(at: index) { $0.text }
                    == listing.values.description
            )
            #expect(listings.price(at: index) == listing.values.price)
            #expect(listings.sale(at: index) == listing.values.sale)
            #expect(listings.currency(at: index) == listing.values.currency)
            #expect(listings.stock(at: index) == listing.values.stock)
            #expect(listings.pinnedID(at: index) == listing.pinnedID)
            #expect(listings.isAbsent(at: index) == listing.isAbsent)
            #expect(listings.isProtected(at: index) == listing.isProtected)
            #expect(listings.ignored(at: index) == ProductFieldSet(listing.ignoreChanges))
            #expect(listings.previously(at: index) == listing.previously)
            #expect(listings.secret(at: index) == listing.secret)
            #expect(listings.images(at: index) == listing.values.images)
            #expect(listings.position(at: index) == listing.position)
            for field in ProductField.allCases {
                #expect(listings.fieldPosition(at: index, of: field) == listing.fieldPositions[field])
                #expect(listings.location(at: index, of: field) == listing.location(of: field))
            }
        }
        #expect(Set(listings.pictures(ofTombstones: true).joined()) == Set(array.flatMap(\.pictures)))
        #expect(
            Set(listings.pictures(ofTombstones: false).joined())
                == Set(array.filter { !$0.isAbsent }.flatMap(\.pictures))
        )
        listings.removeAll(at: { array[$0].isAbsent })
        array.removeAll(where: \.isAbsent)
        #expect(Array(listings) == array)
    }

    @Test(arguments: 0..<40)
    func `what is said late of a product is as if it had been said at once`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var array = (0..<20).map { _ in Self.listing(&random) }
        var listings = Listings(array)
        for index in array.indices {
            let currency = [Currency.krw, .usd, Currency(rawValue: "EUR")].randomElement(using: &random) ?? .krw
            array[index].values.currency = currency
            listings.setCurrency(currency, at: index)
            array[index].values.stock = Int64(index)
            listings.setStock(Int64(index), at: index)
            array[index].ignoreChanges.formUnion([.stock, .name])
            listings.ignore([.stock, .name], at: index)
            array[index].isProtected = true
            listings.protect(at: index)
            array[index].values.thumbnail = nil
            listings[index].values.thumbnail = nil
            let pictures = (0...Int.random(in: 0...3, using: &random)).map { _ in Self.picture(&random) }
            let thumbnail = maybe(&random) { pictures.indices.randomElement(using: &$0) }
            array[index].pictures = pictures
            array[index].values.images = pictures.map { .digest($0.digest) }
            array[index].values.thumbnail = thumbnail.map { .digest(pictures[$0].digest) }
            listings.setPictures(listings.addPictures(pictures), thumbnail: thumbnail, at: index)
        }
        #expect(Array(listings) == array)
    }

    @Test(arguments: [0, 253, 254, 255, 256, 299])
    func `any picture can be the thumbnail`(place: Int) {
        var listings = Listings()
        var listing = Listing.with(key: "lamp", name: "Lamp", price: 1, pictures: [])
        listings.append(listing)
        let pictures = (0..<300).map { index in
            var picture = Picture.numbered(UInt8(index % 256))
            picture.digest = ContentDigest(
                bytes: [UInt8(index / 256), UInt8(index % 256)] + Array(repeating: 0, count: 30)
            )
            return picture
        }
        listings.setPictures(listings.addPictures(pictures), thumbnail: place, at: 0)
        listing.pictures = pictures
        listing.values.images = pictures.map { .digest($0.digest) }
        listing.values.thumbnail = .digest(pictures[place].digest)
        #expect(Array(listings) == [listing])
    }

    @Test func `a look at the bytes never takes a text for composed that is not`() {
        func check(_ text: String) -> Bool {
            let isComposed = text.utf8.elementsEqual(text.composed.utf8)
            return (!text.isKnownComposed || isComposed) && text.composedHash == text.composed.composedHash
        }
        // Every character, alone and behind some that others may join.
        for value in UInt32(1)...0x2FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(Character(scalar))
            let isFine = check(text) && check("a" + text) && check("\u{AC00}" + text) && check("\u{4E00}" + text)
            if !isFine { Issue.record("U+\(String(value, radix: 16))") }
        }
        #expect("한지등 “celadon” – 靑磁".isKnownComposed)
        #expect("한지등".composedHash == "\u{1112}\u{1161}\u{11AB}지등".composedHash)
    }
}

func maybe<Value>(_ random: inout SeededGenerator, _ value: (inout SeededGenerator) -> Value?) -> Value? {
    Bool.random(using: &random) ? value(&random) : nil
}
