import NIOCore
import OpenMarket
import OpenMarketDescription

/// Classifies the result of a writing request by its possible effects at the market.
///
/// A create that may have happened is never reported as one that did not.
struct WriteOutcomeClassifier {
    let wire: MarketWire
    let mask: SecretMask
    let base: String
    let write: WriteRequest

    /// The outcome of a request that could not be built: it was not sent, and another attempt would also fail.
    func outcome(ofOwnFault error: MarketError) -> WriteOutcome {
        let kind: WriteRefusal.Kind = error.code == .credentials ? .credentials : .other
        return .refused(WriteRefusal(kind, status: 0, message: error.message))
    }

    /// The outcome if there is no complete reply.
    func outcome(of failure: TransportFailure) -> WriteOutcome {
        if let input = failure.input, !failure.mayHaveArrived { return outcome(ofOwnFault: input) }
        var message = mask.masked(failure.message)
        if let status = failure.status { message += " (HTTP \(status))" }
        let trouble = WriteTrouble(message)
        return failure.mayHaveArrived ? .uncertain(trouble) : .notSent(trouble)
    }

    func outcome(of reply: TransportReply) -> WriteOutcome {
        // Hot path: most replies cannot match a rule, and skip this.
        if wire.hasRule(for: reply.status, of: write.operation) {
            let isOwn = (400..<500).contains(reply.status) ? !isForeign(reply) : !reply.isWebPage
            if isOwn, let meaning = wire.meaning(of: reply, to: write.operation) {
                return outcome(of: reply, meaning: meaning)
            }
        }
        if saysGone(reply) { return refused(.notFound, reply) }
        switch reply.status {
        case 200..<300:
            if let success = described?.success, !success.contains(reply.status) {
                return .uncertain(WriteTrouble(words("the market's answer is not the one of a success", reply)))
            }
            return success(reply)
        case 429, 425:
            return .notSent(
                WriteTrouble(
                    words("the market asked to wait", reply),
                    isOverload: reply.status == 429,
                    retryAfter: wire.wait(in: reply)
                )
            )
        case 408:
            return .uncertain(WriteTrouble(words("the market ran out of time", reply)))
        case 300..<400:
            let message = "the market redirects\(reply.target(masking: mask)): redirects are not followed"
            // Many servers answer a form with a redirect after a success.
            guard write.isIdempotent else { return .uncertain(WriteTrouble(message + " (HTTP \(reply.status))")) }
            return .refused(WriteRefusal(.other, status: reply.status, message: message))
        case 400..<500: return refusal(reply)
        default:
            return .uncertain(
                WriteTrouble(
                    words("the market failed", reply),
                    isOverload: reply.status == 503,
                    retryAfter: wire.wait(in: reply)
                )
            )
        }
    }

    private func outcome(
        of reply: TransportReply,
        meaning: MarketDescription.ErrorRules.Meaning
    ) -> WriteOutcome {
        switch meaning {
        case .credentials: return refused(.credentials, reply)
        case .denied: return refused(.denied, reply)
        case .gone: return refused(.notFound, reply)
        case .duplicate: return refused(.duplicate, reply)
        case .refused: return refused(.other, reply)
        case .retry:
            return .notSent(WriteTrouble(words("the market asked to wait", reply), retryAfter: wire.wait(in: reply)))
        case .unknown: return .uncertain(WriteTrouble(words("the market failed", reply)))
        }
    }

    private func refused(_ kind: WriteRefusal.Kind, _ reply: TransportReply) -> WriteOutcome {
        let message = words("the market refused\(asked(by: reply).map { " \($0)" } ?? "")", reply)
        return .refused(WriteRefusal(kind, status: reply.status, message: message))
    }

    /// The method and path of the request, if the description may state them wrongly.
    private func asked(by reply: TransportReply) -> String? {
        guard [404, 405].contains(reply.status) else { return nil }
        return wire.endpoint(write.operation).map { "\($0.method.rawValue) \($0.path)" }
    }

    /// Whether the status means, according to the description, that there is no such product.
    private func saysGone(_ reply: TransportReply) -> Bool {
        guard write.product != nil, described?.missing.contains(.status(reply.status)) == true else { return false }
        return reply.form == .object || reply.form == .none
    }

    private var described: MarketDescription.Write? { wire.market.operations.write(write.operation) }

    /// Whether a refusal does not come from the API.
    ///
    /// It comes from a server in front of the market, so it is unknown how far the request got.
    private func isForeign(_ reply: TransportReply) -> Bool {
        guard (400..<500).contains(reply.status) else { return false }
        return reply.form == .webPage || write.isIdempotent && reply.status == 404 && !reply.isOwnNotFound
    }

    private func refusal(_ reply: TransportReply) -> WriteOutcome {
        guard !isForeign(reply) else {
            return unreadable(reply, "one of its API")
        }
        // If the description defines the reply for a missing product, only that reply means it.
        let meansGone = write.product != nil && described?.missing.isEmpty ?? true
        let kind: WriteRefusal.Kind =
            switch reply.status {
            case 401: .credentials
            case 403: .denied
            case 404 where meansGone: .notFound
            default: .other
            }
        return refused(kind, reply)
    }

    private func words(_ what: String, _ reply: TransportReply, of kind: String? = nil) -> String {
        let said = wire.words(reply, masking: mask).map { ": " + $0 } ?? ""
        return "\(what) (\(kind ?? "HTTP \(reply.status)"))\(said)"
    }

    // MARK: 2xx

    private func success(_ reply: TransportReply) -> WriteOutcome {
        switch write.kind {
        case .deleteKey:
            guard let key = DeleteKey.read(reply.bytes(upTo: 4 << 10), base: base) else {
                // The reply is not quoted: with a delete key anyone can delete the product.
                let message = "the market's answer is not a delete key (HTTP \(reply.status))"
                return .uncertain(WriteTrouble(message))
            }
            return .succeeded(WriteReply(deleteKey: key))
        case .create:
            let product =
                described?.answer == .id ? id(reply).map { LiveProduct(id: $0, showing: .blank) } : nil
            if let product { return .succeeded(WriteReply(product: product)) }
            guard let row = row(reply), let product = row.product else { return unreadable(reply, "the new product") }
            guard !row.isAbsent else { return madeAbsent(product.id, status: reply.status) }
            return .succeeded(WriteReply(product: product))
        case .update(let id, _), .proveOwnership(let id), .delete(let id, _):
            return success(reply, of: id)
        case .upload:
            guard let reference = wire.reference(in: reply) else { return unreadable(reply, "a picture's reference") }
            return .succeeded(WriteReply(reference: reference))
        case .attach:
            return reply.form == .webPage ? unreadable(reply, "one of its API") : .succeeded(WriteReply())
        }
    }

    /// The outcome of a create whose product counts as deleted: a search would miss it and lead to a second create.
    func madeAbsent(_ id: MarketID, status: Int) -> WriteOutcome {
        let fault = "the market created product \(id), which 'identity.absent' of its description counts as deleted"
        return .refused(WriteRefusal(.other, status: status, message: fault))
    }

    private func success(_ reply: TransportReply, of id: MarketID) -> WriteOutcome {
        let answersEmptyAsMissing = described?.missing.contains(.empty) == true
        if reply.body.readableBytes == 0 {
            return answersEmptyAsMissing ? refused(.notFound, reply) : .succeeded(WriteReply())
        }
        if described?.answer == .id {
            let shown = self.id(reply)
            // The reply is a count or a message: it is without a product, and perhaps without an id.
            //
            // After an update the result is read. A delete is not followed by a read, because it is requested again.
            let isDelete = if case .delete = write.kind { true } else { false }
            guard reply.form != .webPage, shown.map({ $0 == id }) ?? (!isDelete || saysNothingElse(reply)) else {
                return unreadable(reply, "product \(id)")
            }
            return .succeeded(WriteReply())
        }
        let reader = wire.detailReader(at: described?.product ?? .whole, isMissing: answersEmptyAsMissing)
        let row = Result { try reader.read(reply.body.readableBytesUInt8Span) }
        if answersEmptyAsMissing, case .success(nil) = row { return refused(.notFound, reply) }
        guard var product = (try? row.get())?.product, product.id == id else {
            return unreadable(reply, "product \(id)")
        }
        guard case .delete = write.kind else {
            product.members = wire.unnamedMembers(of: described?.product ?? .whole, in: reply.body)
            return .succeeded(WriteReply(product: product))
        }
        // v1a answers with only the id, which is not a product.
        return .succeeded(WriteReply(product: product.name == nil && product.price == nil ? nil : product))
    }

    /// Whether a reply without an id is `true` or an object, and not a message.
    private func saysNothingElse(_ reply: TransportReply) -> Bool {
        guard let json = try? JSONValue.parse(reply.bytes()) else { return false }
        guard let members = json.members else { return json == .bool(true) }
        return !members.contains { member in
            DeleteKey.messages.contains(member.name.lowercased())
                && ![.null, .bool(false), .string("")].contains(member.value) && member.value.integer != 0
        }
    }

    private func row(_ reply: TransportReply) -> ProductReader.Row? {
        let reader = wire.detailReader(at: described?.product ?? .whole, isMissing: false)
        return try? reader.read(reply.body.readableBytesUInt8Span)
    }

    /// The id in a reply without other product fields.
    private func id(_ reply: TransportReply) -> MarketID? {
        guard reply.form != .webPage, let json = try? JSONValue.parse(reply.bytes()),
            let answer = wire.value(described?.product ?? .whole, in: json)
        else { return nil }
        let value = answer.members == nil ? answer : wire.value(wire.market.identity.id.place, in: answer)
        switch wire.market.identity.id.kind {
        case .integer:
            return (value?.integer ?? value?.text.flatMap { Int64(canonical: $0) }).map { MarketID($0) }
        case .text:
            // A sentence is a message.
            //
            // So is a word that is the whole reply, unless it is the id that the client chose.
            guard let text = value?.text, !text.contains(where: \.isWhitespace),
                answer.members != nil || !DeleteKey.isWord(text) || text == (write.key ?? write.product?.description)
            else { return nil }
            return MarketID(text: text)
        }
    }

    /// An unreadable success is not a proof: it may come from a server in front of the market.
    private func unreadable(_ reply: TransportReply, _ expected: String) -> WriteOutcome {
        let asked = asked(by: reply).map { " to \($0)" } ?? ""
        let message = "the market's answer\(asked) is not \(expected)"
        return .uncertain(WriteTrouble(words(message, reply, of: reply.kind(masking: mask))))
    }
}
