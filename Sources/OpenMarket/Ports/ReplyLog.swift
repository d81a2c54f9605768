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
    func product(_ id: MarketID) throws -> KeptProduct?

    /// Keeps a page that came in.
    func keep(page: KeptReply, _ body: Span<UInt8>)

    /// Keeps what the market said of a product; `nil` where it did not know it.
    func keep(product: MarketID, _ body: Span<UInt8>?)
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
    /// What it answered, and how.
    package var reply: KeptReply
    /// The body of the reply.
    package var body: [UInt8]

    package init(_ reply: KeptReply, body: [UInt8]) {
        self.reply = reply
        self.body = body
    }
}

/// What belongs to a page beside its body, so that it says later what it said when it came.
package struct KeptReply: Hashable, Sendable {
    /// A header that pages are read with.
    package struct Header: Hashable, Sendable {
        /// Its name.
        package var name: String
        /// Its value.
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Which page of its reading it was, from 1.
    package var number: Int
    /// What it was asked for by, as whoever asked wrote it.
    ///
    /// It may hold a token of the market's.
    package var request: String
    /// The HTTP status.
    package var status: Int
    /// The headers that say what the body does not: a total, the next page.
    package var headers: [Header]
    /// Whether it is not a page: the market did not give it by what it was asked for.
    package var isRefusal: Bool

    package init(number: Int, request: String, status: Int, headers: [Header] = [], isRefusal: Bool = false) {
        self.number = number
        self.request = request
        self.status = status
        self.headers = headers
        self.isRefusal = isRefusal
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
