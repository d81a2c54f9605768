import OpenMarket

/// Facts as a JSON array of objects keyed by column name, without NUL in their texts.
struct FactRows {
    private var writer = JSONWriter()
    private(set) var count = 0

    init(_ events: some Sequence<JournalEvent> = [], _ known: [RunID: KnownRun] = [:]) {
        for event in events {
            add(event.fact, event.sequence, event.number) { $0.member("run", known[event.run]?.number ?? 0) }
        }
    }

    var json: [UInt8] { Array("[".utf8) + writer.bytes + Array("]".utf8) }

    mutating func add(
        _ fact: JournalEvent.Fact,
        _ sequence: Int,
        _ number: Int,
        _ further: (inout JSONWriter) -> Void
    ) {
        count += 1
        writer.object { writer in
            further(&writer)
            writer.member("sequence", sequence)
            writer.member("number", number)
            fact.writeColumns(to: &writer)
        }
    }
}

extension JournalEvent.Fact {
    /// Writes the columns of the fact; absent values are omitted, because the server reads each member.
    fileprivate func writeColumns(to writer: inout JSONWriter) {
        func write(_ step: RequestStep?, _ product: MarketID?) {
            if let step { writer.member("step", step.rawValue) }
            if let product { writer.member("product", product.column) }
        }
        writer.member("status", status.rawValue)
        if let message { writer.member("message", message.withoutNUL) }
        switch self {
        case .sent(let step, let highWater, let fingerprint):
            write(step, highWater)
            guard let fingerprint else { return }
            writer.member("repeat_key", fingerprint.idempotencyKey?.withoutNUL)
            writer.member("body_digest", fingerprint.digest?.hexadecimal)
            writer.member("picture_references", fingerprint.referencesText)
        case .advanced(let step, let created): write(step, created)
        case .succeeded(let product, _): write(nil, product)
        case .unknown(let step, _, let answered): write(step, answered)
        case .failed, .skipped: break
        }
    }
}
