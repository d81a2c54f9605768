import OpenMarket

/// Facts as a JSON array of objects keyed by column name, without NUL in their texts.
struct FactRows {
    let json: [UInt8]

    /// The facts about known runs.
    init(_ events: some Sequence<JournalEvent>, _ known: [RunID: KnownRun]) {
        var writer = JSONWriter()
        writer.array { writer in
            for event in events { Self.write(event, run: known[event.run]?.number ?? 0, to: &writer) }
        }
        json = writer.bytes
    }

    private static func write(_ event: JournalEvent, run: Int64, to writer: inout JSONWriter) {
        let fact = FactRow(event.fact)
        writer.object { writer in
            writer.member("run", run)
            writer.member("sequence", event.sequence)
            writer.member("number", event.number)
            writer.member("status", fact.status.rawValue)
            // Absent values are left out, because the server reads each member.
            if let step = fact.step { writer.member("step", step.rawValue) }
            if let product = fact.product { writer.member("product", product.column) }
            if let message = fact.message { writer.member("message", message.withoutNUL) }
            guard let imprint = fact.imprint else { return }
            let references = JSONValue.array(imprint.references.map(JSONValue.string))
            writer.member("repeat_key", imprint.repeatKey?.withoutNUL)
            writer.member("body_digest", imprint.digest?.hexadecimal)
            writer.member("picture_references", String(decoding: references.bytes(), as: UTF8.self))
        }
    }
}
