public import OpenMarket

/// Keeps the replies to one reading of the list, so that another run can go on where this one was interrupted.
///
/// The run that goes on takes in the kept replies first, in the order they came in, and asks the market from there on.
/// Nothing that proves the list to be whole depends on how much time passes between two replies (see ``CatalogWalk``): the
/// run proves what a run would have proved that only stood still in between.
public protocol ReplyLog: Sendable {
    /// What an interrupted run has kept; `nil` where there is nothing to go on with.
    func earlier() throws -> EarlierReading?

    /// Goes on with what is kept; ``nextPage()`` and ``product(_:)`` give it back.
    func goOn()

    /// Drops what is kept, for the catalog is another one since.
    func startAgain()

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
public struct EarlierReading: Sendable {
    /// How many pages it read at once.
    public var parallelism: Int
    /// The first page as it came last, and of those that came after it the one furthest back in the list.
    public var marks: [KeptPage]

    /// An interrupted reading.
    public init(parallelism: Int, marks: [KeptPage]) {
        self.parallelism = parallelism
        self.marks = marks
    }
}

/// A page as it came in.
public struct KeptPage: Hashable, Sendable {
    /// Which, from 1.
    public var number: Int
    /// The body of the reply.
    public var body: [UInt8]

    /// A page.
    public init(number: Int, body: [UInt8]) {
        self.number = number
        self.body = body
    }
}

/// What the market said of a product.
public struct KeptProduct: Hashable, Sendable {
    /// The body of the reply; `nil` where the market did not know the product.
    public var body: [UInt8]?

    /// A reply.
    public init(body: [UInt8]?) {
        self.body = body
    }
}
