import OpenMarket

/// The ways to determine the result of a create whose reply was lost, the best first.
package enum IdentityGrade: String, CaseIterable, Sendable {
    /// A repeated request with the same key is not carried out twice.
    case a = "A"
    /// The product can be found by its key, or by the client's own id, and the market refuses a second one.
    case b = "B"
    /// Products can be found by key.
    case c = "C"
    case d = "D"
    case e = "E"

    package var meaning: String {
        switch self {
        case .a: "the same request is sent again with the same key"
        case .b: "the product is looked up by its key, and the market refuses a second one"
        case .c: "the product is looked up by its key"
        case .d: "new products are compared with the sent values"
        case .e: "the outcome stays unknown: creates are refused unless a policy accepts the risk"
        }
    }
}

extension MarketDescription {
    /// All grades that the market reaches, the best first; the later ones also settle a create.
    package var grades: [IdentityGrade] {
        var grades: [IdentityGrade] = []
        if identity.repetition?.operations.contains(.create) == true { grades.append(.a) }
        if identity.id.chosenBy == .us || identity.key?.unique == .enforced && identity.key?.find != nil {
            grades.append(.b)
        }
        if identity.key?.find != nil, identity.key?.unique != .enforced { grades.append(.c) }
        if identity.id.kind == .integer, identity.id.order == .rising { grades.append(.d) }
        return grades.isEmpty ? [.e] : grades
    }

    var grade: IdentityGrade { grades.first ?? .e }
}
