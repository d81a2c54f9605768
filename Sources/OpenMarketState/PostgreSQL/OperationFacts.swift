import OpenMarket

/// The combined facts about an operation.
struct OperationFacts {
    /// The columns of a fact; all of them NULL if there is none.
    static let columns = """
        e.number, e.status, e.step, e.product, e.message, \(StateTables.milliseconds("e.at")), \
        e.repeat_key, e.body_digest, e.picture_references
        """

    private(set) var count = 0
    private(set) var status = OperationStatus.intended
    /// The last step whose request was sent, or that succeeded.
    private(set) var step: RequestStep?
    /// The newest product known before a create was sent.
    private(set) var highWater: MarketID?
    private(set) var created: MarketID?
    /// The product in a reply to a create that could not be accepted as the new one.
    private(set) var answered: MarketID?
    private(set) var message: String?
    private(set) var sentAt: Timestamp?
    private(set) var imprint: RequestImprint?
    private(set) var imprintedAt: Timestamp?

    /// Whether a later run sent the request again, and was killed before it received an answer.
    func wasSentAgain(after end: Timestamp?) -> Bool {
        guard status == .sent, let sentAt, let end else { return false }
        return sentAt > end
    }

    /// Takes the next fact.
    private mutating func take(_ row: QueryRow, from column: Int32) throws {
        guard let number = try row.integerIfPresent(column) else { return }
        guard let status = OperationStatus(rawValue: try row.text(column + 1)) else {
            throw UnreadableValue(reason: "an operation has a status that does not exist")
        }
        let step = try row.textIfPresent(column + 2).map { text in
            guard let step = RequestStep(rawValue: text) else {
                throw UnreadableValue(reason: "an operation names a step that does not exist")
            }
            return step
        }
        let product = try row.productIfPresent(column + 3)
        let time = try row.timestamp(column + 5)
        count = Int(number)
        self.status = status
        self.step = step ?? self.step
        message = row.textIfPresent(column + 4)
        switch status {
        case .sent:
            highWater = product ?? highWater
            sentAt = time
            try take(imprint: row, from: column + 6, at: time)
        case .advanced:
            created = product ?? created
            sentAt = sentAt ?? time
        case .unknown:
            answered = product ?? answered
            sentAt = sentAt ?? time
        case .succeeded: created = product ?? created
        case .intended, .failed, .skipped: break
        }
    }

    private mutating func take(imprint row: QueryRow, from column: Int32, at time: Timestamp) throws {
        guard let references = row.textIfPresent(column + 2) else { return }
        let imprint = RequestImprint(
            repeatKey: row.textIfPresent(column),
            digest: row.textIfPresent(column + 1).flatMap(ContentDigest.init(hexadecimal:)),
            references: try [String](
                document: DocumentValue(JSONValue.parse(Array(references.utf8)), at: "picture_references")
            )
        )
        if imprintedAt == nil || imprint.repeatKey != self.imprint?.repeatKey { imprintedAt = time }
        self.imprint = imprint
    }

    /// Combines the facts of each operation, and gives its first row with them.
    ///
    /// There is a row for each fact, with those of an operation in sequence; `column` is the first of ``columns``.
    /// Throws ``UnreadableValue`` and the errors of `operation`.
    static func grouped(
        _ rows: [QueryRow],
        by operation: (QueryRow) throws -> (run: String, sequence: Int),
        from column: Int32
    ) throws -> [(QueryRow, OperationFacts)] {
        var groups: [(row: QueryRow, facts: OperationFacts)] = []
        var current: (run: String, sequence: Int)?
        for row in rows {
            let next = try operation(row)
            if let current, current == next {
                try groups[groups.count - 1].facts.take(row, from: column)
            } else {
                var facts = OperationFacts()
                try facts.take(row, from: column)
                groups.append((row, facts))
                current = next
            }
        }
        return groups
    }
}

extension OperationRow {
    /// The parts as lines of one column: this JSON contains no line breaks.
    var column: String {
        [payload, details ?? "", contents?.wanted ?? "", contents?.pictures ?? ""].joined(separator: "\n")
    }

    init(column: String) {
        let lines = column.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        func line(_ index: Int) -> String? { index < lines.count && !lines[index].isEmpty ? lines[index] : nil }
        self.init(
            payload: lines[0],
            details: line(1),
            contents: line(2).map { CreateContents(wanted: $0, pictures: line(3)) }
        )
    }
}
