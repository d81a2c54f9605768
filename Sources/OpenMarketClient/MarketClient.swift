import AsyncHTTPClient
import NIOCore
package import OpenMarket
import OpenMarketDescription

/// A market as its description says that it speaks.
///
/// Reading is retried here, because it is harmless; writing never is. Comes from
/// ``withMarketClient(_:_:)``, which closes its connections.
package struct MarketClient: Market, PagedMarket {
    /// The configuration of the client.
    let configuration: ClientConfiguration
    /// The base URL without its last slash.
    let base: String
    /// How the market is spoken with.
    let wire: MarketWire
    let transport: any Transport
    /// Takes the credentials out of the market's words.
    let mask: SecretMask
    /// Where pictures may be fetched from.
    let pictureHosts: PictureHosts
    /// Who answers, for messages.
    var peer: String { configuration.hasMarket ? "the market" : "the host" }

    /// A client whose requests go over a transport.
    ///
    /// - Throws: ``MarketError`` when the URL cannot be used.
    init(_ configuration: ClientConfiguration, over transport: any Transport) throws(MarketError) {
        self.configuration = configuration
        base = try configuration.checkedBase()
        wire = MarketWire(configuration.profile, base: base)
        let isSafe = configuration.profile.isSafe(at: base, acceptsPlainHTTP: configuration.allowsInsecureHTTP)
        guard isSafe || !configuration.hasMarket else {
            throw MarketError(.refused, "the URL of \(wire.name), which a file describes, is not one of https")
        }
        mask = configuration.credentials.mask.adding(wire.derivedSecrets(configuration.credentials))
        pictureHosts = PictureHosts(
            marketURL: base,
            folders: configuration.hasMarket ? wire.pictureFolders : [],
            named: configuration.pictureHosts
        )
        if let obstacle = configuration.obstacleToWriting {
            self.transport = ReadingTransport(transport: transport, obstacle: obstacle, onReply: configuration.onReply)
        } else {
            self.transport = transport
        }
    }

    /// The thread of the connections.
    package var executor: (any TaskExecutor)? { transport.executor }

    /// What the market's description says of it.
    package var profile: MarketProfile { configuration.profile }

    // MARK: Reading

    /// Reads a product in detail; `nil` when the market does not know it.
    ///
    /// - Throws: ``MarketError``.
    package func product(_ id: MarketID) async throws -> LiveProduct? {
        try await presentDetail(id)?.row.product
    }

    /// Whether the market shows a product that counts as deleted by its description.
    ///
    /// - Throws: ``MarketError``.
    package func countsAsDeleted(_ id: MarketID) async throws -> Bool {
        try await detail(id)?.row.isAbsent ?? false
    }

    /// Reads a product in detail; `nil` also where it counts as deleted.
    ///
    /// - Throws: ``MarketError``.
    func presentDetail(_ id: MarketID) async throws -> (row: ProductReader.Row, body: ByteBuffer)? {
        guard let read = try await detail(id), !read.row.isAbsent else { return nil }
        return read
    }

    /// Reads a product in detail, with what is wrong with it, and the body that says so.
    func detail(_ id: MarketID) async throws -> (row: ProductReader.Row, body: ByteBuffer)? {
        guard let target = try wire.detailTarget(id) else {
            throw MarketError(.undescribed, "\(wire.name) describes no request for one product ('operations.detail')")
        }
        return try await read(
            target,
            for: .detail,
            limit: configuration.replyByteLimit,
            accepting: wire.missingStatuses
        ) {
            reply in
            if !(200..<300).contains(reply.status) {
                guard wire.missingStatuses.contains(reply.status), reply.form == .object || reply.form == .none else {
                    throw UnexpectedReply(message: words("the market's answer is not one of its API", reply))
                }
                return nil
            }
            if reply.body.readableBytes == 0, wire.missingStatuses.contains(reply.status) { return nil }
            guard let row = try readDetail(reply.body.readableBytesUInt8Span) else { return nil }
            guard let product = row.product else {
                throw MarketError(
                    .unreadable,
                    "the market's answer is not a product: \(row.faults.joined(separator: ", "))"
                )
            }
            guard product.id == id else {
                throw UnexpectedReply(message: "asked for product \(id), the market answers with product \(product.id)")
            }
            return (row, reply.body)
        }
    }

    /// Reads the body of a product's detail; `nil` where this market says so that there is no such product.
    func readDetail(_ bytes: Span<UInt8>) throws(JSONError) -> ProductReader.Row? { try wire.details.read(bytes) }

    /// Reads one page of the list.
    ///
    /// - Parameters:
    ///   - address: which.
    ///   - number: which it is of those that are read, from 1.
    ///   - empty: what the rows are added to.
    ///   - key: the key of ours whose products are asked for; `nil` for all.
    /// - Returns: the page, its rows, and the reply that they were read from.
    /// - Throws: ``MarketError``.
    func page<Rows: PageRows>(
        _ address: PageAddress,
        number: Int,
        collecting empty: Rows,
        ofKey key: String? = nil
    ) async throws -> (page: LivePage, rows: Rows, reply: PageReply, body: ByteBuffer) {
        let reader = PageReader(wire, page: number)
        let path = try wire.target(of: address, key: key)
        let accepted = number > 1 ? wire.pages.endStatuses : []
        let found: (LivePage, Rows, PageReply, ByteBuffer)? = try await read(
            path,
            for: key == nil ? .list : .find,
            limit: configuration.pageByteLimit,
            accepting: accepted
        ) { reply in
            let facts = wire.pageReply(reply)
            var rows = empty
            let page = try reader.read(facts, reply.body.readableBytesUInt8Span, collecting: &rows)
            if !page.isPage, !(200..<300).contains(reply.status) {
                if reply.status == 404 { return nil }
                throw MarketError(.refused, words("\(peer) refused", reply), status: reply.status)
            }
            guard page.isPage else {
                throw MarketError(.unreadable, "the market's answer is not a page of products (\(shown(path)))")
            }
            if key == nil, number == 1, wire.builtIn == nil, !wire.market.list.recognisedBy.isEmpty,
                reply.body.readableBytes > 0
            {
                guard wire.isRecognised(try JSONValue.parse(reply.bytes())) else { throw wire.unrecognised }
            }
            if key == nil, let total = page.total { configuration.onTotal?(total) }
            return (page, rows, facts, reply.body)
        }
        guard let (shown, rows, facts, body) = found else {
            if key == nil { try await requireProfile() }
            throw MarketError(
                .profile,
                "the market has no list at \(self.shown(path)), as \(wire.name) has one",
                status: 404
            )
        }
        var page = shown
        if key == nil, number == 1, facts.status == 204, body.readableBytes == 0, !page.provesItsEnd {
            page.provesItsEnd = try await provesEmptiness(at: path)
        }
        return (page, rows, facts, body)
    }

    /// A path for messages: an address that a page gave may hold a token, so its query is left out.
    private func shown(_ path: String) -> String {
        wire.pagesAreLinked ? String(path.prefix { $0 != "?" }) : path
    }

    /// How many products there are, where that is asked for apart; of another moment, it proves nothing.
    func totalAskedApart() async throws -> Int? {
        guard let target = try wire.totalTarget() else { return nil }
        return try await read(target, for: .total, limit: configuration.replyByteLimit) { reply in
            guard reply.status != 404 else { return nil }
            return try wire.total(in: JSONValue.parse(reply.bytes()))
        }
    }

    /// Whether a first page without a body means that the market has no products.
    ///
    /// v2 answers 204 past its last page, which is page 1 of an empty catalog. So does many a thing before a market that is
    /// out of order; that has no word of the API's health check, and seldom the same answer twice.
    private func provesEmptiness(at path: String) async throws -> Bool {
        guard wire.pages.answersNoContent, let health = try wire.healthTarget() else { return false }
        let isWell = try await read(health, for: .health, limit: configuration.replyByteLimit) { reply in
            let text = String(decoding: reply.bytes(upTo: 16), as: UTF8.self)
            guard wire.builtIn != nil else { return (200..<300).contains(reply.status) && reply.form != .webPage }
            return reply.status == 200 && text.lowercased().filter { $0 != "\"" && !$0.isWhitespace } == "ok"
        }
        guard isWell else { return false }
        return try await read(path, for: .list, limit: configuration.pageByteLimit) {
            $0.status == 204 && $0.body.readableBytes == 0
        }
    }

    /// Fetches a picture's original bytes and hashes them.
    ///
    /// Sends no credentials, wherever it leads.
    ///
    /// - Parameter url: `http` or `https` of a host that may be asked, or a path of the market's.
    /// - Returns: the SHA-256.
    /// - Throws: ``MarketError``, with the code `foreignHost` when the picture's host was not named.
    package func pictureDigest(at url: String) async throws -> ContentDigest {
        try await readPicture(at: url) { ContentDigest(hashing: $0) }
    }

    /// Fetches a picture's original bytes, like ``pictureDigest(at:)``.
    package func picture(at url: String) async throws -> FetchedPicture {
        try await readPicture(at: url) { FetchedPicture(bytes: Array($0), digest: ContentDigest(hashing: $0)) }
    }

    private func readPicture<Value>(
        at url: String,
        _ interpret: (Span<UInt8>) -> Value
    ) async throws -> Value {
        try await read(picture: url) { reply in
            guard reply.status != 404 else {
                throw MarketError(.refused, "there is no picture at \(url)", status: 404)
            }
            // What else answers in the market's place would pass for another picture, and have the product replaced.
            guard reply.form == .other, !reply.isPlainText else {
                throw UnexpectedReply(message: "\(peer)'s answer is not a picture")
            }
            return interpret(reply.body.readableBytesUInt8Span)
        }
    }

    /// Reports the market's page for people, as `openmarket serve` names it; an address of another origin is not believed.
    func noteShopPage(in reply: TransportReply) {
        guard let report = configuration.onShopPage, let named = reply.shopPage,
            let page = try? MarketURL(named).description, MarketURL.origin(of: page) == MarketURL.origin(of: base)
        else { return }
        // A relative address on a page under a path depends on its slash.
        report(page + (page != MarketURL.origin(of: page) && named.hasSuffix("/") ? "/" : ""))
    }
}

/// Opens the connections of a client, lends it, and closes them.
///
/// - Throws: ``MarketError`` when the URL cannot be used, and what `body` throws.
func withMarketClient<Result>(
    _ configuration: ClientConfiguration,
    _ body: (MarketClient) async throws -> Result
) async throws -> Result {
    if let transport = configuration.transport {
        return try await body(MarketClient(configuration, over: transport))
    }
    _ = try configuration.checkedBase()
    // One loop for all connections: see `LoopExecutor`.
    let loop = HTTPClient.defaultEventLoopGroup.next()
    return try await HTTPClient.withHTTPClient(
        eventLoopGroup: loop,
        configuration: HTTPTransport.connections(configuration)
    ) { http in
        let transport = HTTPTransport(
            client: http,
            requestTimeout: configuration.requestTimeout,
            userAgent: configuration.userAgent,
            loop: loop
        )
        return try await body(MarketClient(configuration, over: transport))
    }
}

extension ClientConfiguration: MarketConnection {
    package func open<Result>(_ body: (MarketClient) async throws -> Result) async throws -> Result {
        try await withMarketClient(self, body)
    }
}
