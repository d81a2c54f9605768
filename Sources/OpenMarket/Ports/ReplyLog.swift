/// Keeps the replies to one reading of the list, so that another run can resume where this one was interrupted.
///
/// The run that resumes takes in the kept replies first, in the order they came in, and asks the market from there on.
/// Nothing that proves the list to be whole depends on how much time passes between two replies: the run proves what a
/// run would have proved that only paused in between.
package protocol ReplyLog: Sendable {
    /// What an interrupted run has kept; `nil` where there is nothing to resume.
    func earlier() throws -> EarlierReading?

    /// Resumes with what is kept; ``nextPage()`` and ``product(_:)`` give it back.
    func resume()

    /// Drops what is kept, because the catalog has changed since.
    func restart()

    /// The page that came in next; `nil` once all were given back.
    func nextPage() throws -> KeptPage?

    /// What the market said of a product between the page that was given back last and the next one; `nil` where that is
    /// not kept.
    func product(_ id: ProductID) throws -> KeptProduct?

    /// Keeps a page that came in.
    func keep(page: Int, _ body: UnsafeRawBufferPointer)

    /// Keeps what the market said of a product; `nil` where it did not know it.
    func keep(product: ProductID, _ body: UnsafeRawBufferPointer?)
}

/// What an interrupted run has kept of its reading.
package struct EarlierReading: Hashable, Sendable {
    /// How many pages it read at once.
    package var parallelism: Int
    /// The first page as it came last, and of those that came after it the one furthest back in the list.
    package var marks: [KeptPage]

    package init(parallelism: Int, marks: [KeptPage]) {
        self.parallelism = parallelism
        self.marks = marks
    }
}

/// A page as it came in.
package struct KeptPage: Hashable, Sendable {
    /// Which, from 1.
    package var number: Int
    /// The body of the reply.
    package var body: [UInt8]

    package init(number: Int, body: [UInt8]) {
        self.number = number
        self.body = body
    }
}

/// What the market said of a product.
package struct KeptProduct: Hashable, Sendable {
    /// The body of the reply; `nil` where the market did not know the product.
    package var body: [UInt8]?

    package init(body: [UInt8]?) {
        self.body = body
    }
}
