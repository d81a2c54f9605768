import OpenMarket
import Synchronization

/// Where pages of a list end, so that the next page is found without counting all rows before it.
///
/// SQLite skips rows one by one; whoever reads a list of a million products page by page would make it skip billions.
/// A bookmark is good for one version of the catalog: one product more or less, and all are forgotten.
struct PageBookmarks: Sendable {
    /// The last row before a place.
    struct Bookmark: Hashable, Sendable {
        /// How many rows there are up to this one, with it.
        var offset: Int
        var day: Int
        var id: Int64
    }

    private var version: Int64 = -1
    /// By offset.
    private var bookmarks: [Bookmark] = []

    /// More than a million products have at the usual page sizes; beyond that it starts over.
    private static let capacity = 100_000

    /// The last bookmark that is not after an offset.
    func nearest(to offset: Int, version: Int64) -> Bookmark? {
        guard version == self.version else { return nil }
        let after = index(after: offset)
        return after > 0 ? bookmarks[after - 1] : nil
    }

    /// Remembers where a page ended.
    mutating func add(_ bookmark: Bookmark, version: Int64) {
        if version != self.version || bookmarks.count >= Self.capacity {
            // A reading of an older version that comes late has nothing to say.
            guard version >= self.version else { return }
            self.version = version
            bookmarks = []
        }
        let place = index(after: bookmark.offset)
        if place > 0, bookmarks[place - 1].offset == bookmark.offset { return }
        bookmarks.insert(bookmark, at: place)
    }

    /// How many bookmarks are not after an offset.
    private func index(after offset: Int) -> Int { bookmarks.partitioningIndex { $0.offset > offset } }
}

/// The bookmarks of both lists, shared by all requests.
final class Bookmarks: Sendable {
    private let lists = Mutex<[Generation: PageBookmarks]>([:])

    func nearest(_ generation: Generation, to offset: Int, version: Int64) -> PageBookmarks.Bookmark? {
        lists.withLock { $0[generation]?.nearest(to: offset, version: version) }
    }

    func add(_ generation: Generation, _ bookmark: PageBookmarks.Bookmark, version: Int64) {
        lists.withLock { $0[generation, default: PageBookmarks()].add(bookmark, version: version) }
    }
}
