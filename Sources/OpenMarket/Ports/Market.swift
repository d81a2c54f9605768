/// A live market, which planning reads and apply writes.
///
/// The client implements it for every profile.
package protocol Market: Sendable {
    var profile: MarketProfile { get }

    /// Throws ``MarketError/Code/profile`` if the market's list contradicts the configured profile.
    func requireProfile() async throws

    /// Reads the whole list and passes its rows on in the market's order, each product once.
    ///
    /// If `details` is set, each product's details are read too, for values that the list lacks. `problem` receives
    /// unreadable rows. It throws ``MarketError``, and rethrows errors of `row` and `problem`.
    func walk(
        details: Bool,
        row: (LiveProduct) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary

    /// Reads a product in detail; `nil` if the market does not have it.
    func product(_ id: MarketID) async throws -> LiveProduct?

    /// Whether the market shows details of a product that counts as deleted according to the market's description.
    func countsAsDeleted(_ id: MarketID) async throws -> Bool

    func picture(at url: String) async throws -> FetchedPicture

    func pictureDigest(at url: String) async throws -> ContentDigest

    /// Reads the details of the products with this key; throws ``MarketError/Code/refused`` if the market lacks such a
    /// request.
    ///
    /// Markets ignore filters that they do not support, so only products that show exactly this key are returned.
    func products(withKey key: String) async throws -> [LiveProduct]

    /// The SHA-256 of the body that a request would have; `nil` if it is without a body or cannot be encoded.
    ///
    /// It shows whether a create that is repeated later, perhaps by another version, is still the same one.
    func bodyDigest(of request: WriteRequest) -> ContentDigest?

    /// Sends one writing request without retries: the executor decides whether a retry is safe.
    func perform(_ request: WriteRequest) async -> WriteOutcome

    /// The preferred executor for tasks that send many writing requests with little work in between; `nil` for none.
    var executor: (any TaskExecutor)? { get }
}

extension Market {
    package var executor: (any TaskExecutor)? { nil }

    /// The default, for a market that shows only existing products.
    package func countsAsDeleted(_ id: MarketID) async throws -> Bool { false }

    /// The default, for a market that does not support keys.
    package func products(withKey key: String) async throws -> [LiveProduct] {
        throw MarketError(.refused, "\(profile) lacks a request for the products of a key")
    }

    /// The default, for a market that does not deduplicate repeated creates.
    package func bodyDigest(of request: WriteRequest) -> ContentDigest? { nil }

    /// Reads the whole list into memory.
    ///
    /// Products equal to their entries in `entries` are not stored a second time. `progress` is called with the number
    /// of products read, a page at a time. It throws ``MarketError/Code/unreadable`` if the catalog changes too often,
    /// or the list is not provably complete.
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
        catalog.isFromCache = summary.isFromCache
        switch summary.completeness {
        case .proved: return catalog
        case .unprovable:
            throw MarketError(
                .unreadable,
                "this market's list is not provably complete, and a product that it leaves out would pass for deleted"
            )
        case .unsettled:
            throw MarketError(.unreadable, CatalogSummary.unsettledWords(passes: summary.passes))
        }
    }

    package func catalog() async throws -> LiveCatalog {
        try await catalog { _ in }
    }
}

/// A market whose list is read by pages, with rows parsed from the bytes of the reply.
package protocol PagedMarket: Market {
    /// Reads the whole list like ``Market/walk(details:row:problem:)``, page by page.
    ///
    /// The rows of each page are added to a copy of `empty`. `rows` receives those of a page that no earlier page had,
    /// and `problem` receives unreadable rows. It throws ``MarketError``, and rethrows errors of `rows` and `problem`.
    func walkPages<Rows: PageRows>(
        collecting empty: Rows,
        rows: (inout Rows) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary
}

extension Market {
    /// Reads the whole list page by page; see ``PagedMarket``.
    ///
    /// If a market is without pages, each product counts as one.
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

/// Why the market could not be read, or refused a request.
package struct MarketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The categories that need different handling; later versions may add more.
    package enum Code: String, Hashable, Sendable {
        /// No connection, no IP address for the host name, no reply in time, or 5xx on every attempt.
        case unreachable
        case credentials
        /// A reply that is not the API's: HTML, too large, too deep, endless pages.
        case unreadable
        case profile
        /// A definite refusal of another kind.
        case refused
        /// The market's description lacks such a request, so no request was sent.
        case undescribed
        /// A picture is on a host that the user did not allow, and was not requested.
        case foreignHost
        /// A picture or secret file that could be read before no longer can.
        case input
    }

    package var code: Code
    /// One sentence for people, without secrets; the caller escapes control characters.
    package var message: String
    /// The HTTP status, if there was one.
    package var status: Int?

    package init(_ code: Code, _ message: String, status: Int? = nil) {
        self.code = code
        self.message = message.masked
        self.status = status
    }

    package var description: String { message }
}
