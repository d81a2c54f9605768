extension RunChunk {
    /// Cuts operations into chunks that one session applies at a time, in the plan's order, phase by phase.
    ///
    /// An operation whose product shares its name with an earlier one joins that one's chunk, even if one is a create
    /// and the other a replace. Only the session that sent both can find out which of two equal products a create
    /// without a reply made.
    ///
    /// `size` limits the operations of a chunk, not counting those that join by name. `isShared` decides by index
    /// whether any session may apply an operation.
    static func cut(
        _ operations: [PlannedOperation],
        size: Int,
        where isShared: (Int) -> Bool = { _ in true }
    ) -> [RunChunk] {
        let phases = Dictionary(grouping: operations.indices.filter(isShared)) { operations[$0].action }
        var chunks: [RunChunk] = []
        /// The index of the chunk for each name.
        var places: [String: Int] = [:]
        for (phase, action) in PlannedOperation.Action.allCases.enumerated() {
            var open = RunChunk(phase: phase, sequences: [])
            for sequence in phases[action] ?? [] {
                let operation = operations[sequence]
                let name = operation.action == .create ? operation.name : operation.newProduct?.values.name
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
