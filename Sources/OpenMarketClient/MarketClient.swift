import AsyncHTTPClient
import NIOCore
package import OpenMarket
import OpenMarketDescription

/// A client for a market that follows its description.
///
/// Reads are retried here because they are harmless; writes never are. ``withMarketClient(_:_:)`` creates the client
/// and closes its connections.
package struct MarketClient: Market, PagedMarket {
    let configuration: ClientConfiguration
    /// The base URL without its trailing slash.
    let base: String
    let wire: MarketWire
    let transport: any Transport
    /// Removes every secret from the market's messages, because a market may quote its request.
    let mask: SecretMask
    let pictureHosts: PictureHosts
    var peer: String { configuration.hasMarket ? "the market" : "the host" }

    /// A client that sends its requests over a transport.
    ///
    /// Throws ``MarketError`` if the URL cannot be used.
    init(_ configuration: ClientConfiguration, over transport: any Transport) throws(MarketError) {
        self.configuration = configuration
        base = try configuration.checkedBase()
        let secrets = configuration.credentials.all
        wire = MarketWire(configuration.profile, base: base, hiding: SecretMask(secrets))
        let isSafe = configuration.profile.isSafe(at: base, acceptsPlainHTTP: configuration.allowsInsecureHTTP)
        guard isSafe || !configuration.hasMarket else {
            throw MarketError(.refused, "the URL of \(wire.name), which a file describes, is not one of https")
        }
        mask = SecretMask(secrets, from: 3).adding(wire.derivedSecrets(configuration.credentials))
        pictureHosts = PictureHosts(
            marketURL: base,
            folders: configuration.hasMarket ? configuration.profile.pictureFolders : [],
            named: configuration.pictureHosts
        )
        if let obstacle = configuration.obstacleToWriting {
            self.transport = ReadingTransport(transport: transport, obstacle: obstacle, onReply: configuration.onReply)
        } else {
            self.transport = transport
        }
    }

    package var executor: (any TaskExecutor)? { transport.executor }

    package var profile: MarketProfile { configuration.profile }

    // MARK: Reading

    /// Reads a product in detail; `nil` if it is missing.
    ///
    /// Throws ``MarketError``.
    package func product(_ id: MarketID) async throws -> LiveProduct? {
        guard let (row, body) = try await presentDetail(id), var product = row.product else { return nil }
        product.members = wire.unnamedMembers(of: wire.market.operations.detail?.product ?? .whole, in: body)
        return product
    }

    /// Whether the market shows a product that counts as deleted according to its description.
    ///
    /// Throws ``MarketError``.
    package func countsAsDeleted(_ id: MarketID) async throws -> Bool {
        try await detail(id)?.row.isAbsent ?? false
    }

    /// Reads a product in detail; `nil` also if it counts as deleted.
    ///
    /// Throws ``MarketError``.
    func presentDetail(_ id: MarketID) async throws -> (row: ProductReader.Row, body: ByteBuffer)? {
        guard let read = try await detail(id), !read.row.isAbsent else { return nil }
        return read
    }

    /// Reads a product in detail, with its faults and the body of the reply.
    func detail(_ id: MarketID) async throws -> (row: ProductReader.Row, body: ByteBuffer)? {
        guard wire.endpoint(.detail) != nil else {
            throw MarketError(.undescribed, "\(wire.name) describes no request for one product ('operations.detail')")
        }
        return try await read(
            wire.detailTarget(id),
            for: .detail,
            limit: configuration.replyByteLimit,
            accepting: wire.missingStatuses
        ) {
            reply in
            let isMissing = reply.meansGone || wire.missingStatuses.contains(reply.status)
            if !(200..<300).contains(reply.status) {
                guard isMissing, reply.form == .object || reply.form == .none else { throw UnexpectedReply.foreign }
                return try absent(reply)
            }
            if reply.body.readableBytes == 0, isMissing { return try absent(reply) }
            guard let row = try readDetail(reply.body.readableBytesUInt8Span) else { return try absent(reply) }
            guard let product = row.product else {
                let faults = row.faults.joined(separator: ", ")
                throw UnexpectedReply(message: "the market's answer is not a product: \(faults)")
            }
            guard product.id == id else {
                throw UnexpectedReply(message: "asked for product \(id), the market answers with product \(product.id)")
            }
            return (row, reply.body)
        }
    }

    /// Returns `nil` for a value that the market states it lacks; a cached reply proves no absence.
    private func absent<Value>(_ reply: TransportReply) throws(UnexpectedReply) -> Value? {
        guard !reply.isFromCache else { throw UnexpectedReply(message: "a cached answer proves no absence") }
        return nil
    }

    /// Reads the body of a product's detail; `nil` if it is the market's reply for a missing product.
    func readDetail(_ bytes: Span<UInt8>) throws(JSONError) -> ProductReader.Row? { try wire.details.read(bytes) }

    /// Reads one page of the list, with its rows and the reply that contained them.
    ///
    /// `number` counts the pages in reading order, from 1. `key` is the vendor key of the wanted products; `nil` means
    /// all. Throws ``MarketError``.
    func page<Rows: PageRows>(
        _ address: PageAddress,
        number: Int,
        collecting empty: Rows,
        ofKey key: String? = nil
    ) async throws -> (page: LivePage, rows: Rows, reply: KeptReply, body: ByteBuffer) {
        let reader = PageReader(wire, page: number)
        let path = try wire.target(of: address, key: key)
        let accepted = number > 1 ? wire.pages.endStatuses : []
        let interpret: (TransportReply) throws -> (LivePage, Rows, KeptReply, ByteBuffer)? = { reply in
            // A cached reply cannot prove anything about a key.
            if key != nil, reply.isFromCache { throw UnexpectedReply(message: "a cached answer is no proof") }
            let facts = wire.pageReply(reply, number: number, at: address)
            var rows = empty
            var page = try reader.read(facts, reply.body.readableBytesUInt8Span, collecting: &rows)
            page.isFromCache = reply.isFromCache
            if !page.isPage, !(200..<300).contains(reply.status) {
                guard reply.status == 404 ? reply.isOwnNotFound : !reply.isWebPage else {
                    throw UnexpectedReply.foreign
                }
                if reply.status == 404 { return nil }
                throw MarketError(.refused, words("\(peer) refused", reply), status: reply.status)
            }
            guard page.isPage, reply.body.readableBytes > 0 || reply.status != 200 else {
                throw UnexpectedReply(message: "the market's answer is not a page of products")
            }
            if key == nil, number == 1, guessedProfiles.isEmpty, !wire.market.list.recognisedBy.isEmpty,
                reply.body.readableBytes > 0
            {
                guard wire.isRecognised(try JSONValue.parse(reply.bytes())) else { throw wire.unrecognised }
            }
            if key == nil, let total = page.total { configuration.onTotal?(total) }
            return (page, rows, facts, reply.body)
        }
        let found: (LivePage, Rows, KeptReply, ByteBuffer)?
        do {
            found = try await read(
                path,
                for: key == nil ? .list : .find,
                limit: configuration.pageByteLimit,
                accepting: accepted,
                interpret
            )
        } catch let error as MarketError where error.code == .unreadable && error.status == 404 && key == nil {
            // Some servers answer an unknown path with a web page: the list of another profile may be there.
            try await requireProfile()
            throw error
        }
        guard let (shown, rows, facts, body) = found else {
            if key == nil { try await requireProfile() }
            throw MarketError(
                .profile,
                "the market lacks a list at \(self.shown(path)), unlike \(wire.name)",
                status: 404
            )
        }
        var page = shown
        if key == nil, number == 1, facts.status == 204, body.readableBytes == 0, !page.provesItsEnd {
            page.provesItsEnd = try await provesEmptiness(at: path)
        }
        return (page, rows, facts, body)
    }

    /// A path for messages, without its query, because an address from a page may contain a token.
    private func shown(_ path: String) -> String {
        wire.pagesAreLinked ? String(path.prefix { $0 != "?" }) : path
    }

    /// The number of products from a separate request; it belongs to another moment, and is not a proof.
    func totalAskedApart() async throws -> Int? {
        guard wire.endpoint(.total) != nil else { return nil }
        return try await read(wire.target(.total), for: .total, limit: configuration.replyByteLimit) { reply in
            guard reply.status != 404 else { return nil }
            return try wire.total(in: JSONValue.parse(reply.bytes()))
        }
    }

    /// Whether a first page without a body means that the market is empty.
    ///
    /// v2 answers 204 past its last page, which is page 1 of an empty catalog. Many servers in front of a failed market
    /// do the same. Such servers lack the API's health check, and seldom give the same answer twice.
    private func provesEmptiness(at path: String) async throws -> Bool {
        guard wire.pages.answersNoContent, wire.endpoint(.health) != nil else { return false }
        let isWell = try await read(wire.target(.health), for: .health, limit: configuration.replyByteLimit) { reply in
            // A description does not state the answer of a healthy market.
            guard !guessedProfiles.isEmpty else { return (200..<300).contains(reply.status) && reply.form != .webPage }
            let text = String(decoding: reply.bytes(upTo: 16), as: UTF8.self)
            return reply.status == 200 && text.lowercased().filter { $0 != "\"" && !$0.isWhitespace } == "ok"
        }
        guard isWell else { return false }
        return try await read(path, for: .list, limit: configuration.pageByteLimit) {
            $0.status == 204 && $0.body.readableBytes == 0
        }
    }

    /// Fetches a picture's original bytes and hashes them.
    ///
    /// `url` is an allowed `http` or `https` URL, or a path of the market's host. Sends no credentials to any host.
    ///
    /// Throws ``MarketError``, with the code `foreignHost` if the picture's host is not allowed.
    package func pictureDigest(at url: String) async throws -> ContentDigest {
        try await readPicture(at: url) { ContentDigest(hashing: $0) }
    }

    package func picture(at url: String) async throws -> FetchedPicture {
        try await readPicture(at: url) { FetchedPicture(bytes: Array($0), digest: ContentDigest(hashing: $0)) }
    }

    private func readPicture<Value>(
        at url: String,
        _ interpret: (Span<UInt8>) -> Value
    ) async throws -> Value {
        try await read(picture: url) { reply in
            guard reply.status != 404 else {
                throw MarketError(.refused, "the picture \(url) does not exist", status: 404)
            }
            // The reply of another server would pass as another picture, and the product would be replaced.
            guard reply.form == .other, !reply.isPlainText else {
                throw UnexpectedReply(message: "\(peer)'s answer is not a picture")
            }
            return interpret(reply.body.readableBytesUInt8Span)
        }
    }

    /// Reports the market's page for people, which `openmarket serve` names; ignores an address of another origin.
    func noteShopPage(in reply: TransportReply) {
        guard let report = configuration.onShopPage, let named = reply.shopPage,
            let page = try? MarketURL(named).description, MarketURL.origin(of: page) == MarketURL.origin(of: base)
        else { return }
        // The path's trailing slash decides how a relative address on the page resolves.
        report(page + (page != MarketURL.origin(of: page) && named.hasSuffix("/") ? "/" : ""))
    }
}

/// Opens the connections of a client, passes it to `body`, and closes them.
///
/// Throws ``MarketError`` if the URL cannot be used, and the errors of `body`.
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
