/// A live market: what planning reads and applying writes.
///
/// Implemented by the client for every profile.
package protocol Market: Sendable {
    /// What the market's description says of it.
    var profile: MarketProfile { get }

    /// Makes sure that the market is of the profile that was set, as far as its list shows.
    ///
    /// - Throws: ``MarketError``, `profile` when it is another one.
    func requireProfile() async throws

    /// Reads the whole list and hands its rows on in the market's order, each product once.
    ///
    /// - Parameters:
    ///   - details: whether each product's detail is read too, because of what the list does not show.
    ///   - row: takes a product.
    ///   - problem: takes what is wrong with a row.
    /// - Returns: how it went.
    /// - Throws: ``MarketError``, and what `row` and `problem` throw.
    func walk(
        details: Bool,
        row: (LiveProduct) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary

    /// Reads a product in detail; `nil` when the market does not know it.
    ///
    /// - Throws: ``MarketError``.
    func product(_ id: MarketID) async throws -> LiveProduct?

    /// Whether the market shows a product in detail that counts as deleted by its description.
    ///
    /// - Throws: ``MarketError``.
    func countsAsDeleted(_ id: MarketID) async throws -> Bool

    /// Fetches a picture's original bytes.
    ///
    /// - Throws: ``MarketError``.
    func picture(at url: String) async throws -> FetchedPicture

    /// Fetches a picture's original bytes and hashes them.
    ///
    /// - Throws: ``MarketError``.
    func pictureDigest(at url: String) async throws -> ContentDigest

    /// Reads the products, in detail, that carry a key of ours.
    ///
    /// Markets ignore filters that they do not know, so only those are given that show exactly this key.
    ///
    /// - Throws: ``MarketError``, `refused` where the market cannot be asked for a key.
    func products(withKey key: String) async throws -> [LiveProduct]

    /// The SHA-256 of the body that a request would have; `nil` where it has none or cannot be encoded.
    ///
    /// Says whether a create that is repeated later, perhaps by another version, is still the same one.
    func bodyDigest(of request: WriteRequest) -> ContentDigest?

    /// Sends one writing request, once. Never retries: whether that is safe is for the executor to say.
    func perform(_ request: WriteRequest) async -> WriteOutcome

    /// Where tasks best run that send many writing requests, each with little work between two of them; `nil` where that
    /// makes no difference.
    var executor: (any TaskExecutor)? { get }
}

extension Market {
    /// Nowhere in particular.
    package var executor: (any TaskExecutor)? { nil }

    /// A market that shows what it has.
    package func countsAsDeleted(_ id: MarketID) async throws -> Bool { false }

    /// A market that carries no keys.
    package func products(withKey key: String) async throws -> [LiveProduct] {
        throw MarketError(.refused, "\(profile) has no request that finds the products of a key")
    }

    /// A market that does not carry out repeated creates once.
    package func bodyDigest(of request: WriteRequest) -> ContentDigest? { nil }

    /// Reads the whole list into memory.
    ///
    /// - Parameters:
    ///   - entries: what a state knows; products that are as it knows them take up no memory beside it.
    ///   - progress: called with how many products were read, a page at a time.
    /// - Returns: the catalog.
    /// - Throws: ``MarketError``, `unreadable` when the catalog would not hold still long enough, or nothing proves that the
    ///   list is whole.
    package func catalog(
        comparedWith entries: StateEntries = StateEntries(),
        progress: (Int) -> Void
    ) async throws -> LiveCatalog {
        var catalog = LiveCatalog(products: LiveProducts(comparedWith: entries))
        let summary = try await walk(collecting: catalog.products.emptyPage) { page in
            catalog.products.append(page)
            progress(page.count)
        } problem: { problem in
            catalog.problems.append(problem)
        }
        switch summary.completeness {
        case .proved: return catalog
        case .unprovable:
            throw MarketError(
                .unreadable,
                "nothing proves that this market's list is whole, and a product that it leaves out would pass for deleted"
            )
        case .unsettled:
            throw MarketError(.unreadable, CatalogSummary.unsettledWords(passes: summary.passes))
        }
    }

    /// Reads the whole list into memory.
    ///
    /// - Throws: ``MarketError``.
    package func catalog() async throws -> LiveCatalog {
        try await catalog { _ in }
    }
}

/// A market whose list is read by pages, whose rows are looked at in the bytes of the reply.
package protocol PagedMarket: Market {
    /// Reads the whole list like ``Market/walk(details:row:problem:)``, page by page.
    ///
    /// - Parameters:
    ///   - empty: what the rows of each page are added to.
    ///   - rows: takes the rows of a page that no page before had.
    ///   - problem: takes what is wrong with a row.
    /// - Returns: how it went.
    /// - Throws: ``MarketError``, and what `rows` and `problem` throw.
    func walkPages<Rows: PageRows>(
        collecting empty: Rows,
        rows: (inout Rows) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary
}

extension Market {
    /// Reads the whole list page by page; see ``PagedMarket``.
    ///
    /// Where a market has no pages, each product is one.
    package func walk<Rows: PageRows>(
        collecting empty: Rows,
        rows: (inout Rows) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        if let market = self as? any PagedMarket {
            return try await market.walkPages(collecting: empty, rows: rows, problem: problem)
        }
        return try await walk(details: false) { product in
            var page = empty
            page.append(product)
            try await rows(&page)
        } problem: { fault in
            try await problem(fault)
        }
    }
}

/// Why the market could not be read, or would not take anything.
package struct MarketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds that need different handling.
    ///
    /// Later versions may add categories.
    package enum Code: String, Hashable, Sendable {
        /// No connection, no name, no answer in time, or 5xx on every attempt.
        case unreachable
        /// The credentials were rejected.
        case credentials
        /// A reply that is not the API's: HTML, too large, too deep, pages without end.
        case unreadable
        /// The market has another profile than the one that is set.
        case profile
        /// A definite no of another kind.
        case refused
        /// The market's description has no request for what was asked for, so nothing was sent.
        case undescribed
        /// A picture is on a host that was not named, and was not asked for.
        case foreignHost
        /// A picture or secret file that could be read before no longer can.
        case input
    }

    /// The error category.
    package var code: Code
    /// One sentence for people, without secrets; control characters are the caller's to escape.
    package var message: String
    /// The HTTP status, where there was one.
    package var status: Int?

    /// An error.
    package init(_ code: Code, _ message: String, status: Int? = nil) {
        self.code = code
        self.message = message
        self.status = status
    }

    /// The message.
    package var description: String { message }
}
