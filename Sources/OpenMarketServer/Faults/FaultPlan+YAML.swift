import YAML

extension FaultPlan {
    /// Reads a faults file in YAML or JSON.
    ///
    /// A ``ServerError`` has the position of the first mistake. The file's name is for messages.
    package init(yaml bytes: [UInt8], file: String) throws(ServerError) {
        self = try Self.table.read(bytes, file: file)
    }

    private static var table: Section<FaultPlan> {
        Section(
            "faults",
            FaultPlan(),
            [
                .standard("seed", \.seed, Shape<Int>.whole(0...Int.max).map { UInt64($0) }),
                .standard("rules", \.rules, .list(.section(FaultRule.table), least: 0, most: .max)),
            ]
        )
    }
}

extension FaultRule {
    fileprivate static var table: Section<FaultRule> {
        Section(
            "rule",
            FaultRule(fault: .cut(.before)),
            [
                .optional("method", \.method, .written("a method")),
                .optional("path", \.path, .written("a path")),
                .optional("nth", \.nth, Shape<[Int]>.oneOrMore(.whole(1...Int.max), most: .max).map { Set($0) }),
                .standard(
                    "probability",
                    \.probability,
                    .written("a probability from 0 to 1") { Double($0).flatMap { (0...1).contains($0) ? $0 : nil } }
                ),
                .optional("times", \.times, .whole(0...Int.max)),
                .required("fault", \.fault, Shape<FaultKeys>.section(FaultKeys.table).map(\.whole)),
            ]
        )
    }
}

/// The keys of a fault: the one for its kind, and its further keys.
private struct FaultKeys {
    var kind = Fault.cut(.before)
    var moment = Fault.Moment.before
    var retryAfter: Fault.RetryAfter?
    var afterBytes = 0
    var pause = Duration.zero

    private enum Cut: String, ClosedList { case before, reply, after }

    static var table: Section<FaultKeys> {
        let kinds: [SectionKey<FaultKeys>] = [
            SectionKey("latency", .duration) { $0.kind = .latency($1) },
            SectionKey("status", .whole(200...599)) { $0.kind = .status($1, retryAfter: nil, .before) },
            SectionKey("cut", Shape<Cut>.choice) { keys, cut in
                switch cut {
                case .before: keys.kind = .cut(.before)
                case .reply: keys.kind = .cutReply(afterBytes: 0)
                case .after: keys.kind = .cut(.after)
                }
            },
            SectionKey("truncate", .whole(0...Int.max)) { $0.kind = .truncate(bytes: $1) },
            SectionKey("slow", .whole(1...Int.max)) { $0.kind = .slow(chunkBytes: $1, pause: .zero) },
            SectionKey("page", .choice) { $0.kind = .page($1) },
            SectionKey("unsettled", .whole(0...10_000)) { $0.kind = .unsettled(reads: $1) },
            SectionKey("appear", .whole(0...10_000)) { $0.kind = .appear(rows: $1) },
            SectionKey("vanish", .whole(0...10_000)) { $0.kind = .vanish(rows: $1) },
        ]
        return Section(
            "fault",
            FaultKeys(),
            kinds + [
                .standard("when", \.moment, .choice),
                SectionKey("retry_after", .whole(0...Int.max)) { $0.retryAfter = .seconds($1) },
                // The year of an HTTP date has four digits.
                SectionKey("retry_after_date", .whole(0...1_000_000_000)) { $0.retryAfter = .date(secondsAhead: $1) },
                .standard("after_bytes", \.afterBytes, .whole(0...Int.max)),
                .standard("pause", \.pause, .duration),
            ],
            rules: [
                .exactlyOne(kinds.map(\.name)), .needs("when", "status"), .needs("retry_after", "status"),
                .needs("retry_after_date", "status"), .atMostOne(["retry_after", "retry_after_date"]),
                .needs("after_bytes", "cut"), .needs("slow", "pause"), .needs("pause", "slow"),
            ]
        )
    }

    var whole: Fault {
        switch kind {
        case .status(let status, _, _): .status(status, retryAfter: retryAfter, moment)
        case .cutReply: .cutReply(afterBytes: afterBytes)
        case .slow(let bytes, _): .slow(chunkBytes: bytes, pause: pause)
        default: kind
        }
    }
}

extension Shape where Value == Duration {
    fileprivate static var duration: Shape {
        .written("a duration such as 250ms or 2s") { text in
            if text.hasSuffix("ms"), let milliseconds = Double(text.dropLast(2)), (0...1e9).contains(milliseconds) {
                return .milliseconds(milliseconds)
            }
            if text.hasSuffix("s"), let seconds = Double(text.dropLast()), (0...1e6).contains(seconds) {
                return .seconds(seconds)
            }
            return nil
        }
    }
}
