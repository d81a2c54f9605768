@testable import OpenMarket

extension StateEntries {
    func mapValues<Value>(_ transform: (StateEntry) throws -> Value) rethrows -> [String: Value] {
        try Dictionary(uniqueKeysWithValues: values.map { ($0.key, try transform($0)) })
    }
}

extension StateEntries: ExpressibleByDictionaryLiteral {
    /// If several entries share a key, the last one counts.
    init(dictionaryLiteral elements: (String, StateEntry)...) {
        self.init()
        for (key, entry) in elements { self[key] = entry }
    }
}

extension FieldPositions: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral elements: (ProductField, SourcePosition)...) {
        self.init()
        for (field, position) in elements { self[field] = position }
    }
}
