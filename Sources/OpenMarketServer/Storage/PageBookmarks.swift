import OpenMarket
import Synchronization

/// Caches the ends of a list's pages, so that the next page is found without counting all earlier rows.
///
/// SQLite skips rows one by one; reading a list of a million products page by page would skip billions. A bookmark is
/// valid for one version of the catalog: any added or deleted product invalidates all of them.
struct PageBookmarks: Sendable {
    struct Bookmark: Hashable, Sendable {
        /// The number of rows up to and including this one.
        var offset: Int
        var day: Int
        var id: Int64
    }

    private var version: Int64 = -1
    private var bookmarks: [Bookmark] = []

    /// Enough for a million products at usual page sizes; beyond that all are dropped.
    private static let capacity = 100_000

    /// The last bookmark at or before an offset.
    func nearest(to offset: Int, version: Int64) -> Bookmark? {
        guard version == self.version else { return nil }
        let after = index(after: offset)
        return after > 0 ? bookmarks[after - 1] : nil
    }

    mutating func add(_ bookmark: Bookmark, version: Int64) {
        if version != self.version || bookmarks.count >= Self.capacity {
            // A late read of an older version is discarded.
            guard version >= self.version else { return }
            self.version = version
            bookmarks = []
        }
        let index = index(after: bookmark.offset)
        if index > 0, bookmarks[index - 1].offset == bookmark.offset { return }
        bookmarks.insert(bookmark, at: index)
    }

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
