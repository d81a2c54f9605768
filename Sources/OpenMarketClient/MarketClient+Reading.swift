import Crypto
import Logging
import OpenMarket

extension MarketClient {
    /// Reads something of the market's, again where that may help.
    ///
    /// `interpret` turns a reply with 2xx or 404 into what is wanted; a ``JSONError`` counts as a garbled reply.
    func read<Value>(
        _ path: String,
        limit: Int,
        _ interpret: (TransportReply) throws -> Value
    ) async throws -> Value {
        try await read(url: base + path, limit: limit, interpret)
    }

    /// Reads a picture.
    ///
    /// - Throws: ``MarketError``.
    func read<Value>(picture url: String, _ interpret: (TransportReply) throws -> Value) async throws -> Value {
        let url = try absolute(url)
        guard pictureHosts.allow(url) else {
            let host = PictureHosts.host(of: url) ?? "the host of one"
            throw MarketError(.foreignHost, "\(host) is neither the market's host nor named in `market.picture_hosts`")
        }
        return try await read(url: url, limit: configuration.pictureByteLimit, interpret)
    }

    /// What a URL leads to, for messages: the market, or the host of a picture that lies elsewhere.
    private func origin(of url: String) -> String {
        guard !url.hasPrefix(base), let host = PictureHosts.host(of: url) else { return base }
        return "\(url.prefix { $0 != "/" })//\(host)"
    }

    /// The URL of a picture: `http` or `https`, or a path of the market's host.
    private func absolute(_ url: String) throws(MarketError) -> String {
        let lowered = url.prefix(8).lowercased()
        if lowered.hasPrefix("http://") || lowered.hasPrefix("https://") { return url }
        guard !url.contains("://"), !url.hasPrefix("//"), !lowered.hasPrefix("data:") else {
            throw MarketError(.refused, "a picture's URL is neither http nor https")
        }
        guard url.hasPrefix("/") else { return "\(base)/\(url)" }
        // A path from the root belongs to the host, whatever path the market's own URL has.
        let scheme = base.prefix { $0 != "/" }.count + 2
        let host = base.dropFirst(scheme).prefix { $0 != "/" }
        return "\(base.prefix(scheme))\(host)\(url)"
    }

    private func read<Value>(
        url: String,
        limit: Int,
        _ interpret: (TransportReply) throws -> Value
    ) async throws -> Value {
        var attempt = 1
        // Since when the market does not answer.
        var silence: (() -> Duration)?
        while true {
            let trouble: MarketError
            var asked: Duration?
            do {
                let reply = try await transport.send(TransportRequest("GET", url), limit: limit)
                switch reply.status {
                case 200..<300, 404:
                    if url.hasPrefix(base) { noteShopPage(in: reply) }
                    do {
                        return try interpret(reply)
                    } catch let error as JSONError {
                        let text = String(decoding: reply.bytes(upTo: 200), as: UTF8.self)
                        if ErrorText.isHTML(text) {
                            let body = reply.bytes(upTo: ErrorText.limit)
                            let words = ErrorText.read(body, masking: mask) ?? "a web page"
                            throw MarketError(.unreadable, "\(peer) answered with \(words): is the URL right?")
                        }
                        trouble = MarketError(.unreadable, "\(peer)'s answer cannot be read: \(error)")
                    } catch let error as UnexpectedReply {
                        trouble = MarketError(.unreadable, error.message, status: reply.status)
                    }
                case 408, 425, 429, 500...:
                    asked = reply.retryAfter
                    trouble = MarketError(.unreachable, words("\(peer) failed", reply), status: reply.status)
                case 401, 403:
                    throw MarketError(.credentials, words("\(peer) refused", reply), status: reply.status)
                case 300..<400:
                    let message = "\(peer) redirects\(reply.target(masking: mask)): redirects are not followed"
                    throw MarketError(.refused, message, status: reply.status)
                default:
                    throw MarketError(.refused, words("\(peer) refused", reply), status: reply.status)
                }
            } catch let error as TransportFailure {
                if error.isCancelled { throw CancellationError() }
                if error.isTooLarge { throw MarketError(.unreadable, "\(peer) answers with \(error.message)") }
                trouble = MarketError(
                    .unreachable,
                    "\(peer) at \(origin(of: url)) cannot be reached: \(error.message)"
                )
            }
            if trouble.code == .unreachable, configuration.patience > .zero {
                silence = silence ?? stopwatch(configuration.clock)
            }
            let patience = silence.map { configuration.patience - $0() } ?? .zero
            guard attempt < configuration.readAttempts || patience > .zero && trouble.code == .unreachable else {
                throw trouble
            }
            if attempt == configuration.readAttempts { configuration.onWaiting?(trouble) }
            let delay = configuration.delays.delay(
                attempt: attempt,
                jitter: configuration.random(),
                retryAfter: asked.map { min($0, .seconds(300)) }
            )
            let wait = attempt < configuration.readAttempts ? delay : min(delay, patience)
            Logger.current.debug(
                "reading again",
                metadata: ["url": "\(url)", "attempt": "\(attempt)", "because": "\(trouble.message)"]
            )
            try await configuration.clock.sleep(for: wait)
            attempt += 1
        }
    }

    /// Returns how much time has passed since now.
    private func stopwatch(_ clock: some Clock<Duration>) -> () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    func words(_ what: String, _ reply: TransportReply) -> String {
        let said = ErrorText.read(reply.bytes(upTo: ErrorText.limit), masking: mask).map { ": " + $0 } ?? ""
        return "\(what) (HTTP \(reply.status))\(said)"
    }
}

extension ContentDigest {
    /// The SHA-256 of some bytes.
    init(hashing bytes: UnsafeRawBufferPointer) {
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        self.init(bytes: hash.finalize())
    }
}
