import OpenMarket

/// A row of either database; columns are counted from 0.
///
/// A value of another type than its column's is damage and is never replaced by a default.
protocol StateRow {
    func textIfPresent(_ column: Int) throws -> String?
    func integerIfPresent(_ column: Int) throws -> Int64?
    func productIfPresent(_ column: Int) throws -> MarketID?
    func flag(_ column: Int) throws -> Bool
}

/// A value in the state is missing or cannot be read.
struct UnreadableValue: Error {
    /// The reason as a clause.
    var reason: String

    static let missing = UnreadableValue(reason: "a value is missing")
}

extension StateRow {
    func text(_ column: Int) throws -> String {
        guard let text = try textIfPresent(column) else { throw UnreadableValue.missing }
        return text
    }

    func integer(_ column: Int) throws -> Int64 {
        guard let number = try integerIfPresent(column) else { throw UnreadableValue.missing }
        return number
    }

    func int(_ column: Int) throws -> Int { Int(try integer(column)) }

    /// Reads a column in milliseconds.
    func timestamp(_ column: Int) throws -> Timestamp { Timestamp(milliseconds: try integer(column)) }

    func timestampIfPresent(_ column: Int) throws -> Timestamp? {
        try integerIfPresent(column).map(Timestamp.init(milliseconds:))
    }

    func product(_ column: Int) throws -> MarketID {
        guard let id = try productIfPresent(column) else {
            throw UnreadableValue(reason: "the id of a product is missing")
        }
        return id
    }

    func digestIfPresent(_ column: Int) throws -> ContentDigest? {
        try textIfPresent(column).flatMap(ContentDigest.init(hexadecimal:))
    }

    func status(_ column: Int) throws -> OperationStatus {
        guard let status = OperationStatus(rawValue: try text(column)) else {
            throw UnreadableValue(reason: "an operation has a status that does not exist")
        }
        return status
    }

    func stepIfPresent(_ column: Int) throws -> RequestStep? {
        try textIfPresent(column).map { text in
            guard let step = RequestStep(rawValue: text) else {
                throw UnreadableValue(reason: "an operation names a step that does not exist")
            }
            return step
        }
    }
}

extension KnownMarket {
    /// The columns of a market, followed by its number of products.
    static let columns = "url, profile, parameters, identifier"

    init(_ row: some StateRow) throws {
        let identifier = try row.text(3)
        guard let parameters = MarketParameters.values(try row.text(2)),
            identifier.isEmpty || ContentDigest(hexadecimal: identifier) != nil
        else { throw UnreadableValue(reason: "it names a market that cannot be") }
        let scope = MarketScope(
            url: try row.text(0),
            name: try row.text(1),
            parameters: parameters,
            identifier: ContentDigest(hexadecimal: identifier)
        )
        self.init(scope: scope, products: try row.int(4))
    }
}

extension MarketScope {
    /// The values of ``KnownMarket/columns``, which distinguish markets.
    var columns: [String] { [url, name, MarketParameters.text(parameters), identifier?.hexadecimal ?? ""] }
}

extension RunRecord {
    static let columns =
        "id, manifest, tool, overrides, reason, approver, description, decided_by, rejected, decisions"

    /// The values of ``columns``.
    var values: [String?] {
        let decisions = approval?.decisions
        return [
            id.rawValue, manifest?.hexadecimal, tool, approval?.policies.joined(separator: " "), approval?.reason,
            approval?.user, description?.hexadecimal, decisions?.by, decisions.map { String($0.rejected) },
            decisions?.file.hexadecimal,
        ]
    }
}

extension RunTotals {
    static let columns = "done, failed, stale, skipped, unknown"

    /// The values of ``columns``.
    var values: [Int] { [done, failed, stale, skipped, unknown] }
}

extension RunSummary {
    /// The columns of a run, followed by the counts of its operations and unresolved operations, then start and end.
    static let columns = "\(RunRecord.columns), interrupted, \(RunTotals.columns)"

    init(_ row: some StateRow) throws {
        var totals = RunTotals()
        totals.done = try row.int(11)
        totals.failed = try row.int(12)
        totals.stale = try row.int(13)
        totals.skipped = try row.int(14)
        totals.unknown = try row.int(15)
        let approval = try row.textIfPresent(3).map { policies in
            RunApproval(
                policies: policies.split(separator: " ").map(String.init),
                reason: try row.textIfPresent(4),
                user: try row.textIfPresent(5) ?? "",
                decisions: try row.digestIfPresent(9).map { file in
                    RunDecisions(by: try row.text(7), rejected: try row.int(8), file: file)
                }
            )
        }
        self.init(
            record: RunRecord(
                id: RunID(rawValue: try row.text(0)),
                manifest: try row.digestIfPresent(1),
                tool: try row.text(2),
                approval: approval,
                description: try row.digestIfPresent(6)
            ),
            startedAt: try row.timestamp(18),
            finishedAt: try row.timestampIfPresent(19),
            interrupted: try row.flag(10),
            totals: totals,
            operations: try row.int(16),
            unresolved: try row.int(17)
        )
    }
}

extension RequestFingerprint {
    /// Reads the idempotency key, the digest of the body, and the names of the pictures; `nil` if there is none of them.
    init?(_ row: some StateRow, from column: Int) throws {
        let (key, digest) = (try row.textIfPresent(column), try row.digestIfPresent(column + 1))
        let references = try row.textIfPresent(column + 2)
        guard key != nil || digest != nil || references != nil else { return nil }
        self.init(
            idempotencyKey: key,
            digest: digest,
            references: try [String](
                document: DocumentValue(JSONValue.parse(Array((references ?? "[]").utf8)), at: "picture_references")
            )
        )
    }

    var referencesText: String {
        String(decoding: JSONValue.array(references.map(JSONValue.string)).bytes(), as: UTF8.self)
    }
}
