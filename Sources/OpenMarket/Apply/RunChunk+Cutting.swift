extension RunChunk {
    /// Cuts operations into parts that sessions carry out one at a time.
    ///
    /// In the plan's order, phase by phase. An operation whose product has the name of an earlier one goes into that one's part,
    /// be it a replace into one of creates: which of two equal products a lost create made can be found out only by whoever
    /// made both.
    ///
    /// - Parameters:
    ///   - operations: All operations of a run.
    ///   - size: How many operations a part has at most, twins apart.
    ///   - isShared: Whether an operation, by its index, may be any session's.
    /// - Returns: The parts, phase by phase.
    static func cut(
        _ operations: [PlannedOperation],
        size: Int,
        where isShared: (Int) -> Bool = { _ in true }
    ) -> [RunChunk] {
        let phases = Dictionary(grouping: operations.indices.filter(isShared)) { operations[$0].action }
        var chunks: [RunChunk] = []
        /// The part in which each name is, by its place.
        var places: [String: Int] = [:]
        for (phase, action) in PlannedOperation.Action.allCases.enumerated() {
            var open = RunChunk(phase: phase, sequences: [])
            for sequence in phases[action] ?? [] {
                let name = operations[sequence].makesProduct ? operations[sequence].nameOfProduct : nil
                if let name, let place = places[name], place < chunks.count {
                    chunks[place].sequences.append(sequence)
                    continue
                }
                if let name { places[name] = chunks.count }
                open.sequences.append(sequence)
                guard open.sequences.count >= max(1, size) else { continue }
                chunks.append(open)
                open.sequences = []
            }
            if !open.sequences.isEmpty { chunks.append(open) }
        }
        return chunks
    }
}

extension PlannedOperation {
    /// What a product is to be called that it makes.
    fileprivate var nameOfProduct: String? { action == .create ? name : newProduct?.values.name }
}
