@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketServer

struct PageBookmarksTests {
    private func bookmark(_ offset: Int) -> PageBookmarks.Bookmark {
        PageBookmarks.Bookmark(offset: offset, day: 0, id: Int64(offset))
    }

    @Test func `the last bookmark that is not after the offset is found`() {
        var bookmarks = PageBookmarks()
        for offset in [20, 5, 10, 10] { bookmarks.add(bookmark(offset), version: 3) }
        #expect(
            (0...21).map { bookmarks.nearest(to: $0, version: 3)?.offset ?? 0 }
                == [0, 0, 0, 0, 0, 5, 5, 5, 5, 5, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 20, 20]
        )
    }

    @Test func `another version of the catalog forgets them`() {
        var bookmarks = PageBookmarks()
        bookmarks.add(bookmark(10), version: 3)
        #expect(bookmarks.nearest(to: 10, version: 4) == nil)
        bookmarks.add(bookmark(5), version: 2)
        #expect(bookmarks.nearest(to: 10, version: 3) == bookmark(10))
        bookmarks.add(bookmark(20), version: 4)
        #expect(bookmarks.nearest(to: 19, version: 4) == nil)
    }

    @Test(arguments: [ServedProfile.v1b, .v2a, .v2b])
    func `pages read in any order, between writes, are what they were without bookmarks`(profile: ServedProfile)
        async throws
    {
        let fixture = try Fixture()
        let shop = try Shop(configuration: fixture.configuration(profile), clock: { fixture.clock.now })
        let order: Shop.Order = profile == .v1b ? .oldestFirst : profile == .v2a ? .newestFirst : .newestDayFirst
        var generator = SeededGenerator(seed: 11)
        var rows: [(day: Int, id: Int64)] = []
        for _ in 0..<60 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0 where !rows.isEmpty:
                let gone = rows.remove(at: Int.random(in: 0..<rows.count, using: &generator))
                _ = try await shop.delete(gone.id, profile.generation)
            case 1, 2:
                // Days go back, too: clocks do.
                fixture.clock.advance(86_400 * Double.random(in: -2...2, using: &generator))
                let fields = ProductFields(name: "Lamp", description: "")
                let product = try await shop.create(profile.generation, fields: fields, pictures: [])
                rows.append((CalendarDay.number(product.createdAt), product.id))
            default: break
            }
            switch order {
            case .oldestFirst: rows.sort { $0.id < $1.id }
            case .newestFirst: rows.sort { $0.id > $1.id }
            case .newestDayFirst: rows.sort { ($0.day, $0.id) > ($1.day, $1.id) }
            }
            for _ in 0..<4 {
                let offset = Int.random(in: 0...rows.count, using: &generator)
                let page = try await shop.page(of: profile.generation, order: order, offset: offset, limit: 3)
                #expect(page.products.map(\.id) == rows.dropFirst(offset).prefix(3).map(\.id))
                #expect(page.total == rows.count)
            }
        }
    }
}
