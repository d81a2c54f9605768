@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketClient

// What a drawn market answers, as bytes of its own writing, and as the tool reads them: replies to what writes, refusals, and the
// list. And what is asked for by an address alone, read from it.
extension WireModel {
    // MARK: - Replies to what writes

    /// A reply as the tool reads it, of what the market did or did not.
    func read(_ outcome: WriteOutcome, to request: WriteRequest) -> WriteOutcome {
        WriteSorter(wire: wire, mask: SecretMask([Secret]()), base: "http://market.invalid", write: request)
            .outcome(of: reply(outcome, to: request))
    }

    private func reply(_ outcome: WriteOutcome, to request: WriteRequest) -> TransportReply {
        func error(_ status: Int, _ message: String, _ code: String? = nil, wait: Duration? = nil) -> TransportReply {
            var body = JSONValue.object([.init("error", .string(message))])
            if let code { body.set(.string(code), at: ["code"]) }
            let seconds = wait.map { "\(Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18)" }
            return TransportReply(
                status: status,
                headers: [("Content-Type", "application/json")] + (seconds.map { [("Retry-After", $0)] } ?? []),
                body: body.bytes()
            )
        }
        switch outcome {
        case .succeeded(let reply): return success(reply, to: request)
        case .refused(let refusal):
            switch refusal.kind {
            case .notFound: return error(404, refusal.message)
            case .duplicate: return error(422, refusal.message, "taken")
            case .denied: return error(403, refusal.message)
            case .credentials, .other: return error(400, refusal.message)
            }
        case .notSent(let trouble) where trouble.isOverload:
            return error(429, trouble.message, wait: trouble.retryAfter)
        case .notSent(let trouble): return error(409, trouble.message, "busy", wait: trouble.retryAfter)
        case .uncertain(let trouble): return error(500, trouble.message)
        }
    }

    private func success(_ reply: WriteReply, to request: WriteRequest) -> TransportReply {
        switch request.kind {
        case .delete: return TransportReply(status: 204)
        case .deleteKey: return TransportReply(status: 200, body: Array("\"\(reply.deleteKey ?? "")\"".utf8))
        case .upload:
            let reference = JSONValue.object([.init("ref", .string(reply.reference ?? ""))])
            return TransportReply(status: 201, body: reference.bytes())
        case .create, .update, .attach, .proveOwnership:
            guard let product = reply.product else { return TransportReply(status: 204) }
            let document = document(of: product, version: 1)
            let body = form.isWrapped ? JSONValue.object([.init("data", document)]) : document
            let status = request.step == .create ? 201 : 200
            return TransportReply(status: status, headers: [("Content-Type", "application/json")], body: body.bytes())
        }
    }

    // MARK: - The list

    /// Products as the tool reads them in the list, which leaves out what its description says.
    func list(_ rows: [(product: LiveProduct, version: Int)]) throws -> [LiveProduct] {
        let omitted = drawn.omits.map { $0 == .images ? "pictures" : member($0) }
        let elements = rows.map { row in
            let members = document(of: row.product, version: row.version).members ?? []
            return JSONValue.object(members.filter { !omitted.contains($0.name) })
        }
        var read = ProductRows()
        let bytes = JSONValue.array(elements).bytes()
        let page = try PageReader(wire, page: 1).read(PageReply(status: 200), bytes.span, collecting: &read)
        guard page.isPage, page.rowCount == rows.count, read.products.count == rows.count else {
            throw SentBody.Fault("\(read.products.count) of \(rows.count) rows are read")
        }
        return read.products
    }

    // MARK: - Addresses

    /// What a request does that it is not to do, as its method, its address and its headers say; its body apart.
    func addressFaults(of request: WriteRequest, _ made: RequestDescription) -> [String] {
        let parts = made.path.split(separator: "/").map { SentBody.unescaped(String($0)) }
        let said = ([made.method.rawValue] + parts).joined(separator: " ")
        let id = request.product?.description ?? request.key ?? ""
        let change = form.sending == .changed ? "PATCH" : "PUT"
        let wanted =
            switch request.kind {
            case .create: drawn.ids == .chosen ? "PUT products \(id)" : "POST products"
            case .update, .proveOwnership: "\(change) products \(id)"
            case .upload: "POST uploads"
            case .attach: "POST products \(id) pictures"
            case .deleteKey: "POST products \(id) key"
            case .delete(_, let key): "DELETE products \(key ?? id)"
            }
        var faults = said == wanted ? [] : ["'\(said)' instead of '\(wanted)'"]
        let repeatKey = made.headers.first { $0.name == "Once" }.map { $0.value.revealed }
        if drawn.repeatHours != nil, request.step == .create, repeatKey != request.repeatKey {
            faults.append("a create whose key is \(repeatKey ?? "missing")")
        }
        return faults
    }
}
