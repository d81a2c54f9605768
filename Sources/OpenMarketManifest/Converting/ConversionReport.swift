/// What a conversion did not carry over, and why.
public struct ConversionReport: Sendable {
    /// Several things of one kind.
    private struct Finding: Sendable {
        var count = 0
        var examples: [String] = []
    }

    /// How many products were written.
    public internal(set) var productCount = 0
    private var left: [String: Finding] = [:]
    private var changed: [String: Finding] = [:]
    /// The columns that hold something, and that a manifest has no place for.
    public internal(set) var unusedColumns: [String] = []
    /// The pictures that are not there, by their addresses.
    public private(set) var missingPictures: [String] = []
    private var missed: [String: Finding] = [:]
    private var missedNames: Set<String> = []

    /// So many examples are named.
    private static let mostExamples = 3

    init() {}

    /// A row that makes no product.
    mutating func leaveOut(_ row: Int, _ name: String, because reason: String) {
        Self.note("row \(row)\(name.isEmpty ? "" : " '\(name.excerpt)'")", &left[reason, default: Finding()])
    }

    /// A product that has something else than its row.
    mutating func change(_ key: String, _ what: String) { Self.note("'\(key)'", &changed[what, default: Finding()]) }

    /// A picture that is not carried over, told once.
    mutating func miss(_ name: String, because reason: String) {
        guard missedNames.insert(name).inserted else { return }
        missingPictures.append(name)
        Self.note(name, &missed[reason, default: Finding()])
    }

    private static func note(_ example: String, _ finding: inout Finding) {
        finding.count += 1
        if finding.examples.count < mostExamples { finding.examples.append(example) }
    }

    /// How many rows made no product.
    public var leftOutCount: Int { left.values.reduce(0) { $0 + $1.count } }

    /// The report, a line for each kind of thing that was left out.
    public var lines: [String] {
        func lines(_ findings: [String: Finding], _ what: String) -> [String] {
            findings.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map { reason, finding in
                let more = finding.count > finding.examples.count ? ", …" : ""
                return "\(finding.count) \(finding.count == 1 ? what : what + "s"): \(reason)"
                    + " (\(finding.examples.joined(separator: ", "))\(more))"
            }
        }
        var all = lines(left, "row").map { "left out " + $0 } + lines(changed, "product").map { "changed " + $0 }
        all += lines(missed, "picture").map { "left out " + $0 }
        if !unusedColumns.isEmpty {
            all.append(
                "left out \(unusedColumns.count) column\(unusedColumns.count == 1 ? "" : "s"): a manifest has no place for \(unusedColumns.listed("and"))"
            )
        }
        return all
    }
}
