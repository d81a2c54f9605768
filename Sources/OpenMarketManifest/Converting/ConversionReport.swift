package import OpenMarket

package struct ConversionReport: Sendable {
    package struct Finding: Sendable {
        /// The reason, or the action taken.
        package var reason: String
        /// How to change that for all occurrences.
        var help: String?
        package var count = 0
        /// The first occurrences, as the user can find them: rows, keys, addresses.
        package var examples: [String] = []
    }

    package var productCount = 0
    private var left: [String: Finding] = [:]
    private var changed: [String: Finding] = [:]
    /// The columns with content that a manifest cannot express.
    package var unusedColumns: [String] = []
    /// The columns that a mapping file names but the table lacks.
    package var absentColumns: [String] = []
    /// The addresses of missing pictures.
    package private(set) var missingPictures: [String] = []
    private var missed: [String: Finding] = [:]
    private var missedNames: Set<String> = []

    /// The largest number of examples.
    private static let mostExamples = 3

    init() {}

    /// Reports a row that yields no product.
    mutating func leaveOut(_ row: Int, _ name: String, because reason: String, help: String? = nil) {
        Self.note("row \(row)\(name.isEmpty ? "" : " '\(name.excerpt)'")", reason, &left)
        if left[reason]?.help == nil { left[reason]?.help = help }
    }

    /// Reports a product that differs from its row.
    mutating func change(_ key: String, _ what: String, _ how: [String] = []) {
        Self.note("'\(key)'" + (how.isEmpty ? "" : ": " + how.joined(separator: ", ")), what, &changed)
    }

    /// Reports a picture that is not carried over, once.
    mutating func miss(_ name: String, because reason: String) {
        guard missedNames.insert(name).inserted else { return }
        missingPictures.append(name)
        Self.note(name, reason, &missed)
    }

    private static func note(_ example: String, _ reason: String, _ findings: inout [String: Finding]) {
        findings[reason, default: Finding(reason: reason)].count += 1
        if let count = findings[reason]?.examples.count, count < mostExamples {
            findings[reason]?.examples.append(example)
        }
    }

    private static func sorted(_ findings: [String: Finding]) -> [Finding] {
        findings.values.sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
    }

    /// The rows that yielded no product, by reason.
    package var leftOut: [Finding] { Self.sorted(left) }

    /// What to do about rows that were left out.
    package var helps: [String] { leftOut.compactMap(\.help) }

    /// The products that differ from their rows.
    package var changes: [Finding] { Self.sorted(changed) }

    /// The pictures that were left out, by reason.
    package var picturesLeftOut: [Finding] { Self.sorted(missed) }

    /// The number of rows that yielded no product.
    package var leftOutCount: Int { left.values.reduce(0) { $0 + $1.count } }

    /// The report, with a line for each kind of omission.
    package var lines: [String] {
        func lines(_ findings: [Finding], _ what: String) -> [String] {
            findings.map { finding in
                let more = finding.count > finding.examples.count ? ", …" : ""
                return "\(counted(finding.count, what)): \(finding.reason)"
                    + " (\(finding.examples.joined(separator: ", "))\(more))"
            }
        }
        var all = lines(leftOut, "row").map { "left out " + $0 } + lines(changes, "product").map { "changed " + $0 }
        all += lines(picturesLeftOut, "picture").map { "left out " + $0 }
        if !unusedColumns.isEmpty {
            all.append(
                "left out \(counted(unusedColumns.count, "column")): a manifest cannot hold \(unusedColumns.listed("and"))"
            )
        }
        if !absentColumns.isEmpty {
            let columns = absentColumns.map { "'\($0)'" }.listed("and")
            all.append("the mapping names \(columns), which the table lacks")
        }
        return all
    }
}

extension ConversionReport {
    /// The report as JSON; an empty manifest path means standard output.
    package func document(table: String, manifest: String, fetched: Int) -> JSONValue {
        func findings(_ findings: [Finding]) -> JSONValue {
            .array(
                findings.map { finding in
                    .object(
                        of: ("reason", .string(finding.reason)),
                        ("count", .integer(Int64(finding.count))),
                        ("examples", .array(finding.examples.map(JSONValue.string)))
                    )
                }
            )
        }
        return .object(
            of: ("format_version", .formatVersion),
            ("table", .string(table)),
            ("manifest", .string(manifest)),
            ("products", .integer(Int64(productCount))),
            ("rows_left_out", .integer(Int64(leftOutCount))),
            ("pictures_fetched", .integer(Int64(fetched))),
            ("left_out", findings(leftOut)),
            ("changed", findings(changes)),
            ("pictures_left_out", findings(picturesLeftOut)),
            ("columns_left_out", .array(unusedColumns.map(JSONValue.string))),
            ("columns_absent", .array(absentColumns.map(JSONValue.string)))
        )
    }
}
