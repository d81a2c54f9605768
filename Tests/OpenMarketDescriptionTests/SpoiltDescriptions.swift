@testable import OpenMarket
@testable import OpenMarketTestSupport
@testable import YAML

/// Descriptions with a mistake somewhere, made from a seed of those that are right.
///
/// They are JSON, which is YAML, so that every reader agrees on what they hold.
enum SpoiltDescriptions {
    /// A description with its name and what was done to it.
    struct Spoilt {
        var name: String
        var text: String
    }

    /// So many spoilt descriptions, from all that are described here.
    static func make(_ count: Int) throws -> [Spoilt] {
        let trees = try DescribedMarkets.names.map { ($0, try tree($0)) }
        return (0..<count).compactMap { number in
            var generator = SeededGenerator(seed: UInt64(number))
            let (name, tree) = trees[number % trees.count]
            var places = paths(in: tree)
            places.removeFirst()
            var spoilt = tree
            var words: [String] = []
            for _ in 0..<(number % 5 == 4 ? 2 : 1) {
                guard let place = places.randomElement(using: &generator) else { continue }
                words.append(change(&spoilt, at: place, &generator))
            }
            return Spoilt(name: "\(number) \(name): \(words.joined(separator: ", "))", text: text(spoilt))
        }
    }

    /// A description as a tree.
    static func tree(_ name: String) throws -> JSONValue {
        guard let node = try YAMLNode.parse(try DescribedMarkets.document(name)) else { return .null }
        return value(node)
    }

    /// A description's text, as one line.
    static func text(_ tree: JSONValue) -> String { String(decoding: tree.bytes(), as: UTF8.self) }

    private static func value(_ node: YAMLNode) -> JSONValue {
        if let pairs = node.pairs { return .object(pairs.map { .init($0.key.name, value($0.value)) }) }
        if let items = node.items { return .array(items.map(value)) }
        let text = node.text ?? ""
        guard node.style == .plain else { return .string(text) }
        if node.isNull { return .null }
        if text == "true" || text == "false" { return .bool(text == "true") }
        let isNumber = text.allSatisfy { $0.isNumber || $0 == "-" } && !text.contains(".")
        return isNumber ? ExactDecimal(text).map { .number($0) } ?? .string(text) : .string(text)
    }

    /// The steps to every value of a tree, the tree itself first.
    static func paths(in tree: JSONValue) -> [[Int]] {
        switch tree {
        case .object(let members):
            [[]] + members.enumerated().flatMap { index, member in paths(in: member.value).map { [index] + $0 } }
        case .array(let items):
            [[]] + items.enumerated().flatMap { index, item in paths(in: item).map { [index] + $0 } }
        default: [[]]
        }
    }

    /// Does something to what holds the value at a place.
    static func edit(_ tree: inout JSONValue, at path: [Int], _ body: (inout JSONValue, Int) -> Void) {
        guard let step = path.first else { return }
        guard path.count > 1 else { return body(&tree, step) }
        switch tree {
        case .object(var members):
            guard members.indices.contains(step) else { return }
            edit(&members[step].value, at: Array(path.dropFirst()), body)
            tree = .object(members)
        case .array(var items):
            guard items.indices.contains(step) else { return }
            edit(&items[step], at: Array(path.dropFirst()), body)
            tree = .array(items)
        default: break
        }
    }

    private static func change(
        _ tree: inout JSONValue,
        at path: [Int],
        _ generator: inout SeededGenerator
    ) -> String {
        let kind = Int.random(in: 0..<8, using: &generator)
        let other = values.randomElement(using: &generator) ?? .null
        let broken = texts.randomElement(using: &generator) ?? ""
        let letter = Int.random(in: 0..<64, using: &generator)
        var words = "\(path) "
        edit(&tree, at: path) { parent, index in
            switch parent {
            case .object(var members):
                guard members.indices.contains(index) else { return }
                let name = members[index].name
                words += "'\(name)' "
                switch kind {
                case 0:
                    members[index].name = misspelt(name, letter)
                    words += "misspelt"
                case 1:
                    members.remove(at: index)
                    words += "removed"
                case 2:
                    members.insert(members[index], at: index)
                    words += "doubled"
                case 3:
                    members.insert(.init("colour", other), at: index)
                    words += "after 'colour'"
                case 4, 5:
                    members[index].value = other
                    words += "is \(text(other))"
                default:
                    members[index].value = .string((members[index].value.text ?? "") + broken)
                    words += "has \(broken)"
                }
                parent = .object(members)
            case .array(var items):
                guard items.indices.contains(index) else { return }
                switch kind {
                case 0, 1:
                    items.remove(at: index)
                    words += "removed"
                case 2:
                    items.insert(items[index], at: index)
                    words += "doubled"
                case 3...5:
                    items[index] = other
                    words += "is \(text(other))"
                default:
                    items[index] = .string((items[index].text ?? "") + broken)
                    words += "has \(broken)"
                }
                parent = .array(items)
            default: break
            }
        }
        return words
    }

    static func misspelt(_ name: String, _ letter: Int) -> String {
        var letters = Array(name)
        guard letters.count > 1 else { return name + "x" }
        let place = letter % (letters.count - 1)
        if letters[place] != letters[place + 1] { letters.swapAt(place, place + 1) } else { letters.remove(at: place) }
        return String(letters)
    }

    /// Values in the place of others.
    private static let values: [JSONValue] = [
        .null, .bool(true), .number(0), .number(-1), .number(7), .number(1_000_000_007), .string(""), .string("id"),
        .string("/id"), .string("{id}"), .string("404"), .number(404), .array([]),
        .array([.string("/a"), .string("/b")]),
        .array([.number(3), .number(2)]), .array([.array([])]), .object([]), .object([.init("at", .string("/x"))]),
        .object([.init("at", .number(1))]), .string("none"), .string("all"),
    ]

    /// What breaks texts of some form.
    private static let texts = [
        "~", "~2", "{", "}", "{}", "{Id}", "{missing}", "{id}", " ", "\n", "\u{7F}", "ä", "//", "/..", "?", "#",
        "/a/b/c/d/e/f/g/h/i",
        "x", "/99", "/-", String(repeating: "y", count: 600),
    ]
}
