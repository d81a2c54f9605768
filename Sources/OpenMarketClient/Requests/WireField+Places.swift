import OpenMarket
import OpenMarketDescription

/// A step to a place of a body.
struct BodyStep: Hashable, Sendable {
    /// The member's name.
    var name: String
    /// Which element it is, where nothing is there yet: an array begins.
    var index: Int?
    /// Whether a member of what was read may be spelled otherwise.
    var isLoose = false

    /// Which of some members it is, the one with exactly its name before all others.
    fileprivate func place(in fields: [WireField]) -> Int? {
        fields.lastIndex { $0.name.isExactly(name) }
            ?? (isLoose ? fields.lastIndex { MemberNames.areAlike(name, $0.name) } : nil)
    }
}

extension JSONPointer {
    /// The steps to its place in a body.
    ///
    /// What a parameter says is the name of a member, be it a number.
    ///
    /// - Throws: ``MarketError`` where a parameter is not set.
    func steps(_ wire: MarketWire) throws(MarketError) -> [BodyStep] {
        try steps(wire.parameters, isLoose: wire.market.names == .loose)
    }

    /// The steps to its place in a body, by members of these names, or of names that are alike.
    ///
    /// - Throws: ``MarketError`` where a parameter is not set.
    func steps(_ parameters: [String: String], isLoose: Bool = false) throws(MarketError) -> [BodyStep] {
        var steps: [BodyStep] = []
        for token in tokens {
            switch token {
            case .member(let name): steps.append(BodyStep(name: name, index: Self.index(name), isLoose: isLoose))
            case .parameter(let name):
                guard let value = parameters[name], !value.isEmpty else {
                    throw MarketError(.refused, "the place '\(self)' of a request needs '\(name)', which is not set")
                }
                steps.append(BodyStep(name: value))
            }
        }
        return steps
    }
}

extension WireField.Value {
    /// Changes the value at a place; objects and arrays on the way begin where nothing is.
    ///
    /// - Throws: ``MarketError`` where something else is on the way, and what `change` throws.
    mutating func update(
        at steps: ArraySlice<BodyStep>,
        _ change: (inout WireField.Value) throws(MarketError) -> Void
    ) throws(MarketError) {
        guard let step = steps.first else { return try change(&self) }
        switch self {
        case .object(var fields):
            // Not shared while it is changed.
            self = .null
            let place = step.place(in: fields)
            if place == nil { fields.append(WireField(step.name, .null)) }
            try fields[place ?? fields.count - 1].value.update(at: steps.dropFirst(), change)
            self = .object(fields)
        case .array(var values):
            guard let index = step.index ?? Int(step.name), (0..<1000).contains(index) else {
                throw MarketError(.refused, "an array has no member '\(step.name)' that a value could be put at")
            }
            self = .null
            while values.count <= index { values.append(.null) }
            try values[index].update(at: steps.dropFirst(), change)
            self = .array(values)
        case .null:
            self = step.index == nil ? .object([]) : .array([])
            try update(at: steps, change)
        case .text, .number, .integer, .numeral, .boolean, .secret, .picture:
            throw MarketError(.refused, "'\(step.name)' cannot be put inside a value that has no members")
        }
    }

    /// The value at a place; `nil` where nothing is.
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

    /// The values as a form has them: `a[b]=1`, `a[0]=2`.
    ///
    /// - Throws: ``MarketError`` where there is what forms do not have: null, or nothing in an array or object.
    func flattened() throws(MarketError) -> [WireField] {
        guard case .object(let fields) = self else {
            throw MarketError(.refused, "a form has names, and this body has none at its top")
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
            throw MarketError(.refused, "a form has no way to say that there is nothing in '\(name)'")
        default: flat.append(WireField(name, self))
        }
    }
}
