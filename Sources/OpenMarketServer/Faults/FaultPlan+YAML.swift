import YAML

extension FaultPlan {
    /// Reads a faults file in YAML or JSON.
    ///
    /// A ``ServerError`` has the position of the first mistake. The file's name is for messages.
    package init(yaml bytes: [UInt8], file: String) throws {
        let root = try YAMLFile(bytes, file: file)
        try root.allow(["seed", "rules"])
        self.init(
            seed: UInt64(try root["seed"]?.integer() ?? 0),
            rules: try root["rules"]?.list().map(FaultRule.init) ?? []
        )
    }
}

extension FaultRule {
    fileprivate init(_ entry: YAMLFile) throws {
        try entry.allow(["method", "path", "nth", "probability", "times", "fault"])
        var nth: Set<Int>?
        if let given = entry["nth"] {
            nth =
                given.node.items == nil
                ? [try given.integer(in: 1...Int.max)]
                : Set(try given.list().map { try $0.integer(in: 1...Int.max) })
        }
        var probability = 1.0
        if let given = entry["probability"] {
            guard let value = given.node.text.flatMap({ Double($0) }), (0...1).contains(value) else {
                throw given.fault("a probability from 0 to 1 is expected")
            }
            probability = value
        }
        self.init(
            method: try entry["method"]?.text(),
            path: try entry["path"]?.text(),
            nth: nth,
            probability: probability,
            times: try entry["times"]?.integer(),
            fault: try Fault(entry.required("fault"))
        )
    }
}

extension Fault {
    fileprivate init(_ entry: YAMLFile) throws {
        let kinds: [(key: String, options: [String], read: (YAMLFile) throws -> Fault)] = [
            ("latency", [], { .latency(try $0.duration()) }),
            (
                "status", ["when", "retry_after", "retry_after_date"],
                {
                    .status(
                        try $0.integer(in: 200...599),
                        retryAfter: try Self.retryAfter(entry),
                        try Self.moment(entry)
                    )
                }
            ),
            ("cut", ["after_bytes"], { try Self.cut($0, entry) }),
            ("truncate", [], { .truncate(bytes: try $0.integer()) }),
            (
                "slow", ["pause"],
                {
                    let pause = try entry.required("pause").duration()
                    return .slow(chunkBytes: try $0.integer(in: 1...Int.max), pause: pause)
                }
            ),
            ("page", [], { .page(try Self.moment($0)) }),
            ("unsettled", [], { .unsettled(reads: try $0.integer(in: 0...10_000)) }),
            ("appear", [], { .appear(rows: try $0.integer(in: 0...10_000)) }),
            ("vanish", [], { .vanish(rows: try $0.integer(in: 0...10_000)) }),
        ]
        let found = kinds.filter { entry[$0.key] != nil }
        guard found.count == 1, let kind = found.first, let value = entry[kind.key] else {
            throw entry.fault("one fault is expected: \(kinds.map(\.key).joined(separator: ", "))")
        }
        try entry.allow([kind.key] + kind.options)
        self = try kind.read(value)
    }

    private static func cut(_ value: YAMLFile, _ entry: YAMLFile) throws -> Fault {
        switch try value.text() {
        case "before": return .cut(.before)
        case "after": return .cut(.after)
        case "reply": return .cutReply(afterBytes: try entry["after_bytes"]?.integer() ?? 0)
        default: throw value.fault("'before', 'reply' or 'after' is expected")
        }
    }

    private static func moment(_ entry: YAMLFile) throws -> Moment {
        guard let value = entry.node.pairs == nil ? entry : entry["when"] else { return .before }
        guard let moment = Moment(rawValue: try value.text()) else {
            throw value.fault("'before' or 'after' is expected")
        }
        return moment
    }

    private static func retryAfter(_ entry: YAMLFile) throws -> RetryAfter? {
        let seconds = try entry["retry_after"]?.integer()
        // The year of an HTTP date has four digits.
        let date = try entry["retry_after_date"]?.integer(in: 0...1_000_000_000)
        if seconds != nil, date != nil { throw entry.fault("'retry_after' and 'retry_after_date' exclude each other") }
        return seconds.map { .seconds($0) } ?? date.map { .date(secondsAhead: $0) }
    }
}
