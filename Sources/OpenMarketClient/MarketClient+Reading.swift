import Logging
import NIOCore
import OpenMarket
import OpenMarketDescription

extension MarketClient {
    /// Reads from the market, and retries if that may help.
    ///
    /// `interpret` converts a reply with 2xx, 404 or an accepted status. A ``JSONError`` counts as a garbled reply.
    func read<Value>(
        _ path: String,
        for operation: MarketDescription.Operation,
        limit: Int,
        accepting statuses: [Int] = [],
        _ interpret: (TransportReply) throws -> Value
    ) async throws -> Value {
        var request = TransportRequest("GET", base + path)
        request.headers = try wire.headers(of: operation, configuration.credentials).map {
            ($0.name, $0.value.revealed)
        }
        // An address or a token from a page must not appear in logs.
        if wire.pagesAreLinked, operation == .list || operation == .find {
            request.shownURL = base + path.prefix { $0 != "?" }
        }
        return try await read(request, for: operation, limit: limit, accepting: statuses, interpret)
    }

    func read<Value>(picture url: String, _ interpret: (TransportReply) throws -> Value) async throws -> Value {
        let url = try absolute(wire.products.revealed(url))
        guard pictureHosts.allow(url) else {
            let host = PictureHosts.host(of: url) ?? "the host of one"
            throw MarketError(.foreignHost, "\(host) is neither the market's host nor named in `market.picture_hosts`")
        }
        // Sent without headers: credentials are for the market, and pictures may be on any host.
        return try await read(TransportRequest("GET", url), for: nil, limit: configuration.pictureByteLimit, interpret)
    }

    /// The server of a URL, for messages: the market, or a picture host.
    private func origin(of url: String) -> String {
        guard !url.hasPrefix(base), let host = PictureHosts.host(of: url) else { return base }
        return "\(url.prefix { $0 != "/" })//\(host)"
    }

    /// The URL of a picture: `http` or `https`, or a path of the market's host.
    private func absolute(_ url: String) throws(MarketError) -> String {
        let lowered = url.prefix(8).lowercased()
        if lowered.hasPrefix("http://") || lowered.hasPrefix("https://") {
            do throws(MarketURL.Fault) {
                try MarketURL.checkPort(of: url)
            } catch {
                throw MarketError(.refused, "a picture's URL \(error.message)")
            }
            return url
        }
        guard !url.contains("://"), !url.hasPrefix("//"), !lowered.hasPrefix("data:") else {
            throw MarketError(.refused, "a picture's URL is neither http nor https")
        }
        guard url.hasPrefix("/") else { return "\(base)/\(url)" }
        // A path from the root belongs to the host, regardless of the path in the market's own URL.
        let scheme = base.prefix { $0 != "/" }.count + 2
        let host = base.dropFirst(scheme).prefix { $0 != "/" }
        return "\(base.prefix(scheme))\(host)\(url)"
    }

    private func read<Value>(
        _ request: TransportRequest,
        for operation: MarketDescription.Operation?,
        limit: Int,
        accepting statuses: [Int] = [],
        _ interpret: (TransportReply) throws -> Value
    ) async throws -> Value {
        var attempt = 1
        // The time without an answer of the market.
        var silence: (() -> Duration)?
        while true {
            let trouble: MarketError
            let asked: Duration?
            switch try await ask(request, for: operation, limit: limit, accepting: statuses, interpret) {
            case .value(let value): return value
            case .trouble(let error, let pause): (trouble, asked) = (error, pause)
            }
            if trouble.code == .unreachable, configuration.patience > .zero {
                silence = silence ?? stopwatch(configuration.clock)
            }
            let patience = silence.map { configuration.patience - $0() } ?? .zero
            guard attempt < configuration.readAttempts || patience > .zero && trouble.code == .unreachable else {
                throw trouble
            }
            let delay = configuration.delays.delay(
                attempt: attempt,
                jitter: configuration.random(),
                retryAfter: asked
            )
            let wait = attempt < configuration.readAttempts ? delay : min(delay, patience)
            if attempt == configuration.readAttempts || wait >= .seconds(10) { configuration.onWaiting?(trouble, wait) }
            Logger.current.debug(
                "reading again",
                metadata: [
                    "url": "\((request.shownURL ?? request.url).masked)", "attempt": "\(attempt)",
                    "because": "\(trouble.message)",
                ]
            )
            try await configuration.clock.sleep(for: wait)
            attempt += 1
        }
    }

    private enum Answer<Value> {
        case value(Value)
        /// An error that another attempt may overcome, and the pause that the market requested.
        case trouble(MarketError, pause: Duration?)
    }

    /// Sends the request once.
    ///
    /// Throws ``MarketError`` if another attempt would be useless, `CancellationError`, and the errors of `interpret`.
    private func ask<Value>(
        _ request: TransportRequest,
        for operation: MarketDescription.Operation?,
        limit: Int,
        accepting statuses: [Int],
        _ interpret: (TransportReply) throws -> Value
    ) async throws -> Answer<Value> {
        do {
            let reply = try await transport.send(request, limit: limit)
            guard reply.headers.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= Self.headerLimit else {
                throw MarketError(.unreadable, "\(peer)'s answer has more than 64 KiB of headers")
            }
            return try answer(reply, to: request, for: operation, accepting: statuses, interpret)
        } catch let error as TransportFailure {
            if error.isCancelled { throw CancellationError() }
            if error.isTooLarge { throw MarketError(.unreadable, "\(peer) answers with \(error.message)") }
            let message = "\(peer) at \(origin(of: request.url)) cannot be reached: \(error.message)"
            return .trouble(MarketError(.unreachable, message), pause: nil)
        }
    }

    /// Classifies a reply, first by the description's rules, then by its status.
    private func answer<Value>(
        _ reply: TransportReply,
        to request: TransportRequest,
        for operation: MarketDescription.Operation?,
        accepting statuses: [Int],
        _ interpret: (TransportReply) throws -> Value
    ) throws -> Answer<Value> {
        let meaning = operation.flatMap { wire.meaning(of: reply, to: $0) }
        var reply = reply
        if meaning == .gone {
            let isOwn = (200..<300).contains(reply.status) || reply.form == .object || reply.form == .none
            guard isOwn else { return foreign(.foreign, reply, to: request) }
            reply = TransportReply(status: 404, headers: reply.headers, body: ByteBuffer())
            reply.meansGone = true
        }
        let isAccepted = (200..<300).contains(reply.status) || reply.status == 404 || statuses.contains(reply.status)
        switch (meaning, reply.status) {
        case (.credentials?, _), (.denied?, _):
            throw MarketError(.credentials, words("\(peer) refused", reply), status: reply.status)
        case (.refused?, _), (.duplicate?, _):
            throw MarketError(.refused, words("\(peer) refused", reply), status: reply.status)
        case (.retry?, _), (.unknown?, _): return failure(reply)
        case _ where isAccepted:
            if request.url.hasPrefix(base) { noteShopPage(in: reply) }
            return try interpreted(reply, to: request, for: operation, interpret)
        case (_, 408), (_, 425), (_, 429), (_, 500...): return failure(reply)
        case (_, 401), (_, 403):
            if operation != nil, reply.isWebPage { return foreign(.foreign, reply, to: request, as: .credentials) }
            throw MarketError(.credentials, words("\(peer) refused", reply), status: reply.status)
        case (_, 300..<400):
            let message = "\(peer) redirects\(reply.target(masking: mask)): redirects are not followed"
            throw MarketError(.refused, message, status: reply.status)
        case _ where operation != nil && reply.isWebPage: return foreign(.foreign, reply, to: request)
        default:
            throw MarketError(.refused, words("\(peer) refused", reply), status: reply.status)
        }
    }

    private func failure<Value>(_ reply: TransportReply) -> Answer<Value> {
        let error = MarketError(.unreachable, words("\(peer) failed", reply), status: reply.status)
        return .trouble(error, pause: wire.wait(in: reply))
    }

    /// Interprets a reply; the result is trouble if it does not come from the market's API, but from a proxy, for
    /// example.
    private func interpreted<Value>(
        _ reply: TransportReply,
        to request: TransportRequest,
        for operation: MarketDescription.Operation?,
        _ interpret: (TransportReply) throws -> Value
    ) throws -> Answer<Value> {
        do {
            return .value(try interpret(reply))
        } catch let error as JSONError {
            return foreign(UnexpectedReply(message: "\(peer)'s answer cannot be read: \(error)"), reply, to: request)
        } catch let error as UnexpectedReply {
            guard operation == nil else { return foreign(error, reply, to: request) }
            return .trouble(MarketError(.unreadable, error.message, status: reply.status), pause: nil)
        }
    }

    /// The trouble with a reply that does not answer the request, with its first bytes, its type and its address.
    private func foreign<Value>(
        _ fault: UnexpectedReply,
        _ reply: TransportReply,
        to request: TransportRequest,
        as code: MarketError.Code = .unreadable
    ) -> Answer<Value> {
        let beginning = reply.bytes(upTo: ErrorText.limit)
        let words = ErrorText.read(beginning, masking: mask)
        var message = fault.message
        if ErrorText.isHTML(String(decoding: beginning, as: UTF8.self)) {
            message = "\(peer) answered with \(words ?? "a web page"): is the URL right?"
        } else {
            message += words.map { ": “\($0.excerpt)”" } ?? ": it is empty"
        }
        message += " (\(reply.kind(masking: mask)), \(mask.masked(request.shownURL ?? request.url)))"
        return .trouble(MarketError(code, message, status: reply.status), pause: nil)
    }

    private static var headerLimit: Int { 64 << 10 }

    /// Returns a function that measures the time from now.
    private func stopwatch(_ clock: some Clock<Duration>) -> () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    func words(_ what: String, _ reply: TransportReply) -> String {
        let said = wire.words(reply, masking: mask).map { ": " + $0 } ?? ""
        return "\(what) (HTTP \(reply.status))\(said)"
    }
}
