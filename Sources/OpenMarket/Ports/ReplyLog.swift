/// Keeps the replies of one read of the list, so that another run can resume an interrupted one.
///
/// The resuming run first processes the kept replies, in the order of arrival, and continues with requests from there.
/// No proof of completeness depends on the time between two replies, so the run proves as much as an uninterrupted one.
package protocol ReplyLog: Sendable {
    /// The replies of an interrupted run; `nil` without one to resume.
    func earlier() throws -> EarlierReading?

    /// Resumes with the kept replies, which ``nextPage()`` and ``product(_:)`` return.
    func resume()

    /// Drops the kept replies, because the catalog has changed since.
    func restart()

    /// The next kept page; `nil` after the last one.
    func nextPage() throws -> KeptPage?

    /// The market's reply for a product between the last page returned and the next one; `nil` if none is kept.
    func product(_ id: MarketID) throws -> KeptProduct?

    func keep(page: KeptReply, _ body: Span<UInt8>)

    /// Keeps the market's reply for a product; a `nil` body if the market did not have it.
    func keep(product: MarketID, _ body: Span<UInt8>?)
}

/// The kept part of an interrupted run's read.
package struct EarlierReading: Hashable, Sendable {
    /// The number of pages that it read concurrently.
    package var parallelism: Int
    /// The latest form of the first page, and the page furthest back in the list that came after it.
    package var marks: [KeptPage]

    package init(parallelism: Int, marks: [KeptPage]) {
        self.parallelism = parallelism
        self.marks = marks
    }
}

/// A page as it was received.
package struct KeptPage: Hashable, Sendable {
    package var reply: KeptReply
    package var body: [UInt8]

    package init(_ reply: KeptReply, body: [UInt8]) {
        self.reply = reply
        self.body = body
    }
}

/// A page's data besides its body, so that it can be interpreted later as on arrival.
package struct KeptReply: Hashable, Sendable {
    package struct Header: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The number of the page within its read, from 1.
    package var number: Int
    /// The request for the page, in a format of the code that sent it; it may contain a token of the market.
    package var request: String
    package var status: Int
    /// The headers with data that the body lacks: a total, the next page.
    package var headers: [Header]
    /// Whether the market refused the request, so this is not a page.
    package var isRefusal: Bool

    package init(number: Int, request: String, status: Int, headers: [Header] = [], isRefusal: Bool = false) {
        self.number = number
        self.request = request
        self.status = status
        self.headers = headers
        self.isRefusal = isRefusal
    }
}

/// The market's reply for a product.
package struct KeptProduct: Hashable, Sendable {
    /// The body of the reply; `nil` if the market did not have the product.
    package var body: [UInt8]?

    package init(body: [UInt8]?) {
        self.body = body
    }
}
