/// The member names in a market description, identified by their index.
///
/// They are compared by their bytes. If the market is not strict in spelling, underscores and the case of ASCII letters
/// do not count, but the description's spelling takes precedence.
package struct MemberNames: Sendable {
    private let names: [[UInt8]]
    private let isLoose: Bool

    var count: Int { names.count }

    /// Of names that compare as equal, the first is found.
    package init(_ names: [String], isLoose: Bool) {
        self.names = names.map { Array($0.utf8) }
        self.isLoose = isLoose
    }

    /// The index of a name, plus ``count`` if it is spelled differently; `nil` if the name is unknown.
    func index(of name: Span<UInt8>) -> Int? {
        if let index = names.indices.first(where: { names[$0].isExactly(name) }) { return index }
        guard isLoose else { return nil }
        return names.indices.first { Self.areAlike(names[$0], name) }.map { $0 + count }
    }

    /// Whether two names are the same in a market that is not strict in spelling.
    package static func areAlike(_ left: String, _ right: String) -> Bool {
        right.withUTF8Span { areAlike(Array(left.utf8), $0) }
    }

    private static func areAlike(_ left: [UInt8], _ right: Span<UInt8>) -> Bool {
        var index = 0
        for place in right.indices where right[place] != UInt8(ascii: "_") {
            let byte = right[place]
            while index < left.count, left[index] == UInt8(ascii: "_") { index += 1 }
            guard index < left.count, folded(left[index]) == folded(byte) else { return false }
            index += 1
        }
        return left[index...].allSatisfy { $0 == UInt8(ascii: "_") }
    }

    private static func folded(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }
}
