import OpenMarket

extension OperationProgress {
    /// The columns of a fact; all of them are NULL if there is none.
    static let factColumns = """
        e.number, e.status, e.step, e.product, e.message, \(StateTables.milliseconds("e.at")), \
        e.repeat_key, e.body_digest, e.picture_references
        """

    /// Applies the fact of a row that has ``factColumns``.
    private mutating func take(_ row: QueryRow, from column: Int) throws {
        guard let number = try row.integerIfPresent(column) else { return }
        try take(JournalEvent.Fact(row, from: column), number: Int(number), at: row.timestamp(column + 5))
    }

    /// Combines the facts of each operation, and passes them with its first row.
    ///
    /// There is a row for each fact, and rows of one operation are adjacent; `column` is the first of ``factColumns``.
    /// Throws ``UnreadableValue`` and the errors of `operation`.
    static func grouped(
        _ rows: [QueryRow],
        by operation: (QueryRow) throws -> (run: String, sequence: Int),
        from column: Int
    ) throws -> [(QueryRow, OperationProgress)] {
        var groups: [(row: QueryRow, progress: OperationProgress)] = []
        var current: (run: String, sequence: Int)?
        for row in rows {
            let next = try operation(row)
            if current.map({ $0 == next }) != true { groups.append((row, OperationProgress())) }
            try groups[groups.count - 1].progress.take(row, from: column)
            current = next
        }
        return groups
    }
}

extension JournalEvent.Fact {
    fileprivate init(_ row: QueryRow, from column: Int) throws {
        let product = try row.productIfPresent(column + 3)
        let message = row.textIfPresent(column + 4)
        func step() throws -> RequestStep {
            guard let step = try row.stepIfPresent(column + 2) else { throw UnreadableValue.missing }
            return step
        }
        switch try row.status(column + 1) {
        case .sent:
            self = .sent(try step(), highWater: product, fingerprint: try RequestFingerprint(row, from: column + 6))
        case .advanced: self = .advanced(try step(), created: product)
        case .unknown: self = .unknown(try step(), message ?? "", answered: product)
        case .succeeded: self = .succeeded(product, note: message)
        case .failed: self = .failed(message ?? "")
        case .skipped: self = .skipped(message ?? "")
        case .intended: throw UnreadableValue(reason: "a fact has a status that no fact has")
        }
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
