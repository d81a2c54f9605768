import NIOCore
import OpenMarket

/// Sorts what came of a writing request by what may have happened at the market.
///
/// The rule behind every line: a create that may have happened is never reported as one that did not.
struct WriteSorter {
    let dialect: Dialect
    let mask: SecretMask
    let base: String
    let write: WriteRequest

    /// What a request that could not be made out means: nothing left, and asking again changes nothing.
    func outcome(ofOwnFault error: MarketError) -> WriteOutcome {
        let kind: WriteRefusal.Kind = error.code == .credentials ? .credentials : .other
        return .refused(WriteRefusal(kind, status: 0, message: error.message))
    }

    /// What it means that no whole reply came.
    func outcome(of failure: TransportFailure) -> WriteOutcome {
        if let input = failure.input, !failure.mayHaveArrived { return outcome(ofOwnFault: input) }
        var message = mask.masked(failure.message)
        if let status = failure.status { message += " (HTTP \(status))" }
        let trouble = WriteTrouble(message, isTimeout: failure.isTimeout)
        return failure.mayHaveArrived ? .uncertain(trouble) : .notSent(trouble)
    }

    /// What a reply means.
    func outcome(of reply: TransportReply) -> WriteOutcome {
        switch reply.status {
        case 200..<300: return success(reply)
        case 429, 425:
            return .notSent(
                WriteTrouble(
                    words("the market asked to wait", reply),
                    isOverload: reply.status == 429,
                    retryAfter: reply.retryAfter
                )
            )
        case 408:
            return .uncertain(WriteTrouble(words("the market ran out of time", reply), isTimeout: true))
        case 300..<400:
            let message = "the market redirects\(reply.target(masking: mask)): redirects are not followed"
            // Many servers answer a form like this that did what it asked for.
            guard write.isIdempotent else { return .uncertain(WriteTrouble(message + " (HTTP \(reply.status))")) }
            return .refused(WriteRefusal(.other, status: reply.status, message: message))
        case 400..<500: return refusal(reply)
        default:
            return .uncertain(
                WriteTrouble(
                    words("the market failed", reply),
                    isOverload: reply.status == 503,
                    retryAfter: reply.retryAfter,
                    isTimeout: reply.status == 504
                )
            )
        }
    }

    private func refusal(_ reply: TransportReply) -> WriteOutcome {
        // What the API never says comes from something in front of it: how far the request came is unknown.
        let isForeign =
            write.isIdempotent
            ? reply.status == 404 && !reply.isOwnNotFound : reply.form == .webPage
        guard !isForeign else {
            return .uncertain(WriteTrouble(words("the market's answer is not one of its API", reply)))
        }
        let kind: WriteRefusal.Kind =
            switch (reply.status, dialect.authentication) {
            case (401, _): .credentials
            case (403, _): .denied
            // The key of a delete has been proved by the vendor before.
            case (400, .vendor) where write.step != .delete: .denied
            case (404, _): .notFound
            default: .other
            }
        return .refused(WriteRefusal(kind, status: reply.status, message: words("the market refused", reply)))
    }

    private func words(_ what: String, _ reply: TransportReply) -> String {
        let said = ErrorText.read(reply.bytes(upTo: ErrorText.limit), masking: mask).map { ": " + $0 } ?? ""
        return "\(what) (HTTP \(reply.status))\(said)"
    }

    // MARK: 2xx

    private func success(_ reply: TransportReply) -> WriteOutcome {
        switch write.kind {
        case .deleteKey:
            guard let key = DeleteKey.read(reply.bytes(upTo: 4 << 10), base: base) else {
                return unreadable(reply, "a delete key")
            }
            return .succeeded(WriteReply(deleteKey: key))
        case .create:
            guard let product = product(reply) else { return unreadable(reply, "the new product") }
            return .succeeded(WriteReply(product: product))
        case .update(let id, _), .proveOwnership(let id):
            if reply.body.readableBytes == 0 { return .succeeded(WriteReply()) }
            guard let product = product(reply), product.id == id else { return unreadable(reply, "product \(id)") }
            return .succeeded(WriteReply(product: product))
        case .delete(let id, _):
            if reply.body.readableBytes == 0 { return .succeeded(WriteReply()) }
            guard let product = product(reply), product.id == id else { return unreadable(reply, "product \(id)") }
            // v1a answers with the id alone, which is not a product.
            return .succeeded(WriteReply(product: product.name == nil && product.price == nil ? nil : product))
        }
    }

    private func product(_ reply: TransportReply) -> LiveProduct? {
        let reader = ProductReader(discount: dialect.discount, shows: dialect.detailFields)
        let row = reply.body.withUnsafeReadableBytes { bytes in
            try? JSONReader.read(bytes) { json throws(JSONError) in
                let row = try reader.read(&json)
                try json.finish()
                return row
            }
        }
        return row?.product
    }

    /// An unreadable success proves nothing: it may come from something in front of the market.
    private func unreadable(_ reply: TransportReply, _ expected: String) -> WriteOutcome {
        .uncertain(WriteTrouble(words("the market's answer is not \(expected)", reply)))
    }
}
