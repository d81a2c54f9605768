@testable import OpenMarket
@testable import OpenMarketServer

/// What must hold for the server's reading of JSON, whatever the bytes.
enum WireFuzz {
    private enum Name: String, CaseIterable {
        case name, description, price, stock
    }

    /// What is wrong with the reading; `nil` when nothing is.
    static func fault(_ bytes: [UInt8]) -> String? {
        let members = WireValue.members(Name.self, in: bytes)
        guard let whole = try? JSONValue.parse(bytes), whole.members != nil else { return nil }
        guard let members else { return "an object is refused" }
        return Name.allCases.allSatisfy { members[$0] == whole[$0.rawValue].map(kept) }
            ? nil : "a member is read otherwise than in the whole document"
    }

    private static func kept(_ value: JSONValue) -> WireValue {
        switch value {
        case .null: .null
        case .bool(let bool): .bool(bool)
        case .number(let number): .number(number)
        case .unrepresentableNumber(let text): .unrepresentableNumber(text)
        case .string(let text): .string(text)
        case .array, .object: .nested
        }
    }
}
