import AsyncHTTPClient
import NIOCore
public import OpenMarket

/// A market of one of the four profiles of the Open Market API.
///
/// Reading is retried here, because it is harmless; writing never is. Comes from
/// ``withMarketClient(_:_:)``, which closes its connections.
public struct MarketClient: Market, PagedMarket {
    /// The configuration of the client.
    let configuration: ClientConfiguration
    /// The base URL without its last slash.
    let base: String
    let dialect: Dialect
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
    package init(_ configuration: ClientConfiguration, over transport: any Transport) throws(MarketError) {
        self.configuration = configuration
        base = try configuration.checkedBase()
        dialect = Dialect(configuration.profile)
        mask = configuration.credentials.mask
        pictureHosts = PictureHosts(
            marketURL: base,
            folders: configuration.hasMarket ? dialect.pictureFolders : [],
            named: configuration.pictureHosts
        )
        self.transport = transport
    }

    /// The thread of the connections.
    public var executor: (any TaskExecutor)? { transport.executor }

    // MARK: Reading

    /// Reads a product in detail; `nil` when the market does not know it.
    ///
    /// - Throws: ``MarketError``.
    public func product(_ id: ProductID) async throws -> LiveProduct? {
        try await detail(id)?.row.product
    }

    /// Reads a product in detail, with what is wrong with it, and the body that says so.
    func detail(_ id: ProductID) async throws -> (row: ProductReader.Row, body: ByteBuffer)? {
        try await read(dialect.path(of: id), limit: configuration.replyByteLimit) {
            reply in
            if reply.status == 404 {
                guard reply.isOwnNotFound else {
                    throw UnexpectedReply(message: words("the market's answer is not one of its API", reply))
                }
                return nil
            }
            let row = try reply.body.withUnsafeReadableBytes(readDetail)
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

    /// Reads the body of a product's detail.
    func readDetail(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> ProductReader.Row {
        let reader = ProductReader(discount: dialect.discount, shows: dialect.detailFields)
        return try JSONReader.read(bytes) { json throws(JSONError) in
            let row = try reader.read(&json)
            try json.finish()
            return row
        }
    }

    /// Reads one page of the list.
    ///
    /// - Parameters:
    ///   - number: which, from 1.
    ///   - size: rows a page, where the profile lets one choose (v2).
    ///   - empty: what the rows are added to.
    /// - Returns: the page, its rows, and the body that they were read from.
    /// - Throws: ``MarketError``.
    func page<Rows: PageRows>(
        _ number: Int,
        size: Int?,
        collecting empty: Rows
    ) async throws -> (LivePage, Rows, ByteBuffer) {
        let reader = PageReader(dialect, page: number)
        let path = dialect.pagePath(number, size: size)
        let found: (LivePage, Rows, ByteBuffer, Int)? = try await read(path, limit: configuration.pageByteLimit) {
            reply in
            guard reply.status != 404 else { return nil }
            var rows = empty
            let page = try reply.body.withUnsafeReadableBytes { try reader.read($0, collecting: &rows) }
            guard page.isPage else {
                throw MarketError(.unreadable, "the market's answer is not a page of products (\(path))")
            }
            if let total = page.total { configuration.onTotal?(total) }
            return (page, rows, reply.body, reply.status)
        }
        guard let (shown, rows, body, status) = found else {
            try await requireProfile()
            throw MarketError(.profile, "the market has no list at \(path), as \(dialect.profile) has one", status: 404)
        }
        var page = shown
        if number == 1, status == 204, body.readableBytes == 0, !page.provesItsEnd {
            page.provesItsEnd = try await provesEmptiness(at: path)
        }
        return (page, rows, body)
    }

    /// Whether a first page without a body means that the market has no products.
    ///
    /// v2 answers 204 past its last page, which is page 1 of an empty catalog. So does many a thing before a market that is
    /// out of order; that has no word of the API's health check, and seldom the same answer twice.
    private func provesEmptiness(at path: String) async throws -> Bool {
        guard case .sized = dialect.paging, let health = dialect.healthPath else { return false }
        let isWell = try await read(health, limit: configuration.replyByteLimit) { reply in
            let text = String(decoding: reply.bytes(upTo: 16), as: UTF8.self)
            return reply.status == 200 && text.lowercased().filter { $0 != "\"" && !$0.isWhitespace } == "ok"
        }
        guard isWell else { return false }
        return try await read(path, limit: configuration.pageByteLimit) {
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
    public func pictureDigest(at url: String) async throws -> ContentDigest {
        try await readPicture(at: url) { ContentDigest(hashing: $0) }
    }

    /// Fetches a picture's original bytes, like ``pictureDigest(at:)``.
    public func picture(at url: String) async throws -> FetchedPicture {
        try await readPicture(at: url) { FetchedPicture(bytes: Array($0), digest: ContentDigest(hashing: $0)) }
    }

    private func readPicture<Value>(
        at url: String,
        _ interpret: (UnsafeRawBufferPointer) -> Value
    ) async throws -> Value {
        try await read(picture: url) { reply in
            guard reply.status != 404 else {
                throw MarketError(.refused, "there is no picture at \(url)", status: 404)
            }
            // What else answers in the market's place would pass for another picture, and have the product replaced.
            guard reply.form == .other else { throw UnexpectedReply(message: "\(peer)'s answer is not a picture") }
            return reply.body.withUnsafeReadableBytes(interpret)
        }
    }

    // MARK: Writing

    /// The request that a write becomes, without sending it: for dry runs.
    ///
    /// A delete whose key is not known yet shows `{key}` in its place.
    ///
    /// - Throws: ``MarketError`` when a secret is missing or a value cannot be said on this profile.
    public func describe(_ write: WriteRequest) throws(MarketError) -> RequestDescription {
        try dialect.request(for: write, credentials: configuration.credentials)
    }

    /// Sends one writing request, once; see ``Market``.
    public func perform(_ write: WriteRequest) async -> WriteOutcome {
        let deleteKey = deleteKey(of: write)
        let sorter = WriteSorter(
            dialect: dialect,
            mask: deleteKey.isEmpty ? mask : mask.adding(deleteKey),
            base: base,
            write: write
        )
        let request: RequestDescription
        let body: TransportBody
        do throws(MarketError) {
            request = try describe(write)
            if case .delete(_, nil) = write.kind, case .keyed = dialect.deletion {
                throw MarketError(.refused, "\(dialect.profile) deletes only with a key")
            }
            switch request.body {
            case .none: body = .none
            case .json(let fields): body = TransportBody(content: .json(WireField.json(fields, masked: false)))
            case .multipart(let parts):
                let multipart = try MultipartBody(parts, boundaries: configuration.boundaries)
                body = TransportBody(content: .multipart(multipart))
            }
        } catch {
            return sorter.outcome(ofOwnFault: error)
        }
        do throws(TransportFailure) {
            var sent = TransportRequest(request.method.rawValue, base + request.path)
            sent.headers = request.headers.map { ($0.name, $0.value.revealed) }
            sent.body = body
            if !deleteKey.isEmpty { sent.shownURL = base + SecretMask(deleteKey).masked(request.path) }
            let reply = try await transport.send(sent, limit: configuration.replyByteLimit)
            noteShopPage(in: reply)
            return sorter.outcome(of: reply)
        } catch {
            return sorter.outcome(of: error)
        }
    }

    /// Reports the market's page for people, as `openmarket serve` names it; an address of another origin is not believed.
    func noteShopPage(in reply: TransportReply) {
        guard let report = configuration.onShopPage, let named = reply.shopPage,
            let page = try? MarketURL(named).description, MarketURL.origin(of: page) == MarketURL.origin(of: base)
        else { return }
        report(page)
    }

    /// What lets anybody delete the product, without the path before it; nothing of other requests.
    private func deleteKey(of write: WriteRequest) -> [Secret] {
        guard case .delete(_, let key?) = write.kind else { return [] }
        let path = dialect.productPath + "/"
        return [Secret(key.hasPrefix(path) ? String(key.dropFirst(path.count)) : key)]
    }

}

/// Opens the connections of a client, lends it, and closes them.
///
/// - Throws: ``MarketError`` when the URL cannot be used, and what `body` throws.
public func withMarketClient<Result>(
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
