import Crypto
import NIOCore
package import OpenMarket
import OpenMarketDescription

extension MarketClient {
    /// The request for a write, without sending it: for dry runs.
    ///
    /// A delete without its key yet shows `{key}`, and a picture that was not uploaded yet shows its name in braces. If
    /// a product is sent back whole to change a part, only that part is shown.
    ///
    /// Throws ``MarketError`` if a secret is missing or this profile cannot express a value.
    package func describe(
        _ write: WriteRequest,
        sendingBack document: JSONValue? = nil
    ) throws(MarketError) -> RequestDescription {
        try wire.request(
            for: write,
            credentials: configuration.credentials,
            sendingBack: document,
            isHidden: configuration.hidesNewProducts
        )
    }

    /// Sends one writing request, once; see ``Market``.
    ///
    /// If parts of the product are sent back unchanged, it is read just before. If that read fails, the write is not
    /// sent.
    package func perform(_ write: WriteRequest) async -> WriteOutcome {
        let deleteKey = deleteKey(of: write)
        let sorter = WriteOutcomeClassifier(
            wire: wire,
            mask: deleteKey.isEmpty ? mask : mask.adding(deleteKey),
            base: base,
            write: write
        )
        if let outcome = await outcomeWhereTaken(write, sorter) { return outcome }
        var write = write
        var document: JSONValue?
        if let id = wire.productSentBack(by: write) {
            do {
                guard let (shown, product) = try await productSentBack(id) else {
                    return .refused(
                        WriteRefusal(.notFound, status: 404, message: "the market has no product \(id)")
                    )
                }
                document = shown
                write.kind = write.kind.following(product.values, but: wire.market.normalisedFields)
            } catch {
                return sorter.outcome(ofFailedRead: error)
            }
        }
        let request: RequestDescription
        let body: TransportBody
        do throws(MarketError) {
            request = try describe(write, sendingBack: document)
            if case .delete(_, nil) = write.kind, wire.deletesWithKey {
                throw MarketError(.refused, "\(wire.name) deletes only with a key")
            }
            if wire.lacksReferences(write) {
                throw MarketError(.refused, "a product's pictures cannot be sent before the market has them")
            }
            body = try request.transportBody(boundary: boundary(for: write))
        } catch {
            return sorter.outcome(ofOwnFault: error)
        }
        do throws(TransportFailure) {
            var sent = TransportRequest(request.method.rawValue, base + request.path)
            sent.headers = request.headers.map { ($0.name, $0.value.revealed) }
            sent.body = body
            if !deleteKey.isEmpty {
                sent.shownURL = base + SecretMask([], from: 3).adding(deleteKey).masked(request.path)
            }
            let reply = try await transport.send(sent, limit: configuration.replyByteLimit)
            noteShopPage(in: reply)
            return await confirmed(sorter.outcome(of: reply), status: reply.status, sorter)
        } catch {
            return sorter.outcome(of: error)
        }
    }

    /// The outcome of a successful reply that does not show the product's detail.
    private func confirmed(_ outcome: WriteOutcome, status: Int, _ sorter: WriteOutcomeClassifier) async -> WriteOutcome
    {
        guard (200..<300).contains(status), wire.endpoint(.detail) != nil else { return outcome }
        do {
            switch (sorter.write.kind, outcome) {
            case (.create, .succeeded(let reply))
            where wire.market.operations.create?.answer == .id && !wire.market.identity.absent.isEmpty:
                // Only the product shows that it counts as deleted.
                guard let id = reply.product?.id, try await countsAsDeleted(id) else { return outcome }
                return sorter.madeAbsent(id, status: status)
            case (.delete(let id, _), .uncertain) where profile.capabilities.readAfterWriteDelay == .zero:
                // An unknown message may mean success. A market may hide a product after a write, which proves neither
                // outcome.
                return try await presentDetail(id) == nil ? .succeeded(WriteReply()) : outcome
            default: return outcome
            }
        } catch {
            return outcome
        }
    }

    /// The outcome of a create with an id that the client chooses, if the request would replace an existing product.
    private func outcomeWhereTaken(_ write: WriteRequest, _ sorter: WriteOutcomeClassifier) async -> WriteOutcome? {
        guard case .create = write.kind, wire.market.identity.id.chosenBy == .us,
            wire.market.operations.create?.method == .put, wire.endpoint(.detail) != nil,
            let id = write.key.flatMap({ MarketID(text: $0) })
        else { return nil }
        do {
            guard try await presentDetail(id) != nil else { return nil }
            return .refused(WriteRefusal(.duplicate, status: 409, message: "the market has a product \(id) already"))
        } catch {
            return sorter.outcome(ofFailedRead: error)
        }
    }

    /// The SHA-256 of the request to send; `nil` for a request without a body, or one that cannot be built without the
    /// market.
    ///
    /// It covers the address but not the credentials, because a reader of the digest could guess them.
    package func bodyDigest(of write: WriteRequest) -> ContentDigest? {
        guard wire.productSentBack(by: write) == nil, !wire.lacksReferences(write),
            let request = try? describe(write),
            let body = try? request.transportBody(boundary: boundary(for: write), hidingSecrets: true),
            let type = body.contentType, var stream = body.stream(SendProgress())
        else { return nil }
        var hash = SHA256()
        hash.update(data: Array("\(request.method.rawValue) \(request.path)\n\(type)\n\n".utf8))
        do {
            while let piece = try stream.next() {
                unsafe piece.withUnsafeReadableBytes { unsafe hash.update(bufferPointer: $0) }
            }
        } catch {
            return nil
        }
        return ContentDigest(bytes: hash.finalize())
    }

    /// The whole product as the market shows it, for sending parts of it back.
    private func productSentBack(_ id: MarketID) async throws -> (document: JSONValue, product: LiveProduct)? {
        guard let read = try await presentDetail(id) else { return nil }
        // The text sent back is the market's own, not its digest.
        let reader = MarketWire(profile, base: base).details
        guard let product = try reader.read(read.body.readableBytesUInt8Span)?.product else { return nil }
        let answer = try JSONValue.parse(Array(read.body.readableBytesView))
        let document = wire.value(wire.market.operations.detail?.product ?? .whole, in: answer)
        return document.map { ($0, product) }
    }

    /// The boundary of a multipart request: if the request may be repeated, its key determines all its bytes.
    private func boundary(for write: WriteRequest) -> String {
        write.idempotencyKey.map(Boundary.following) ?? configuration.boundary ?? Boundary.random()
    }

    /// The secret that lets anyone delete the product, without the path before it; empty for other requests.
    private func deleteKey(of write: WriteRequest) -> [String] {
        guard case .delete(_, let key?) = write.kind else { return [] }
        let path = wire.productPath ?? ""
        return [key.hasPrefix(path) ? String(key.dropFirst(path.count)) : key]
    }
}

extension WriteRequest.Kind {
    /// The same update with the market's current values, so that these are sent back.
    ///
    /// A market's normalized text differs from the text it was sent, and would be normalized again. So a managed,
    /// normalized field whose desired value is already applied is sent as desired.
    func following(_ values: ProductValues, but normalised: Set<ProductField>) -> WriteRequest.Kind {
        guard case .update(let id, var update) = self else { return self }
        for field in ProductField.allCases where !(normalised.contains(field) && update.isApplied(field)) {
            update.live[field] = values[field] ?? update.live[field]
        }
        return .update(id, update)
    }
}

extension WriteOutcomeClassifier {
    /// The outcome if a product whose parts are sent back could not be read: the write was not sent.
    fileprivate func outcome(ofFailedRead error: any Error) -> WriteOutcome {
        guard let error = error as? MarketError else { return .notSent(WriteTrouble("cancelled")) }
        switch error.code {
        case .unreachable, .unreadable:
            return .notSent(WriteTrouble(error.message, isOverload: error.status == 429 || error.status == 503))
        case .credentials:
            return .refused(WriteRefusal(.credentials, status: error.status ?? 0, message: error.message))
        default: return .refused(WriteRefusal(.other, status: error.status ?? 0, message: error.message))
        }
    }
}

extension ProductUpdate {
    func isApplied(_ field: ProductField) -> Bool {
        !changed.contains(field) && live[field] != nil && live[field] == desired[field]
    }
}
