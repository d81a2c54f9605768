/// A dictionary by ID that stores numbers as compactly and quickly as plain integers.
struct MarketIDMap<Value: Sendable>: Sendable {
    private(set) var numbers: [Int64: Value] = [:]
    private(set) var texts: [MarketID: Value] = [:]

    init() {}

    init(_ values: [MarketID: Value]) {
        for (id, value) in values { self[id] = value }
    }

    var count: Int { numbers.count + texts.count }

    subscript(id: MarketID) -> Value? {
        get {
            switch id {
            case .number(let number): numbers[number]
            case .text: texts[id]
            }
        }
        set {
            switch id {
            case .number(let number): numbers[number] = newValue
            case .text: texts[id] = newValue
            }
        }
    }

    mutating func reserveCapacity(_ capacity: Int, for kind: MarketID.Kind) {
        switch kind {
        case .number: numbers.reserveCapacity(capacity)
        case .text: texts.reserveCapacity(capacity)
        }
    }

    /// In no particular order.
    var keys: [MarketID] { numbers.keys.map(MarketID.number) + texts.keys }

    func containsValue(where fits: (Value) -> Bool) -> Bool {
        numbers.values.contains(where: fits) || texts.values.contains(where: fits)
    }
}

extension MarketIDMap: Sequence {
    package func makeIterator() -> Iterator { Iterator(numbers: numbers.makeIterator(), texts: texts.makeIterator()) }

    package struct Iterator: IteratorProtocol {
        fileprivate var numbers: Dictionary<Int64, Value>.Iterator
        fileprivate var texts: Dictionary<MarketID, Value>.Iterator

        package mutating func next() -> (key: MarketID, value: Value)? {
            if let (number, value) = numbers.next() { return (.number(number), value) }
            return texts.next()
        }
    }
}
