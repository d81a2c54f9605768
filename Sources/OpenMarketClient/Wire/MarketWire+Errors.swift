import FoundationEssentials
import NIOHTTP1
import OpenMarket
import OpenMarketDescription

/// The description's meaning of refusals, which takes precedence over the status.
extension MarketWire {
    /// Whether a rule can match a reply with this status, regardless of its content.
    func hasRule(for status: Int, of operation: MarketDescription.Operation) -> Bool {
        market.errors.rules.contains { $0.covers(status, operation) }
    }

    /// The meaning of the first rule that matches a reply; `nil` if none does.
    ///
    /// Rules use members of replies, never words in texts, and complete replies: a rule that was not evaluated does not
    /// mean that a request succeeded.
    func meaning(
        of reply: TransportReply,
        to operation: MarketDescription.Operation
    ) -> MarketDescription.ErrorRules.Meaning? {
        let rules = market.errors.rules
        guard !rules.isEmpty else { return nil }
        var body: JSONValue??
        for rule in rules {
            guard rule.covers(reply.status, operation) else { continue }
            if let condition = rule.condition {
                if body == nil { body = .some(try? JSONValue.parse(reply.bytes())) }
                guard let body, let body,
                    CompiledCondition.Test(condition, parameters).holds(value(condition.place, in: body))
                else { continue }
            }
            return rule.meaning
        }
        return nil
    }

    /// The value at a path of a document.
    ///
    /// Names in the description's spelling are preferred; with `isExact` only these count.
    func value(_ place: JSONPointer, in document: JSONValue, isExact: Bool = false) -> JSONValue? {
        place.value(in: document, parameters, isLoose: !isExact && market.names == .loose)
    }

    /// The number of products in the reply to the separate request for it.
    func total(in document: JSONValue) -> Int? {
        guard let place = market.list.total?.place, let value = value(place, in: document) else { return nil }
        let total = value.integer ?? value.text.flatMap { Int64(canonical: $0) }
        return total.flatMap { (0...1_000_000_000_000).contains($0) ? Int($0) : nil }
    }

    /// The name of an uploaded picture in the reply to its upload; `nil` if there is none.
    func reference(in reply: TransportReply) -> String? {
        guard let upload = market.pictures?.upload, reply.form != .webPage,
            let answer = try? JSONValue.parse(reply.bytes()), let value = value(upload.answer, in: answer)
        else { return nil }
        switch upload.kind {
        case .integer: return value.integer.map { String($0) }
        case .text:
            guard let text = value.text, (1...4096).contains(text.utf8.count),
                !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { return nil }
            return text
        }
    }

    /// The parts of a page's reply that are read besides its body, and kept with it for a later run.
    func pageReply(_ reply: TransportReply, number: Int, at address: PageAddress) -> KeptReply {
        KeptReply(
            number: number,
            request: address.kept,
            status: reply.status,
            headers: pages.headers.flatMap { name in
                reply.headers[name].map { KeptReply.Header(name: name, value: $0) }
            }
        )
    }

    func words(_ reply: TransportReply, masking mask: SecretMask) -> String? {
        let bytes = reply.bytes(upTo: ErrorText.limit)
        let places = market.errors.message
        var own: String?
        if !places.isEmpty, let body = try? JSONValue.parse(bytes) {
            own =
                places.lazy.compactMap { place in self.value(place, in: body)?.text.map { self.field(of: place) + $0 } }
                .first
        }
        return ErrorText.read(bytes, saying: own, masking: mask)
    }

    /// The field of a message in a list, from the member that has the list: `price: ` of `/price/0`.
    private func field(of place: JSONPointer) -> String {
        let names = place.names(parameters).suffix(2)
        guard names.count == 2, let name = names.first, let last = names.last, Int(last) != nil, Int(name) == nil,
            !["errors", "messages", "details", "detail"].contains(where: { name.lowercased().hasSuffix($0) })
        else { return "" }
        return name + ": "
    }

    func wait(in reply: TransportReply) -> Duration? {
        let wait = market.errors.wait
        // If the description defines the meaning of 'Retry-After', that applies instead.
        if wait?.header.lowercased() != "retry-after", let asked = reply.retryAfter { return asked }
        guard let wait, let text = reply.headers.first(name: wait.header)?.trimmed else {
            return nil
        }
        switch wait.unit {
        case .seconds: return RetryAfter.wait(text, date: nil)
        case .milliseconds: return RetryAfter.number(text).map { RetryAfter.wait(seconds: $0 / 1000) }
        case .date: return RetryAfter.wait(text, date: reply.headers.first(name: "Date"))
        case .epoch:
            guard let until = RetryAfter.number(text) else { return nil }
            let now =
                reply.headers.first(name: "Date").flatMap { RetryAfter.seconds(date: $0.trimmed) }.map(Double.init)
                ?? Date().timeIntervalSince1970
            return RetryAfter.wait(seconds: until - now)
        }
    }
}

extension MarketDescription.ErrorRules.Rule {
    /// Whether the rule applies to replies with this status to this operation.
    fileprivate func covers(_ status: Int, _ operation: MarketDescription.Operation) -> Bool {
        (statuses.isEmpty || statuses.contains(status)) && (operations.isEmpty || operations.contains(operation))
    }
}
