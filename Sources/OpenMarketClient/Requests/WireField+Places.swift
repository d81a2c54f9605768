import OpenMarket
import OpenMarketDescription

/// A step on the path to a value in a body.
struct BodyStep: Hashable, Sendable {
    var name: String
    /// The element's index in a new array; `nil` for a member.
    var index: Int?
    /// Whether the name also matches a read member with another spelling.
    var isLoose = false

    /// The index among some members; a member with exactly this name is preferred.
    fileprivate func place(in fields: [WireField]) -> Int? {
        fields.lastIndex { $0.name.isExactly(name) }
            ?? (isLoose ? fields.lastIndex { MemberNames.areAlike(name, $0.name) } : nil)
    }
}

extension JSONPointer {
    /// The steps to its position in a body.
    ///
    /// The value of a parameter is the name of a member, even if it is a number. Throws ``MarketError`` if a parameter
    /// is not set.
    func steps(_ wire: MarketWire) throws(MarketError) -> [BodyStep] {
        let isLoose = wire.market.names == .loose
        var steps: [BodyStep] = []
        for token in tokens {
            switch token {
            case .member(let name): steps.append(BodyStep(name: name, index: Self.index(name), isLoose: isLoose))
            case .parameter(let name):
                guard let value = wire.parameters[name], !value.isEmpty else {
                    throw MarketError(.refused, "the place '\(self)' of a request needs '\(name)', which is not set")
                }
                steps.append(BodyStep(name: value))
            }
        }
        return steps
    }
}

extension WireField.Value {
    /// Changes the value at a path, and creates missing objects and arrays on it.
    ///
    /// Throws ``MarketError`` if the path leads through a value of another kind, and the errors of `change`.
    mutating func update(
        at steps: ArraySlice<BodyStep>,
        _ change: (inout WireField.Value) throws(MarketError) -> Void
    ) throws(MarketError) {
        guard let step = steps.first else { return try change(&self) }
        switch self {
        case .object(var fields):
            // Releases the shared storage, so that the change does not copy it.
            self = .null
            let place = step.place(in: fields)
            if place == nil { fields.append(WireField(step.name, .null)) }
            try fields[place ?? fields.count - 1].value.update(at: steps.dropFirst(), change)
            self = .object(fields)
        case .array(var values):
            guard let index = step.index ?? Int(step.name), (0..<1000).contains(index) else {
                throw MarketError(.refused, "an array cannot have a member '\(step.name)'")
            }
            self = .null
            while values.count <= index { values.append(.null) }
            try values[index].update(at: steps.dropFirst(), change)
            self = .array(values)
        case .null:
            self = step.index == nil ? .object([]) : .array([])
            try update(at: steps, change)
        case .text, .number, .integer, .numeral, .boolean, .secret, .picture:
            throw MarketError(.refused, "'\(step.name)' cannot be put inside a value without members")
        }
    }

    /// The value at a path; `nil` if there is none.
    func value(at steps: ArraySlice<BodyStep>) -> WireField.Value? {
        guard let step = steps.first else { return self }
        switch self {
        case .object(let fields):
            return step.place(in: fields).flatMap { fields[$0].value.value(at: steps.dropFirst()) }
        case .array(let values):
            guard let index = step.index ?? Int(step.name), values.indices.contains(index) else { return nil }
            return values[index].value(at: steps.dropFirst())
        default: return nil
        }
    }

    /// The values in form notation: `a[b]=1`, `a[0]=2`.
    ///
    /// Throws ``MarketError`` for values that forms cannot express: null, and an empty array or object.
    func flattened() throws(MarketError) -> [WireField] {
        guard case .object(let fields) = self else {
            throw MarketError(.refused, "a form needs names, and this body lacks them at its top")
        }
        var flat: [WireField] = []
        flat.reserveCapacity(fields.count)
        for field in fields { try field.value.flatten(field.name, into: &flat) }
        return flat
    }

    private func flatten(_ name: String, into flat: inout [WireField]) throws(MarketError) {
        switch self {
        case .object(let fields) where !fields.isEmpty:
            for field in fields { try field.value.flatten("\(name)[\(field.name)]", into: &flat) }
        case .array(let values) where !values.isEmpty:
            for (index, value) in values.enumerated() { try value.flatten("\(name)[\(index)]", into: &flat) }
        case .null, .object, .array:
            throw MarketError(.refused, "a form cannot empty '\(name)'")
        default: flat.append(WireField(name, self))
        }
    }
}
