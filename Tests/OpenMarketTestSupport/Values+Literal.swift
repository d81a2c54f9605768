@testable import OpenMarket

extension StateEntries {
    func mapValues<Value>(_ transform: (StateEntry) throws -> Value) rethrows -> [String: Value] {
        try Dictionary(uniqueKeysWithValues: values.map { ($0.key, try transform($0)) })
    }
}

extension StateEntries: ExpressibleByDictionaryLiteral {
    /// If several entries share a key, the last one counts.
    init(dictionaryLiteral elements: (String, StateEntry)...) { self.init(elements) { $1 } }

    init(
        _ entries: some Sequence<(String, StateEntry)>,
        uniquingKeysWith combine: (StateEntry, StateEntry) -> StateEntry
    ) {
        self.init()
        for (key, entry) in entries { self[key] = self[key].map { combine($0, entry) } ?? entry }
    }
}

extension FieldPositions: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral elements: (ProductField, SourcePosition)...) {
        self.init()
        for (field, position) in elements { self[field] = position }
    }
}
